import type { Clock } from '../../common/clock.ts';
import { type Cause, ChangeAppender } from './change-log.ts';
import type { Database, Transaction } from './database.ts';
import { releaseSlugs } from './slug-allocator.ts';

/** The number of tracks that one transaction removes; it holds the lock for about 20 ms. */
const REMOVAL_SLICE = 300;

/**
 * Removes the tracks of a source in short transactions, with their licenses, their positions in playlists,
 * and what only they used. If it is killed, each track is either complete or removed; run it again.
 */
export async function removeSource(
  database: Database,
  clock: Clock,
  source: string,
  cause: Cause,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const slice = await database.write((tx) => removeSlice(tx, clock, source, cause));
    if (slice === 0) return removed;
    removed += slice;
  }
}

async function removeSlice(
  tx: Transaction,
  clock: Clock,
  source: string,
  cause: Cause,
): Promise<number> {
  const tracks = await tx.rows<{ rowId: number; id: string; slug: string }>(
    'SELECT row_id AS "rowId", id, slug FROM tracks WHERE source = $1 ORDER BY row_id LIMIT $2',
    [source, REMOVAL_SLICE],
  );
  if (tracks.length === 0) return 0;
  const rowIds = tracks.map(({ rowId }) => rowId);
  const related = async <T>(sql: string): Promise<T[]> =>
    (await tx.rows<{ key: T }>(`${sql} = ANY($1::bigint[])`, [rowIds])).map(({ key }) => key);

  const playlists = await related<string>(`
    SELECT DISTINCT id AS key FROM playlist_tracks JOIN playlists ON row_id = playlist_row_id WHERE track_row_id`);
  const licenses = await related<string>(
    'SELECT external_id AS key FROM licenses WHERE track_row_id',
  );
  const artists = await related<number>(
    'SELECT DISTINCT artist_row_id AS key FROM track_artists WHERE track_row_id',
  );
  const filters = await related<number>(
    'SELECT DISTINCT filter_row_id AS key FROM track_filters WHERE track_row_id',
  );

  // Positions in playlists and licenses are deleted with their track (ON DELETE CASCADE).
  await tx.run('DELETE FROM track_artists WHERE track_row_id = ANY($1::bigint[])', [rowIds]);
  await tx.run('DELETE FROM track_filters WHERE track_row_id = ANY($1::bigint[])', [rowIds]);
  await tx.run('DELETE FROM former_tracks WHERE track_row_id = ANY($1::bigint[])', [rowIds]);
  await tx.run('DELETE FROM tracks WHERE row_id = ANY($1::bigint[])', [rowIds]);
  await tx.run('UPDATE removed_numbers SET greatest = greatest(greatest, $1::bigint)', [
    rowIds.at(-1)!,
  ]);
  await releaseSlugs(
    tx,
    'track',
    tracks.map(({ slug }) => slug),
  );
  await removeUnused(tx, artists, filters);
  await tx.run('UPDATE playlists SET updated_at = $1 WHERE id = ANY($2::text[])', [
    clock.now(),
    playlists,
  ]);

  const changes = new ChangeAppender(clock);
  const each = <Kind>(kind: Kind, ids: readonly string[]) =>
    ids.map((id): [Kind, string] => [kind, id]);
  await changes.appendAll(tx, 'license', each('removed' as const, licenses), cause);
  await changes.appendAll(tx, 'playlist', each('updated' as const, playlists), cause);
  const ids = tracks.map(({ id }) => id);
  await changes.appendAll(tx, 'track', each('removed' as const, ids), cause);
  return tracks.length;
}

async function removeUnused(
  tx: Transaction,
  artistRowIds: readonly number[],
  filterRowIds: readonly number[],
): Promise<void> {
  await tx.run(
    `DELETE FROM artists WHERE row_id = ANY($1::bigint[])
     AND NOT EXISTS (SELECT 1 FROM track_artists WHERE artist_row_id = artists.row_id)`,
    [artistRowIds],
  );
  const filters = await tx.rows<{ slug: string }>(
    `DELETE FROM filters WHERE row_id = ANY($1::bigint[])
     AND NOT EXISTS (SELECT 1 FROM track_filters WHERE filter_row_id = filters.row_id) RETURNING slug`,
    [filterRowIds],
  );
  await releaseSlugs(
    tx,
    'filter',
    filters.map(({ slug }) => slug),
  );
}
