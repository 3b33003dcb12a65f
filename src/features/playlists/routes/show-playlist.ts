import Type from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { languageMember } from '../../languages/routes/language.ts';
import type { PlaylistStore } from '../playlist-store.ts';
import { PlaylistSchema } from './playlist.ts';
import {
  localizedPlaylists,
  noPlaylist,
  type PlaylistTexts,
  shownPlaylist,
} from './playlist-response.ts';

/**
 * GET /v1/playlists/{idOrSlug}: reads a playlist that is granted to the client
 * (docs/contract/playlists.md#single-playlist).
 */
export function showPlaylist({
  playlists,
  texts,
  publicUrl,
}: {
  playlists: Pick<PlaylistStore, 'summary'>;
  texts: PlaylistTexts;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl: () => string;
}): Route {
  return route({
    operationId: 'showPlaylist',
    method: 'GET',
    path: '/v1/playlists/{idOrSlug}',
    version: API_VERSION,
    tag: 'Playlists',
    summary: 'Read one playlist',
    description:
      'By id or slug, in any case. Count and duration omit tracks that were taken down. The response for a playlist that is not granted to you is the same as for one that does not exist.',
    access: { scope: 'playlists' },
    errors: ['not_found'],
    params: Type.Object({
      idOrSlug: Type.String({
        description: 'Id or slug of a playlist, in any case.',
        examples: ['late-evening'],
      }),
    }),
    query: Type.Object(languageMember),
    localized: 'header',
    data: PlaylistSchema,
    async handle({ params, caller }) {
      // The store looks only at playlists granted to the client, so that nobody learns which others
      // exist.
      const summary = await playlists.summary(params.idOrSlug.toLowerCase(), caller!.clientId);
      if (summary === undefined) {
        throw noPlaylist();
      }
      const [shown] = await localizedPlaylists(texts, [summary], caller!.language);
      return { data: shownPlaylist(shown!, publicUrl()) };
    },
  });
}
