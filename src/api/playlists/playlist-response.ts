import type { PlaylistSummary } from '../../catalog/playlist.ts';
import { StaveError } from '../../common/errors.ts';
import { playlistArtworkPath } from '../../media/artwork.ts';

/** Returns a playlist as in `PlaylistSchema`; `base` is the base of the service's own URLs. */
export function shownPlaylist(summary: PlaylistSummary, base: string) {
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

/**
 * Returns the same error for a playlist that does not exist and for one that is not granted
 * (docs/contract/playlists.md#playlists-that-are-not-granted).
 */
export function noPlaylist(): StaveError {
  return new StaveError('not_found', 'There is no playlist of this id or slug for you.');
}
