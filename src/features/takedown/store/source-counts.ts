import { hash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import { LIVE_OR_UNAVAILABLE } from '../../availability/store/track-period.ts';
import type { SourceCounts } from '../found-track.ts';
import { readSameArtists, recordingSlices, spansOf, worksOf } from './twin-scan.ts';

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
 * Counts the tracks of each source that seem to be the same recording as another one. Takes some 100 bytes of memory for
 * each artist of a track.
 */
async function countDuplicates(
  database: SqlDatabase,
  sources: readonly { source: string }[],
): Promise<Uint32Array> {
  const places = new Map(sources.map(({ source }, i) => [source, i]));
  const sameArtists = await readSameArtists(database);
  const placeOf: number[] = [];
  // What tells recordings apart, and the track that has it.
  const marks: number[] = [];
  const owners: number[] = [];
  const inCatalog = sql<SqlBool>`${sql.raw(LIVE_OR_UNAVAILABLE)}`;
  for await (const rows of recordingSlices(database, (query) => query.where(inCatalog))) {
    for (const row of rows) {
      const place = places.get(row.source);
      // A source that was added meanwhile.
      if (place === undefined) continue;
      const spans = spansOf(row);
      const ofRow = worksOf(row, sameArtists).flatMap((work) => {
        const hashed = hashOf(work);
        return spans.map((span) => hashed + span * SPAN);
      });
      if (row.isrc !== '') ofRow.push(hashOf(row.isrc));
      for (const mark of ofRow) {
        marks.push(mark);
        owners.push(placeOf.length);
      }
      placeOf.push(place);
    }
  }
  const shared = repeated(Float64Array.from(marks));
  const found = new Set(owners.filter((_, i) => shared.has(marks[i]!)));
  const duplicates = new Uint32Array(sources.length);
  for (const track of found) duplicates[placeOf[track]!]!++;
  return duplicates;
}

/** Keeps the sum of a hash and a span exact: a span has up to 17 bits. */
const SPAN = 2 ** 33;

/** Returns 52 bits: two of a million are equal by chance in one of 9,000 catalogs. */
function hashOf(text: string): number {
  return Number.parseInt(hash('sha1', text).slice(0, 13), 16);
}

/** Sorts the values. */
function repeated(values: Float64Array): ReadonlySet<number> {
  values.sort();
  return new Set(values.filter((value, i) => value === values[i - 1]));
}
