import { type Playlist, unknownPlaylist } from '../../catalog/playlist.ts';
import { isUuid } from '../../common/ids.ts';
import type { Queries } from './database.ts';

/**
 * The columns of a playlist without its row id. They are named, because a newer version may have added
 * columns.
 */
export const PLAYLIST_COLUMNS = [
  'id',
  'name',
  'slug',
  'description',
  'createdAt',
  'updatedAt',
] as const;

/** A playlist with its row id. */
export type StoredPlaylist = Playlist & { rowId: number };

/** Returns the ids of the tracks of a playlist, in order. */
export async function trackIds(queries: Queries, playlistRowId: number): Promise<string[]> {
  const tracks = await queries
    .selectFrom('playlistTracks')
    .innerJoin('tracks', 'tracks.rowId', 'playlistTracks.trackRowId')
    .select('tracks.id')
    .where('playlistRowId', '=', playlistRowId)
    .orderBy('position')
    .execute();
  return tracks.map(({ id }) => id);
}

/** Finds a playlist by its id or slug. */
export function findPlaylist(
  queries: Queries,
  key: 'id' | 'slug',
  value: string,
): Promise<StoredPlaylist | undefined> {
  return queries
    .selectFrom('playlists')
    .select('rowId')
    .select(PLAYLIST_COLUMNS)
    .where(key, '=', value)
    .executeTakeFirst();
}

/** Finds a playlist by its id; throws not_found. */
export async function existingPlaylist(queries: Queries, id: string): Promise<StoredPlaylist> {
  const playlist = await findPlaylist(queries, 'id', id);
  if (playlist === undefined) throw unknownPlaylist(id);
  return playlist;
}

/** Finds a playlist by its slug or id; with a client, only if it is granted to that client. */
export function findNamedPlaylist(
  queries: Queries,
  slugOrId: string,
  grantedTo: string | undefined,
): Promise<StoredPlaylist | undefined> {
  const [key, value] = isUuid(slugOrId)
    ? (['id', slugOrId.toLowerCase()] as const)
    : (['slug', slugOrId] as const);
  return grantedTo === undefined
    ? findPlaylist(queries, key, value)
    : findGranted(queries, key, value, grantedTo);
}

/**
 * Reads the grants of the client and compares them. A lookup in an index of all ids or slugs would take
 * longer for a playlist of another client than for a missing one.
 */
function findGranted(
  queries: Queries,
  key: 'id' | 'slug',
  value: string,
  clientId: string,
): Promise<StoredPlaylist | undefined> {
  return queries
    .with(
      (cte) => cte('granted').materialized(),
      (cte) =>
        cte
          .selectFrom('playlistGrants')
          .innerJoin('playlists', 'playlists.rowId', 'playlistGrants.playlistRowId')
          .select(['playlists.rowId', `playlists.${key} as name`])
          .where('clientRowId', '=', ({ selectFrom }) =>
            selectFrom('clients').select('clients.rowId').where('clients.id', '=', clientId),
          ),
    )
    .selectFrom('playlists')
    .select('rowId')
    .select(PLAYLIST_COLUMNS)
    .where('rowId', '=', ({ selectFrom }) =>
      selectFrom('granted').select('granted.rowId').where('granted.name', '=', value),
    )
    .executeTakeFirst();
}
