import { slugify } from '../../../common/text/slug.ts';
import type { Store } from '../../../features/store.ts';
import { foldedText, wordsOf } from '../../../features/takedown/found-track.ts';
import { type HtmlValue, html, time } from '../pages/html.ts';
import { type ConsoleRoute, page } from '../pages/page.ts';
import { badge, field, heading, tableCard, whole } from '../pages/parts.ts';
import { SHOWN_BATCHES } from './imports.ts';
import { webhookState } from './partners.ts';
import { STATES } from './tracks.ts';

const MAX_TEXT = 200;
/** The most results of each kind. */
const MOST = 10;

interface Hit {
  to: string;
  name: string;
  id: string;
  more?: HtmlValue;
}

/** Returns at most one hit more than the page shows. */
type Find = (store: Store, text: string) => Promise<Hit[]>;

/**
 * Each reads some rows by an index, or all of a table that has hundreds. Tracks are found by their id or ISRC, or by the
 * beginning of their name, in the form of a slug: any other word of a name needs the search of the page of tracks.
 */
const FINDERS: Readonly<Record<string, Find>> = {
  Tracks: async ({ trackFinder }, text) => {
    const [named = []] = await trackFinder.named([text]);
    const exact = named.slice(0, MOST + 1);
    const begun = await trackFinder.beginningWith(slugify(text), MOST + 1);
    const found = await trackFinder.withRowIds([...new Set([...exact, ...begun])]);
    const isExact = ({ rowId }: { rowId: number }) => Number(exact.includes(rowId));
    return found
      .sort((a, b) => isExact(b) - isExact(a))
      .map(({ id, name, artists, state }) => ({
        ...{ to: `/tracks/${id}`, name, id },
        more: html`${artists.join(', ')} ${badge(...STATES[state])}`,
      }));
  },
  Clients: async ({ clients }, text) =>
    having(text, await clients.all(), ({ id, name, account, secrets }) => [
      { to: `/clients/${id}`, name, id, more: account },
      ...secrets.map((secret) => secret.id),
    ]),
  Playlists: async ({ playlists }, text) =>
    having(text, await playlists.names(), ({ id, name, slug }) => [
      { to: `/playlists/${id}`, name, id, more: slug },
      slug,
    ]),
  Licenses: async ({ issuedLicenses }, text) => {
    const numberPrefix = text.toUpperCase();
    const found = await issuedLicenses.latest(MOST + 1, { numberPrefix, now: 0 });
    return found.map(({ number, terms: { licensee } }) => ({
      ...{ to: `/licenses/${number}`, name: number, id: number, more: licensee.name },
    }));
  },
  Imports: async ({ batches }, text) =>
    having(text, await batches.latest(SHOWN_BATCHES), ({ id, label, at }) => [
      { to: `/imports?batch=${id}`, name: label, id, more: time(at) },
    ]),
  Webhooks: async ({ webhooks }, text) =>
    having(text, await webhooks.records(), (record) => [
      { to: `/webhooks/${record.id}`, name: record.url, id: record.id, more: webhookState(record) },
    ]),
};

/** @param hitOf returns the hit of one, and other texts by which it is found */
function having<T>(text: string, all: readonly T[], hitOf: (one: T) => [Hit, ...string[]]): Hit[] {
  const words = wordsOf(text);
  const hits: Hit[] = [];
  for (const one of words.length === 0 ? [] : all) {
    const [hit, ...others] = hitOf(one);
    const folded = foldedText(hit.name, hit.id, ...others);
    if (words.every((word) => folded.includes(word))) hits.push(hit);
    if (hits.length > MOST) break;
  }
  return hits;
}

export const SEARCH_ROUTES: readonly ConsoleRoute[] = [
  page('/search', async ({ query, context: { store } }) => {
    const text = (query.get('text') ?? '').trim().slice(0, MAX_TEXT);
    const found = await Promise.all(
      Object.entries(FINDERS).map(async ([title, find]) => {
        return { title, hits: text === '' ? [] : await find(store, text) };
      }),
    );
    const shown = found.filter(({ hits }) => hits.length > 0);
    const inTracks = new URLSearchParams({ q: text });
    return {
      title: 'Search',
      main: html`${heading('Search')}<form method="get" action="/search" class="inline search" role="search">
${field('Name or id', html`<input type="search" name="text" value="${text}" maxlength="${MAX_TEXT}" autocomplete="off">`)}
<button class="primary">Find</button></form>
${shown.map(({ title, hits }) =>
  tableCard(
    hits.length > MOST ? `${title}: the first ${MOST}` : title,
    'Name | Details | Id',
    hits
      .slice(0, MOST)
      .map(({ to, name, id, more }) => [
        whole(html`<a href="${to}">${name === '' ? id : name}</a>`),
        more,
        html`<code>${id}</code>`,
      ]),
  ),
)}
${text !== '' && shown.length === 0 && html`<p class="empty">Nothing has this id or name. Tracks are found by the beginning of their slugs, which stay when names are edited.</p>`}
${text !== '' && html`<p><a href="/tracks?${inTracks.toString()}">Find tracks with these words anywhere in their names or artists</a></p>`}`,
    };
  }),
];
