import type { Clock } from '../../kernel/clock.ts';
import { type Cause, ChangeAppender } from './change-log.ts';
import type { Database } from './database.ts';
import { releaseSlug } from './slug-allocator.ts';

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
    .prepare('SELECT no, id, slug FROM tracks WHERE source = ? ORDER BY no LIMIT ?')
    .all(source, REMOVAL_SLICE) as { no: number; id: string; slug: string }[];
  if (tracks.length === 0) return 0;
  const nos = JSON.stringify(tracks.map(({ no }) => no));
  const related = (sql: string): string[] =>
    database.prepare(`${sql} IN (SELECT value FROM json_each(?))`).all(nos).map(firstColumn);

  const playlists = related(`
    SELECT DISTINCT id FROM playlist_tracks JOIN playlists ON no = playlist_no WHERE track_no`);
  const licences = related('SELECT external_id FROM licences WHERE track_no');
  const artists = related('SELECT DISTINCT artist_no FROM track_artists WHERE track_no');
  const filters = related('SELECT DISTINCT filter_no FROM track_filters WHERE track_no');

  // Places, licences and relations go with their track (ON DELETE CASCADE).
  database.prepare('DELETE FROM tracks WHERE no IN (SELECT value FROM json_each(?))').run(nos);
  database.prepare('UPDATE removed_numbers SET greatest = max(greatest, ?)').run(tracks.at(-1)!.no);
  for (const { slug } of tracks) releaseSlug(database, 'track', slug);
  removeUnused(database, artists, filters);
  touchPlaylists(database, clock, playlists);

  const each = <Kind>(kind: Kind, ids: readonly string[]) =>
    ids.map((id): [Kind, string] => [kind, id]);
  changes.appendAll('licence', each('removed' as const, licences), cause);
  changes.appendAll('playlist', each('updated' as const, playlists), cause);
  const ids = tracks.map(({ id }) => id);
  changes.appendAll('track', each('removed' as const, ids), cause);
  return tracks.length;
}

function removeUnused(
  database: Database,
  artistNos: readonly unknown[],
  filterNos: readonly unknown[],
): void {
  database
    .prepare(`
      DELETE FROM artists WHERE no IN (SELECT value FROM json_each(?))
      AND NOT EXISTS (SELECT 1 FROM track_artists WHERE artist_no = artists.no)`)
    .run(JSON.stringify(artistNos));
  const slugs = database
    .prepare(`
      DELETE FROM filters WHERE no IN (SELECT value FROM json_each(?))
      AND NOT EXISTS (SELECT 1 FROM track_filters WHERE filter_no = filters.no) RETURNING slug`)
    .all(JSON.stringify(filterNos))
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
