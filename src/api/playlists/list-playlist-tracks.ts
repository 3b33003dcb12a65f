import Type from 'typebox';
import type { LiveCatalog } from '../../catalog/live-catalog.ts';
import type { PlaylistStore } from '../../catalog/store.ts';
import { StaveError } from '../../kernel/errors.ts';
import { API_VERSION } from '../../kernel/version.ts';
import { type Route, route } from '../route.ts';
import { pageMembers, pageOf } from '../schemas/page.ts';
import { TrackPageSchema } from '../schemas/track.ts';
import type { TrackPages } from '../tracks/track-page.ts';

/** GET /v1/playlists/{idOrSlug}/tracks: a granted playlist, in its own order (decisions §5). */
export function listPlaylistTracks({
  playlists,
  catalog,
  pages,
}: {
  playlists: Pick<PlaylistStore, 'find'>;
  catalog: Pick<LiveCatalog, 'locate'>;
  pages: Pick<TrackPages, 'page'>;
}): Route {
  return route({
    operationId: 'listPlaylistTracks',
    method: 'GET',
    path: '/v1/playlists/{idOrSlug}/tracks',
    version: API_VERSION,
    tag: 'Playlists',
    summary: 'Page through a playlist',
    description:
      'In the order of the playlist. Tracks that were taken down are left out and not counted. A playlist that is not granted to you answers exactly like one that does not exist.',
    access: { scope: 'playlists' },
    errors: ['not_found'],
    params: Type.Object({
      idOrSlug: Type.String({
        description: 'Id or slug of a playlist, in any case.',
        examples: ['late-evening'],
      }),
    }),
    query: Type.Object(pageMembers),
    data: TrackPageSchema,
    async handle({ params, query, caller }) {
      // Those of other clients are not looked at, so that nobody learns which there are.
      const playlist = await playlists.find(params.idOrSlug.toLowerCase(), caller!.playlistIds);
      if (playlist === undefined) {
        throw new StaveError('not_found', 'There is no playlist of this id or slug for you.');
      }
      const { items, totalRecords, currentPage, pageSize } = pageOf(
        catalog.locate(playlist.trackIds, {}).filter((track) => track !== undefined),
        query,
      );
      return pages.page({ totalRecords, page: currentPage, pageSize }, items, caller!);
    },
  });
}
