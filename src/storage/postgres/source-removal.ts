import type { Clock } from '../../kernel/clock.ts';
import { type Cause, ChangeAppender } from './change-log.ts';
import type { Database, Transaction } from './database.ts';
import { releaseSlugs } from './slug-allocator.ts';

/** How many tracks one transaction removes: 20 ms of lock or so. */
const REMOVAL_SLICE = 300;

/**
 * Removes the tracks of a source in short transactions, with their licences, their places in
 * playlists, and what only they used. Killed half-way, it leaves whole tracks; repeat it.
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
  const tracks = await tx.rows<{ no: number; id: string; slug: string }>(
    'SELECT no, id, slug FROM tracks WHERE source = $1 ORDER BY no LIMIT $2',
    [source, REMOVAL_SLICE],
  );
  if (tracks.length === 0) return 0;
  const nos = tracks.map(({ no }) => no);
  const related = async <T>(sql: string): Promise<T[]> =>
    (await tx.rows<{ key: T }>(`${sql} = ANY($1::bigint[])`, [nos])).map(({ key }) => key);

  const playlists = await related<string>(`
    SELECT DISTINCT id AS key FROM playlist_tracks JOIN playlists ON no = playlist_no WHERE track_no`);
  const licences = await related<string>('SELECT external_id AS key FROM licences WHERE track_no');
  const artists = await related<number>(
    'SELECT DISTINCT artist_no AS key FROM track_artists WHERE track_no',
  );
  const filters = await related<number>(
    'SELECT DISTINCT filter_no AS key FROM track_filters WHERE track_no',
  );

  // Places and licences go with their track (ON DELETE CASCADE).
  await tx.run('DELETE FROM track_artists WHERE track_no = ANY($1::bigint[])', [nos]);
  await tx.run('DELETE FROM track_filters WHERE track_no = ANY($1::bigint[])', [nos]);
  await tx.run('DELETE FROM tracks WHERE no = ANY($1::bigint[])', [nos]);
  await tx.run('UPDATE removed_numbers SET greatest = greatest(greatest, $1::bigint)', [
    nos.at(-1)!,
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
  await changes.appendAll(tx, 'licence', each('removed' as const, licences), cause);
  await changes.appendAll(tx, 'playlist', each('updated' as const, playlists), cause);
  const ids = tracks.map(({ id }) => id);
  await changes.appendAll(tx, 'track', each('removed' as const, ids), cause);
  return tracks.length;
}

async function removeUnused(
  tx: Transaction,
  artistNos: readonly number[],
  filterNos: readonly number[],
): Promise<void> {
  await tx.run(
    `DELETE FROM artists WHERE no = ANY($1::bigint[])
     AND NOT EXISTS (SELECT 1 FROM track_artists WHERE artist_no = artists.no)`,
    [artistNos],
  );
  const filters = await tx.rows<{ slug: string }>(
    `DELETE FROM filters WHERE no = ANY($1::bigint[])
     AND NOT EXISTS (SELECT 1 FROM track_filters WHERE filter_no = filters.no) RETURNING slug`,
    [filterNos],
  );
  await releaseSlugs(
    tx,
    'filter',
    filters.map(({ slug }) => slug),
  );
}
