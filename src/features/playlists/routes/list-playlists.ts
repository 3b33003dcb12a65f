import Type from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { pageAfter, pageMembers, pageOf, paginated } from '../../../engines/http/schemas.ts';
import { languageMember } from '../../languages/routes/language.ts';
import type { PlaylistStore } from '../playlist-store.ts';
import { PlaylistSchema } from './playlist.ts';
import { localizedPlaylists, type PlaylistTexts, shownPlaylist } from './playlist-response.ts';

/**
 * GET /v1/playlists: lists the playlists granted to the client
 * (docs/contract/playlists.md#list-of-playlists).
 */
export function listPlaylists({
  playlists,
  texts,
  publicUrl,
}: {
  playlists: Pick<PlaylistStore, 'list'>;
  texts: PlaylistTexts;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl: () => string;
}): Route {
  return route({
    operationId: 'listPlaylists',
    method: 'GET',
    path: '/v1/playlists',
    version: API_VERSION,
    tag: 'Playlists',
    summary: 'List the playlists granted to you',
    description: 'Ordered by name. Counts and durations omit tracks that were taken down.',
    access: { scope: 'playlists' },
    errors: [],
    query: Type.Object({ ...pageMembers, ...languageMember }),
    localized: 'header',
    data: paginated(PlaylistSchema, 'PlaylistPage'),
    async handle({ query, caller }) {
      const granted = await playlists.list({ clientId: caller!.clientId });
      const page = pageOf(granted, query);
      const shown = await localizedPlaylists(texts, page.items, caller!.language);
      return {
        data: { ...page, items: shown.map((summary) => shownPlaylist(summary, publicUrl())) },
        nextPage: pageAfter(page.currentPage, page.totalPages),
      };
    },
  });
}
