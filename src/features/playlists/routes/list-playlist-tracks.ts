import Type from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { pageMembers, pageOf } from '../../../engines/http/schemas.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { languageMember } from '../../languages/routes/language.ts';
import type { TrackPages } from '../../tracks/routes/track-page.ts';
import { TrackPageSchema } from '../../tracks/routes/track-schemas.ts';
import type { PlaylistStore } from '../playlist-store.ts';
import { noPlaylist } from './playlist-response.ts';

/**
 * GET /v1/playlists/{idOrSlug}/tracks: the tracks of a granted playlist, in its own order
 * (docs/contract/playlists.md#tracks-of-a-playlist).
 */
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
      'In the order of the playlist. Tracks that were taken down are omitted and not counted. The response for a playlist that is not granted to you is the same as for one that does not exist.',
    access: { scope: 'playlists' },
    errors: ['not_found'],
    params: Type.Object({
      idOrSlug: Type.String({
        description: 'Id or slug of a playlist, in any case.',
        examples: ['quiet-focus'],
      }),
    }),
    query: Type.Object({ ...pageMembers, ...languageMember }),
    localized: 'header',
    data: TrackPageSchema,
    async handle({ params, query, caller }) {
      // The store looks only at playlists granted to the client, so that nobody learns which others
      // exist.
      const playlist = await playlists.find(params.idOrSlug.toLowerCase(), caller!.clientId);
      if (playlist === undefined) {
        throw noPlaylist();
      }
      const { items, totalRecords, currentPage, pageSize } = pageOf(
        catalog.locate(playlist.trackIds, {}).filter((track) => track !== undefined),
        query,
      );
      return pages.page({ totalRecords, page: currentPage, pageSize }, items, caller!);
    },
  });
}
