import { escaped } from '../../common/text/shown.ts';
import { guideLayout, MAX_QUERY_LENGTH, SEARCH_PATH } from './guide-page.ts';
import { relativeUrl } from './guide-text.ts';

const MAX_RESULTS = 20;
const MAX_WORDS = 8;
/** Words from this length on also find the words that begin with them. */
const MIN_PREFIX_LENGTH = 3;

/** Words of questions, which say nothing about the subject. */
const IGNORED = new Set(
  'a an and are can do does for how i in is it my of on or the to what when where with you'.split(
    ' ',
  ),
);

/** A section of a guide: the text from one heading to the next one. */
export interface Section {
  path: string;
  /** The title of the page. */
  title: string;
  heading: string;
  /** The id of the heading. */
  id: string;
  text: string;
}

export interface GuideIndex {
  /** In the order of the guides. */
  sections: Section[];
  /** By word: the weight of the word in each section that contains it, by the number of the section. */
  words: Map<string, Map<number, number>>;
}

/** Returns the sections that contain all words of the query, the best first. */
export function findSections(index: GuideIndex, query: string): Section[] {
  const [first, ...others] = queryWords(query).map((word) => matches(index, word));
  if (first === undefined) return [];
  const found = [...first].flatMap(([number, weight]) => {
    const weights = others.map((ofWord) => ofWord.get(number));
    return weights.includes(undefined)
      ? []
      : [{ number, weight: weights.reduce<number>((sum, one) => sum + one!, weight) }];
  });
  return found
    .sort((a, b) => b.weight - a.weight || a.number - b.number)
    .slice(0, MAX_RESULTS)
    .map(({ number }) => index.sections[number]!);
}

/** Returns the weights of the sections with a word or, if it is long enough, with its continuations. */
function matches({ words }: GuideIndex, word: string): Map<number, number> {
  const all = new Map<number, number>();
  for (const [found, sections] of words) {
    if (found !== word && (word.length < MIN_PREFIX_LENGTH || !found.startsWith(word))) continue;
    // The exact word outweighs its continuations.
    const factor = found === word ? 2 : 1;
    for (const [number, weight] of sections) {
      all.set(number, (all.get(number) ?? 0) + factor * weight);
    }
  }
  return all;
}

/** Returns the words of a query that count. */
function queryWords(query: string): string[] {
  const words = [...new Set(wordsOf(query))];
  const telling = words.filter((word) => !IGNORED.has(word));
  return (telling.length > 0 ? telling : words).slice(0, MAX_WORDS);
}

/** Returns the words of a text. Names with underscores, such as `rate_limited`, are one word. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** In characters. */
const EXCERPT_LENGTH = 220;
/** How many of them stand before the first word that was found. */
const LEAD_LENGTH = 60;

/** Returns the page with the sections that were found; without a query, only the field to search. */
export function searchPage(query: string, found: readonly Section[]): string {
  const words = queryWords(query);
  const summary =
    words.length === 0
      ? 'Enter one or more words.'
      : found.length === 0
        ? 'No guide contains all of these words. Try fewer or shorter ones.'
        : `${found.length} ${found.length === 1 ? 'section' : 'sections'}, the best first.`;
  return page(
    query,
    `      <p>${summary}</p>
      <ul class="results">
${found.map((section) => resultItem(section, words)).join('\n')}
      </ul>`,
  );
}

export function longQueryPage(query: string): string {
  return page(
    query.slice(0, MAX_QUERY_LENGTH),
    `      <p>A search has at most ${MAX_QUERY_LENGTH} characters.</p>`,
  );
}

function page(query: string, content: string): string {
  return guideLayout({
    path: SEARCH_PATH,
    title: 'Search · Stave',
    query,
    main: `      <h1>Search the guides</h1>\n${content}`,
  });
}

function resultItem({ path, id, title, heading, text }: Section, words: readonly string[]): string {
  const address = `${relativeUrl(SEARCH_PATH, path)}#${id}`;
  const where = heading === title ? '' : ` <span class="where">${escaped(title)}</span>`;
  return `        <li><a href="${escaped(address)}">${marked(heading, words)}</a>${where}<span>${excerpt(text, words)}</span></li>`;
}

function excerpt(text: string, words: readonly string[]): string {
  const at = Math.max(0, text.search(patternOf(words)) - LEAD_LENGTH);
  const start = at === 0 ? 0 : text.indexOf(' ', at) + 1;
  const part = text.slice(start, start + EXCERPT_LENGTH).replace(/\s+\S*$/, '');
  const end = start + part.length < text.trimEnd().length ? ' …' : '';
  return `${start > 0 ? '… ' : ''}${marked(part, words)}${end}`;
}

function marked(text: string, words: readonly string[]): string {
  return text
    .split(patternOf(words))
    .map((part, i) => (i % 2 === 0 ? escaped(part) : `<mark>${escaped(part)}</mark>`))
    .join('');
}

/** Finds words that begin with one of these. The words consist of letters, digits and `_`. */
function patternOf(words: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])(${words.join('|')})`, 'giu');
}
