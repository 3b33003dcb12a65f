import Type from 'typebox';
import type { PlaylistSummary } from '../../catalog/playlist.ts';
import type { PlaylistStore } from '../../catalog/store.ts';
import { API_VERSION } from '../../kernel/version.ts';
import { playlistArtworkPath } from '../../media/artwork.ts';
import { type Route, route } from '../route.ts';
import { pageMembers, pageOf, paginated } from '../schemas/page.ts';
import { PlaylistSchema } from '../schemas/playlist.ts';

/** GET /v1/playlists: those granted to the client, and no other (decisions §5). */
export function listPlaylists({
  playlists,
  publicUrl,
}: {
  playlists: Pick<PlaylistStore, 'list'>;
  /** Base of handed-out URLs, without a trailing slash. */
  publicUrl: () => string;
}): Route {
  return route({
    operationId: 'listPlaylists',
    method: 'GET',
    path: '/v1/playlists',
    version: API_VERSION,
    tag: 'Playlists',
    summary: 'List the playlists granted to you',
    description: 'Ordered by name. Counts and lengths leave out tracks that were taken down.',
    access: { scope: 'playlists' },
    errors: [],
    query: Type.Object(pageMembers),
    data: paginated(PlaylistSchema, 'PlaylistPage'),
    async handle({ query, caller }) {
      const granted = await playlists.list({ clientId: caller!.clientId });
      const page = pageOf(granted, query);
      return { data: { ...page, items: page.items.map((summary) => shown(summary, publicUrl())) } };
    },
  });
}

function shown(summary: PlaylistSummary, base: string) {
  return {
    id: summary.id,
    name: summary.name,
    slug: summary.slug,
    description: summary.description,
    trackCount: summary.trackCount,
    durationSeconds: summary.durationSeconds,
    artworkUrl: base + playlistArtworkPath(summary.id),
    createdAt: new Date(summary.createdAt).toISOString(),
    updatedAt: new Date(summary.updatedAt).toISOString(),
  };
}
