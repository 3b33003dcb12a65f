import { StaveError } from '../../common/errors.ts';
import { unknownTrack } from '../catalog/track.ts';

export interface Playlist {
  id: string;
  name: string;
  slug: string;
  description: string;
  /** In milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}

/** A playlist with the sums over its live tracks. Tracks that were taken down keep their position but do not count. */
export interface PlaylistSummary extends Playlist {
  trackCount: number;
  durationSeconds: number;
}

/** A playlist with its tracks in order, including those that were taken down. */
export interface PlaylistWithTracks extends Playlist {
  trackIds: string[];
}

/** The playlist with the change applied; the same object if the change makes no difference. */
export function editedPlaylist(
  before: Playlist,
  { name = before.name, description = before.description }: Partial<Playlist>,
  updatedAt: number,
): Playlist {
  const isSame = name === before.name && description === before.description;
  return isSame ? before : { ...before, name, description, updatedAt };
}

/** Throws conflict if a track occurs twice, and not_found if one is not in `known`. */
export function checkTrackList(
  trackIds: readonly string[],
  known: { has(trackId: string): boolean },
): void {
  const seen = new Set<string>();
  for (const id of trackIds) {
    if (seen.has(id)) {
      throw new StaveError(
        'conflict',
        `The track ${id} is listed twice; a playlist holds it once.`,
      );
    }
    if (!known.has(id)) throw unknownTrack(id);
    seen.add(id);
  }
}

export function playlistExists(id: string): StaveError {
  return new StaveError('conflict', `There is a playlist ${id} already.`);
}
