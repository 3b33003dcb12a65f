import { setImmediate as nextTurn } from 'node:timers/promises';
import { marked, type Token, type Tokens } from 'marked';
import { type GuideIndex, type Section, wordsOf } from './guide-search.ts';
import {
  ALL_GUIDES,
  type GuideText,
  headingIds,
  pathOf,
  plainText,
  readGuide,
} from './guide-text.ts';

/** Guides show how to do a task, so they stand before the pages to look things up. */
const OF_GUIDE = 2;
const IN_HEADING = 20;
const IN_TITLE = 10;
/** A word counts in a text only so often, so that long sections do not win by their length. */
const MAX_COUNT = 5;

/** The paths of the pages to look things up. */
const LOOKED_UP = new Set(
  ALL_GUIDES.filter(({ path }) => path.includes('/') || path === 'glossary').map(pathOf),
);

/** Makes the index of all guides, one after the other, so that requests come between them. */
export async function guideIndex(): Promise<GuideIndex> {
  const index: GuideIndex = { sections: [], words: new Map() };
  for (const guide of ALL_GUIDES) {
    for (const section of sectionsOf(await readGuide(guide))) addSection(index, section);
    await nextTurn();
  }
  return index;
}

function addSection({ sections, words }: GuideIndex, section: Section): void {
  const { path, title, heading, text } = section;
  const number = sections.push(section) - 1;
  const factor = LOOKED_UP.has(path) ? 1 : OF_GUIDE;
  const add = (word: string, weight: number) => {
    const ofWord = words.get(word) ?? new Map<number, number>();
    words.set(word, ofWord.set(number, (ofWord.get(number) ?? 0) + factor * weight));
  };
  for (const word of new Set(wordsOf(title))) add(word, IN_TITLE);
  for (const word of new Set(wordsOf(heading))) add(word, IN_HEADING);
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) {
    const count = counts.get(word) ?? 0;
    if (count < MAX_COUNT) add(word, 1);
    counts.set(word, count + 1);
  }
}

function sectionsOf({ guide, markdown }: GuideText): Section[] {
  const sections: Section[] = [];
  const ids = headingIds();
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading') {
      const heading = plainText((token as Tokens.Heading).tokens);
      const page = { path: pathOf(guide), title: guide.title };
      sections.push({ ...page, heading, id: ids(heading), text: '' });
    } else {
      const section = sections.at(-1);
      const text = textOf(token);
      if (section !== undefined && text !== '') section.text += `${text} `;
    }
  }
  return sections;
}

function textOf(token: Token): string {
  if (token.type === 'html' || token.type === 'space') return '';
  if (token.type === 'list') {
    return (token as Tokens.List).items.map(({ tokens }) => tokens.map(textOf).join(' ')).join(' ');
  }
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows]
      .map((row) => row.map(({ tokens }) => plainText(tokens)).join(' '))
      .join(' ');
  }
  return plainText([token]).replace(/\s+/g, ' ').trim();
}
