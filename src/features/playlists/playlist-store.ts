import type { Actor } from '../../common/caller.ts';
import type { Playlist, PlaylistSummary, PlaylistWithTracks } from './playlist.ts';

/** Playlists and their grants in the system of record. Each change is logged. */
export interface PlaylistStore {
  /** Creates a playlist with a slug. The tracks are checked as in setTracks. */
  create(
    playlist: Omit<Playlist, 'slug'>,
    trackIds: readonly string[],
    by: Actor,
  ): Promise<Playlist>;
  /** Changes the given members. The slug stays the same. Throws not_found. */
  update(id: string, change: { name?: string; description?: string }, by: Actor): Promise<Playlist>;
  /** Deletes a playlist. Throws not_found. */
  delete(id: string, by: Actor): Promise<void>;
  /**
   * Replaces the list of tracks. Throws `not_found` for unknown tracks and `conflict` for repeated ones, and
   * changes nothing then. An equal list changes and logs nothing. If `expected` is given and is not the
   * present list, changes nothing and returns false; this is checked under the write lock.
   */
  setTracks(
    id: string,
    trackIds: readonly string[],
    by: Actor,
    expected?: readonly string[],
  ): Promise<boolean>;
  /**
   * Grants a playlist. Returns false if the client already has the grant. Throws not_found for an unknown
   * playlist or client.
   */
  grant(id: string, clientId: string, by: Actor): Promise<boolean>;
  /** Revokes a grant. Returns false if there is none. Throws not_found for an unknown playlist or client. */
  revoke(id: string, clientId: string, by: Actor): Promise<boolean>;
  /**
   * Finds a playlist by slug or id; with a client, only one that is granted to it. A playlist that is granted
   * only to others then costs the same work as an unknown one, so that a caller cannot distinguish them by
   * time. The work grows with the number of the client's own grants.
   */
  find(slugOrId: string, grantedTo?: string): Promise<PlaylistWithTracks | undefined>;
  /** A playlist that is granted to the client, found as in `find`, with the sums over its live tracks. */
  summary(slugOrId: string, grantedTo: string): Promise<PlaylistSummary | undefined>;
  /** All playlists, or those granted to a client, ordered by name and then by id. */
  list(filter: { clientId?: string }): Promise<PlaylistSummary[]>;
  grantsOf(id: string): Promise<string[]>;
}
