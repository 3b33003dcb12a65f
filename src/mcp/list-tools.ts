import Type from 'typebox';
import type { Playlist } from '#client';
import { inputOf, nameOf, PAGE, pageOf } from './inputs.ts';
import { FILTER, outputOf, PLACE, PLAYLIST, TRACKS } from './outputs.ts';
import { lineOf, pageSummary, shownTrack, textOf } from './shown.ts';
import { type CompiledTool, tool } from './tool.ts';

/** The API lists all filters at once; a large catalog has more than a model can read. */
const MAX_FILTERS = 200;

const TYPES = ['genre', 'mood', 'use-case'] as const;

/** The tools that list filters and playlists. */
export const LIST_TOOLS: readonly CompiledTool[] = [
  tool({
    name: 'list_filters',
    title: 'List filters',
    description:
      'Lists genres, moods and use cases with the number of their tracks, most tracks first. Their slugs are ' +
      `the filterSlugs of other tools. At most ${MAX_FILTERS} are shown; restrict them with contains.`,
    scope: 'filters',
    readOnly: true,
    input: inputOf({
      type: Type.Optional(
        Type.Union(
          TYPES.map((one) => Type.Literal(one)),
          { description: 'Only filters of this type.' },
        ),
      ),
      contains: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Only filters whose name contains this text, in any case.',
        }),
      ),
    }),
    output: outputOf({
      totalRecords: Type.Integer({ description: 'How many filters match.' }),
      filters: Type.Array(FILTER),
    }),
    async run({ client }, { type, contains = '' }, options) {
      const { items } = await client.listFilters(type === undefined ? {} : { type }, options);
      const matching = items
        .filter(({ name }) => name.toLowerCase().includes(contains.toLowerCase()))
        .sort((a, b) => b.trackCount - a.trackCount);
      const filters = matching
        .slice(0, MAX_FILTERS)
        .map(({ slug, name, type: kind, trackCount }) => ({ slug, name, type: kind, trackCount }));
      const lines = filters.map(
        (one) => `${one.name} [${one.slug}] ${one.type}, ${one.trackCount} tracks`,
      );
      const summary = `${matching.length} filters, ${filters.length} shown`;
      return {
        data: { totalRecords: matching.length, filters },
        text: textOf(summary, lines),
      };
    },
  }),
  tool({
    name: 'list_playlists',
    title: 'List playlists',
    description: 'Lists the playlists that the licensor has granted to this client.',
    scope: 'playlists',
    readOnly: true,
    input: inputOf(PAGE),
    output: outputOf({ ...PLACE, playlists: Type.Array(PLAYLIST) }),
    async run({ client }, input, options) {
      const { items, ...place } = await client.listPlaylists(pageOf(input), options);
      const playlists = items.map(shownPlaylist);
      const lines = playlists.map((one) => `${one.name} [${one.slug}] ${one.trackCount} tracks`);
      return {
        data: { ...place, playlists },
        text: textOf(pageSummary('playlists', place), lines),
      };
    },
  }),
  tool({
    name: 'get_playlist',
    title: 'Read a playlist',
    description: 'Returns a playlist and a page of its tracks, in its order.',
    scope: 'playlists',
    readOnly: true,
    input: inputOf({ playlist: nameOf('playlist'), ...PAGE }),
    output: outputOf({ playlist: PLAYLIST, ...PLACE, ...TRACKS }),
    async run({ client }, { playlist: idOrSlug, ...page }, options) {
      const [playlist, { items, ...place }] = await Promise.all([
        client.showPlaylist({ idOrSlug }, options),
        client.listPlaylistTracks({ idOrSlug, ...pageOf(page) }, options),
      ]);
      const tracks = items.map(shownTrack);
      const summary = `${playlist.name}: ${pageSummary('tracks', place)}`;
      return {
        data: { playlist: shownPlaylist(playlist), ...place, tracks },
        text: textOf(summary, tracks.map(lineOf)),
      };
    },
  }),
];

function shownPlaylist({ slug, id, name, description, trackCount, durationSeconds }: Playlist) {
  return { slug, id, name, description, trackCount, durationSeconds };
}
