import { hash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import { LIVE_OR_UNAVAILABLE } from '../../availability/store/track-period.ts';
import type { SourceCounts } from '../found-track.ts';
import { keyOf, recordingSlices } from './twin-scan.ts';

export async function countSources(database: SqlDatabase): Promise<SourceCounts[]> {
  const rows = await database.aside
    .selectFrom('tracks')
    .select(({ fn }) => [
      'source',
      countOf(LIVE_OR_UNAVAILABLE).as('tracks'),
      countOf(`NOT ${LIVE_OR_UNAVAILABLE}`).as('takenDown'),
      countOf(`${LIVE_OR_UNAVAILABLE} AND audio_key IS NULL`).as('withoutAudio'),
      countOf(`${LIVE_OR_UNAVAILABLE} AND isrc = ''`).as('withoutIsrc'),
      countOf(`${LIVE_OR_UNAVAILABLE} AND artwork_key IS NULL`).as('withoutArtwork'),
      countOf(`${LIVE_OR_UNAVAILABLE} AND next_switch_at IS NOT NULL`).as('comingSwitches'),
      fn.min<number | null>(COMING).as('nextSwitchAt'),
    ])
    .groupBy('source')
    .orderBy('source')
    .execute();
  const duplicates = await countDuplicates(database, rows);
  return rows.map((row, i) => ({ ...row, duplicates: duplicates[i]! }));
}

const COMING = sql<number>`CASE WHEN ${sql.raw(LIVE_OR_UNAVAILABLE)} THEN next_switch_at END`;

function countOf(condition: string) {
  return sql<number>`cast(sum(CASE WHEN ${sql.raw(condition)} THEN 1 ELSE 0 END) AS bigint)`;
}

/**
 * Counts the tracks of each source that seem to be the same recording as another one. Takes up to 100 bytes of memory a
 * track. Tracks that are added meanwhile may be left out.
 */
async function countDuplicates(
  database: SqlDatabase,
  sources: readonly { source: string; tracks: number }[],
): Promise<Uint32Array> {
  const places = new Map(sources.map(({ source }, i) => [source, i]));
  const most = sources.reduce((sum, { tracks }) => sum + tracks, 0);
  const [recordings, isrcs] = [new Float64Array(most), new Float64Array(most)];
  const placeOf = new Uint32Array(most);
  const inCatalog = sql<SqlBool>`${sql.raw(LIVE_OR_UNAVAILABLE)}`;
  let count = 0;
  for await (const rows of recordingSlices(database, (query) => query.where(inCatalog))) {
    for (const row of rows) {
      const place = places.get(row.source);
      if (place === undefined || count === most) continue;
      placeOf[count] = place;
      // What is unknown is different in each track.
      recordings[count] = hashOf(keyOf(row) ?? String(count));
      isrcs[count] = hashOf(row.isrc || String(count));
      count++;
    }
  }
  const [sharedRecordings, sharedIsrcs] = [repeated(recordings), repeated(isrcs)];
  const duplicates = new Uint32Array(sources.length);
  for (let i = 0; i < count; i++) {
    const isShared = sharedRecordings.has(recordings[i]!) || sharedIsrcs.has(isrcs[i]!);
    if (isShared) duplicates[placeOf[i]!]!++;
  }
  return duplicates;
}

/** Returns 52 bits: two of a million are equal by chance in one of 9,000 catalogs. */
function hashOf(text: string): number {
  return Number.parseInt(hash('sha1', text).slice(0, 13), 16);
}

function repeated(values: Float64Array): ReadonlySet<number> {
  const sorted = values.toSorted();
  return new Set(sorted.filter((value, i) => value === sorted[i - 1]));
}
