import { findTracks, TRACK_STATES } from '../../../features/takedown/find-tracks.ts';
import type { FoundTrack } from '../../../features/takedown/track-finder.ts';
import { latestChanges } from '../../reports/latest-changes.ts';
import { time } from '../pages/format.ts';
import { type Html, html } from '../pages/html.ts';
import { type ConsoleRoute, page } from '../pages/page.ts';
import {
  badge,
  field,
  heading,
  offsetOf,
  PAGE_ROWS,
  pageOf,
  pager,
  select,
  type Tone,
  table,
} from '../pages/parts.ts';
import type { ConsoleDependencies } from '../server/dependencies.ts';

const MAX_TEXT = 500;

/** What people read for a state, and its tone. */
export const STATES: Readonly<Record<(typeof TRACK_STATES)[number], readonly [string, Tone]>> = {
  live: ['live', 'good'],
  taken_down: ['taken down', 'bad'],
  withdrawn: ['withdrawn', 'warn'],
  unavailable: ['unavailable', 'warn'],
};

/** The search for tracks. */
export function trackListRoutes({ context }: ConsoleDependencies): ConsoleRoute[] {
  return [
    page('/tracks', async ({ query }) => {
      const text = (query.get('q') ?? '').trim().slice(0, MAX_TEXT);
      const state = TRACK_STATES.find((one) => one === query.get('state'));
      const source = query.get('source') || undefined;
      const { trackFinder } = context.store;
      const isSearch = text !== '' || state !== undefined || source !== undefined;
      const at = pageOf(query);
      const part = { limit: PAGE_ROWS, ...offsetOf(at) };
      const [sources, shown] = await Promise.all([
        trackFinder.sources(),
        isSearch
          ? findTracks(trackFinder, text || undefined, { source, state, ...part }).then(
              ({ tracks, isTruncated }) =>
                html`${results(tracks)}${pager('/tracks', query, { page: at, hasMore: isTruncated })}`,
            )
          : latest(context),
      ]);
      const search = html`<form method="get" action="/tracks" class="inline search" role="search">
${field('Words, ISRC, slug or id', html`<input type="search" name="q" value="${text}" maxlength="${MAX_TEXT}" autocomplete="off">`)}
${field('State', select('state', [['', 'any'], ...TRACK_STATES.map((one) => [one, STATES[one][0]] as const)], state))}
${field('Source', select('source', [['', 'any'], ...sources.map((one) => [one, one] as const)], source))}
<button class="primary">Find</button></form>`;
      return {
        title: 'Tracks',
        main: html`${heading('Tracks')}${search}${shown}`,
      };
    }),
  ];
}

/** The tracks that changed last. */
async function latest({ store }: ConsoleDependencies['context']): Promise<Html> {
  const changes = await latestChanges(store, PAGE_ROWS, { entity: 'track' });
  const last = new Map(changes.toReversed().map((change) => [change.entityId, change]));
  const rows = [...last.values()].sort((a, b) => b.seq - a.seq);
  return html`<h2>Changed last</h2>${table(
    'Changed last',
    ['Track', 'Change', 'By', 'When'],
    rows.map(({ entityId, name, kind, by, at }) => [
      name === null ? entityId : html`<a href="/tracks/${entityId}">${name}</a>`,
      kind.replaceAll('_', ' '),
      by,
      time(at),
    ]),
    'No track was changed in the time of the log. Search for words, or choose a state or a source.',
  )}`;
}

function results(tracks: readonly FoundTrack[]): Html {
  return table(
    'Tracks',
    ['Name', 'Artists', 'State', 'ISRC', 'Source', 'Slug'],
    tracks.map(({ id, name, artists, state, isrc, source, slug }) => [
      html`<a href="/tracks/${id}">${name}</a>`,
      artists.join(', '),
      badge(...STATES[state]),
      html`<code>${isrc}</code>`,
      source,
      slug,
    ]),
    'No track matches.',
  );
}
