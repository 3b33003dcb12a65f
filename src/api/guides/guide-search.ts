import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Token, Tokens } from 'marked';
import { marked } from 'marked';
import { ALL_GUIDES, pathOf } from './guide-links.ts';
import { type GuideText, headingIds, plainText } from './guide-text.ts';

/** The most sections that a search finds. */
const MAX_RESULTS = 20;
/** The most words of a search that count. */
const MAX_WORDS = 8;
/** Words from this length on also find the words that begin with them. */
const MIN_PREFIX_LENGTH = 3;

/** Words of questions, which say nothing about the subject. */
const IGNORED = new Set(
  'a an and are can do does for how i in is it my of on or the to what when where with you'.split(
    ' ',
  ),
);

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

/** A section of a guide: the text from one heading to the next one. */
export interface Section {
  /** The path of the page. */
  path: string;
  /** The title of the page. */
  title: string;
  heading: string;
  /** The id of the heading. */
  id: string;
  text: string;
}

/** Weights by the number of the section. */
type SectionWeights = ReadonlyMap<number, number>;

/** An index of all sections by their words. */
export class GuideSearch {
  readonly #sections: readonly Section[];
  /** The weight of each word in each section, by the number of the section. */
  readonly #weights: ReadonlyMap<string, SectionWeights>;
  /** All words in order, to find those with a common beginning. */
  readonly #words: readonly string[];

  private constructor(sections: readonly Section[], weights: ReadonlyMap<string, SectionWeights>) {
    this.#sections = sections;
    this.#weights = weights;
    this.#words = [...weights.keys()].sort();
  }

  /** Makes an index. Other requests are served between the guides, because all of them take about 250 ms. */
  static async of(guides: readonly GuideText[]): Promise<GuideSearch> {
    const sections: Section[] = [];
    const weights = new Map<string, Map<number, number>>();
    for (const guide of guides) {
      for (const section of sectionsOf(guide)) {
        addWeights(weights, section, sections.push(section) - 1);
      }
      await nextTurn();
    }
    return new GuideSearch(sections, weights);
  }

  /** Returns the sections that contain all words of the query, the best first. */
  find(query: string): Section[] {
    const [first, ...others] = queryWords(query).map((word) => this.#matches(word));
    if (first === undefined) return [];
    const found = [...first].flatMap(([number, weight]) => {
      const weights = others.map((matches) => matches.get(number));
      return weights.includes(undefined)
        ? []
        : [{ number, weight: weights.reduce<number>((sum, one) => sum + one!, weight) }];
    });
    return found
      .sort((a, b) => b.weight - a.weight || a.number - b.number)
      .slice(0, MAX_RESULTS)
      .map(({ number }) => this.#sections[number]!);
  }

  /** Returns the weights of the sections with a word or, if it is long enough, with its continuations. */
  #matches(word: string): SectionWeights {
    const exact = this.#weights.get(word) ?? new Map<number, number>();
    if (word.length < MIN_PREFIX_LENGTH) return exact;
    const all = new Map<number, number>();
    for (let at = firstNotBefore(this.#words, word); this.#words[at]?.startsWith(word); at++) {
      // The exact word outweighs its continuations.
      const factor = this.#words[at] === word ? 2 : 1;
      for (const [section, weight] of this.#weights.get(this.#words[at]!)!) {
        all.set(section, (all.get(section) ?? 0) + factor * weight);
      }
    }
    return all;
  }
}

function addWeights(
  weights: Map<string, Map<number, number>>,
  { path, title, heading, text }: Section,
  section: number,
): void {
  const factor = LOOKED_UP.has(path) ? 1 : OF_GUIDE;
  const add = (word: string, weight: number) => {
    const ofWord = weights.get(word) ?? new Map<number, number>();
    weights.set(word, ofWord.set(section, (ofWord.get(section) ?? 0) + factor * weight));
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

/** Returns the words of a query that count. */
export function queryWords(query: string): string[] {
  const words = [...new Set(wordsOf(query))];
  const telling = words.filter((word) => !IGNORED.has(word));
  return (telling.length > 0 ? telling : words).slice(0, MAX_WORDS);
}

/** Names with underscores, such as `rate_limited`, are one word. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function firstNotBefore(words: readonly string[], word: string): number {
  let from = 0;
  let to = words.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (words[middle]! < word) from = middle + 1;
    else to = middle;
  }
  return from;
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

/** Returns the text of a block, without marks, on one line. */
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
