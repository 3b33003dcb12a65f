import { findTracks, TRACK_STATES } from '../../catalog/find-tracks.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { html } from '../html.ts';
import { type ConsoleRoute, page } from '../page.ts';
import { badge, field, heading, select, type Tone, table } from '../parts.ts';

/** How many tracks are shown. More words find fewer. */
const SHOWN = 100;
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
      const [sources, found] = await Promise.all([
        trackFinder.sources(),
        text === '' ? undefined : findTracks(trackFinder, text, { source, state, limit: SHOWN }),
      ]);
      const search = html`<form method="get" action="/tracks" class="inline search" role="search">
${field('Words, ISRC, slug or id', html`<input type="search" name="q" value="${text}" maxlength="${MAX_TEXT}" autocomplete="off">`)}
${field('State', select('state', [['', 'any'], ...TRACK_STATES.map((one) => [one, STATES[one][0]] as const)], state))}
${field('Source', select('source', [['', 'any'], ...sources.map((one) => [one, one] as const)], source))}
<button class="primary">Find</button></form>`;
      return {
        title: 'Tracks',
        main: html`${heading('Tracks')}${search}${found && results(found)}`,
      };
    }),
  ];
}

function results({ tracks, isTruncated }: Awaited<ReturnType<typeof findTracks>>) {
  return html`${table(
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
  )}${isTruncated && html`<p>There are more: add words.</p>`}`;
}
