import type { Clock } from '../../common/clock.ts';
import { type Cause, ChangeAppender } from './change-log.ts';
import type { Database } from './database.ts';
import { releaseSlug } from './slug-allocator.ts';

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
  const changes = new ChangeAppender(database, clock);
  let removed = 0;
  for (;;) {
    const slice = await database.write(() => removeSlice(database, clock, changes, source, cause));
    if (slice === 0) return removed;
    removed += slice;
  }
}

function removeSlice(
  database: Database,
  clock: Clock,
  changes: ChangeAppender,
  source: string,
  cause: Cause,
): number {
  const tracks = database
    .prepare(
      'SELECT row_id AS rowId, id, slug FROM tracks WHERE source = ? ORDER BY row_id LIMIT ?',
    )
    .all(source, REMOVAL_SLICE) as { rowId: number; id: string; slug: string }[];
  if (tracks.length === 0) return 0;
  const rowIds = JSON.stringify(tracks.map(({ rowId }) => rowId));
  const related = (sql: string): string[] =>
    database.prepare(`${sql} IN (SELECT value FROM json_each(?))`).all(rowIds).map(firstColumn);

  const playlists = related(`
    SELECT DISTINCT id FROM playlist_tracks JOIN playlists ON row_id = playlist_row_id WHERE track_row_id`);
  const licenses = related('SELECT external_id FROM licenses WHERE track_row_id');
  const artists = related('SELECT DISTINCT artist_row_id FROM track_artists WHERE track_row_id');
  const filters = related('SELECT DISTINCT filter_row_id FROM track_filters WHERE track_row_id');

  // Positions in playlists, licenses and relations are deleted with their track (ON DELETE CASCADE).
  database
    .prepare('DELETE FROM tracks WHERE row_id IN (SELECT value FROM json_each(?))')
    .run(rowIds);
  database
    .prepare('UPDATE removed_numbers SET greatest = max(greatest, ?)')
    .run(tracks.at(-1)!.rowId);
  for (const { slug } of tracks) releaseSlug(database, 'track', slug);
  removeUnused(database, artists, filters);
  touchPlaylists(database, clock, playlists);

  const each = <Kind>(kind: Kind, ids: readonly string[]) =>
    ids.map((id): [Kind, string] => [kind, id]);
  changes.appendAll('license', each('removed' as const, licenses), cause);
  changes.appendAll('playlist', each('updated' as const, playlists), cause);
  const ids = tracks.map(({ id }) => id);
  changes.appendAll('track', each('removed' as const, ids), cause);
  return tracks.length;
}

function removeUnused(
  database: Database,
  artistRowIds: readonly unknown[],
  filterRowIds: readonly unknown[],
): void {
  database
    .prepare(`
      DELETE FROM artists WHERE row_id IN (SELECT value FROM json_each(?))
      AND NOT EXISTS (SELECT 1 FROM track_artists WHERE artist_row_id = artists.row_id)`)
    .run(JSON.stringify(artistRowIds));
  const slugs = database
    .prepare(`
      DELETE FROM filters WHERE row_id IN (SELECT value FROM json_each(?))
      AND NOT EXISTS (SELECT 1 FROM track_filters WHERE filter_row_id = filters.row_id) RETURNING slug`)
    .all(JSON.stringify(filterRowIds))
    .map(firstColumn);
  for (const slug of slugs) releaseSlug(database, 'filter', slug);
}

function touchPlaylists(database: Database, clock: Clock, ids: readonly string[]): void {
  database
    .prepare('UPDATE playlists SET updated_at = ? WHERE id IN (SELECT value FROM json_each(?))')
    .run(clock.now(), JSON.stringify(ids));
}

function firstColumn(row: Record<string, unknown>): string {
  return Object.values(row)[0] as string;
}
