import { escaped } from '../../common/text/shown.ts';
import { relativeUrl } from './guide-links.ts';
import { guideLayout, MAX_QUERY_LENGTH, SEARCH_PATH } from './guide-page.ts';
import { queryWords, type Section } from './guide-search.ts';

/** How many characters of a section an excerpt shows. */
const EXCERPT_LENGTH = 220;
/** How many of them stand before the first word that was found. */
const LEAD_LENGTH = 60;

/** Returns the page with the sections that were found; without a query, only the field to search. */
export function searchPage(query: string, found: readonly Section[]): string {
  const words = queryWords(query);
  const told =
    words.length === 0
      ? 'Enter one or more words.'
      : found.length === 0
        ? 'No guide contains all of these words. Try fewer or shorter ones.'
        : `${found.length} ${found.length === 1 ? 'section' : 'sections'}, the best first.`;
  return page(
    query,
    `      <p>${told}</p>
      <ul class="results">
${found.map((section) => resultItem(section, words)).join('\n')}
      </ul>`,
  );
}

/** Returns the page for a query that is too long to search for. */
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

/** Returns a part of a text with the first word that was found, as HTML. */
function excerpt(text: string, words: readonly string[]): string {
  const at = Math.max(0, text.search(patternOf(words)) - LEAD_LENGTH);
  const start = at === 0 ? 0 : text.indexOf(' ', at) + 1;
  const part = text.slice(start, start + EXCERPT_LENGTH).replace(/\s+\S*$/, '');
  const end = start + part.length < text.trimEnd().length ? ' …' : '';
  return `${start > 0 ? '… ' : ''}${marked(part, words)}${end}`;
}

/** Returns a text as HTML in which the words are marked. */
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
