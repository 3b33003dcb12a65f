import { sql } from 'kysely';
import { nameOf } from '../../../common/ids.ts';
import { compiledOnce, type Queries } from '../../../engines/sql/database.ts';
import { unknownPlaylist } from '../../languages/translations.ts';
import type { Playlist } from '../playlist.ts';

/** The columns of a playlist without its row id. A newer version may have added others. */
const PLAYLIST_COLUMNS = ['id', 'name', 'slug', 'description', 'createdAt', 'updatedAt'] as const;

export type StoredPlaylist = Playlist & { rowId: number };

const selectTrackIds = compiledOnce((queries, { playlistRowId }: { playlistRowId: number }) =>
  queries
    .selectFrom('playlistTracks')
    .innerJoin('tracks', 'tracks.rowId', 'playlistTracks.trackRowId')
    .select('tracks.id')
    .where('playlistRowId', '=', playlistRowId)
    .orderBy('position'),
);

export async function trackIds(queries: Queries, playlistRowId: number): Promise<string[]> {
  const tracks = await selectTrackIds(queries, { playlistRowId });
  return tracks.map(({ id }) => id);
}

type PlaylistKey = 'id' | 'slug';

const selectBy = (key: PlaylistKey) =>
  compiledOnce((queries, { value }: { value: string }) =>
    queries.selectFrom('playlists').select('rowId').select(PLAYLIST_COLUMNS).where(key, '=', value),
  );
const SELECT = { id: selectBy('id'), slug: selectBy('slug') };

export async function findPlaylist(
  queries: Queries,
  key: PlaylistKey,
  value: string,
): Promise<StoredPlaylist | undefined> {
  return (await SELECT[key](queries, { value }))[0];
}

/** Finds a playlist by its id; throws not_found. */
export async function existingPlaylist(queries: Queries, id: string): Promise<StoredPlaylist> {
  const playlist = await findPlaylist(queries, 'id', id);
  if (playlist === undefined) throw unknownPlaylist(id);
  return playlist;
}

/** Finds a playlist by its slug or id; with a client, only if it is granted to that client. */
export async function findNamedPlaylist(
  queries: Queries,
  slugOrId: string,
  grantedTo: string | undefined,
): Promise<StoredPlaylist | undefined> {
  const { column, key } = nameOf(slugOrId);
  if (grantedTo === undefined) return findPlaylist(queries, column, key);
  return (await SELECT_GRANTED[column](queries, { value: key, clientId: grantedTo }))[0];
}

/**
 * Reads the grants of the client and compares them. A lookup in an index of all ids or slugs would take
 * longer for a playlist of another client than for a missing one.
 */
const selectGrantedBy = (key: PlaylistKey) =>
  compiledOnce((queries, { value, clientId }: { value: string; clientId: string }) =>
    queries
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
      ),
  );
const SELECT_GRANTED = { id: selectGrantedBy('id'), slug: selectGrantedBy('slug') };

/** Returns the number of the live tracks of a playlist, and the sum of their seconds. */
export const sumsOf = compiledOnce((queries, { rowId }: { rowId: number }) =>
  queries
    .selectFrom('playlistTracks')
    .innerJoin('tracks', (join) =>
      join.onRef('tracks.rowId', '=', 'playlistTracks.trackRowId').on('tracks.state', '=', 'live'),
    )
    .select(({ fn }) => [fn.countAll<number>().as('trackCount'), totalSeconds()])
    .where('playlistRowId', '=', rowId),
);

/** Returns all playlists with the numbers and the seconds of their live tracks. */
export const selectSummaries = compiledOnce((queries) => summaries(queries));

/** Likewise for the playlists that are granted to a client. */
export const selectGrantedSummaries = compiledOnce((queries, { clientId }: { clientId: string }) =>
  summaries(queries).where('playlists.rowId', 'in', ({ selectFrom }) =>
    selectFrom('playlistGrants')
      .innerJoin('clients', 'clients.rowId', 'playlistGrants.clientRowId')
      .select('playlistRowId')
      .where('clients.id', '=', clientId),
  ),
);

function summaries(queries: Queries) {
  return queries
    .selectFrom('playlists')
    .leftJoin('playlistTracks', 'playlistTracks.playlistRowId', 'playlists.rowId')
    .leftJoin('tracks', (join) =>
      join.onRef('tracks.rowId', '=', 'playlistTracks.trackRowId').on('tracks.state', '=', 'live'),
    )
    .select(PLAYLIST_COLUMNS.map((name) => `playlists.${name}` as const))
    .select(({ fn }) => [fn.count<number>('tracks.rowId').as('trackCount'), totalSeconds()])
    .groupBy('playlists.rowId')
    .orderBy('playlists.name')
    .orderBy('playlists.id');
}

/** Returns the sum of the seconds of all joined tracks, as an integer in both databases. */
function totalSeconds() {
  return sql<number>`cast(coalesce(sum(tracks.duration_seconds), 0) AS bigint)`.as(
    'durationSeconds',
  );
}
