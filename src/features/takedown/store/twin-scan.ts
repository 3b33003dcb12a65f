import { setImmediate as nextTurn } from 'node:timers/promises';
import { fold } from '../../../common/text/search-form.ts';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import { creditedArtists } from './track-scan.ts';

/** The row ids that one step covers: some 10 ms. */
const RANGE = 10_000;
/** The chosen tracks that one step reads. */
const SLICE = 5_000;

/** What the search for twins needs to know of the chosen tracks. */
export interface Recordings {
  /** Without the empty one. */
  isrcs: Set<string>;
  /** The lengths of tracks with a name, in seconds. */
  lengths: Set<number>;
  /** The names with their artists and lengths. */
  keys: Set<string>;
}

type Database = Pick<SqlDatabase, 'queries' | 'dialect'>;

export async function readRecordings(
  database: Database,
  rowIds: readonly number[],
): Promise<Recordings> {
  const found: Recordings = { isrcs: new Set(), lengths: new Set(), keys: new Set() };
  for (let from = 0; from < rowIds.length; from += SLICE) {
    const some = rowIds.slice(from, from + SLICE);
    const rows = await selectRecordings(database)
      .where(({ ref }) => database.dialect.isOneOf(ref('rowId'), some))
      .execute();
    for (const row of rows) {
      if (row.isrc !== '') found.isrcs.add(row.isrc);
      const key = keyOf(row);
      if (key === undefined) continue;
      found.keys.add(key);
      found.lengths.add(row.durationSeconds);
    }
  }
  return found;
}

/** Yields the row ids of the tracks with the name, the artists and the length of a recording, in order. Reads all tracks. */
export async function* tracksLike(
  database: Database,
  { lengths, keys }: Recordings,
): AsyncGenerator<number> {
  if (keys.size === 0) return;
  const withLength = (query: RecordingQuery) =>
    query.where(({ ref }) => database.dialect.isOneOf(ref('durationSeconds'), [...lengths]));
  for await (const rows of recordingSlices(database, withLength)) {
    for (const row of rows) {
      const key = keyOf(row);
      if (key !== undefined && keys.has(key)) yield row.rowId;
    }
  }
}

/** Yields what tells recordings apart, of the tracks that meet a condition, in the order of row ids. Reads all tracks. */
export async function* recordingSlices(
  database: Database,
  restricted: (query: RecordingQuery) => RecordingQuery,
) {
  const newest = await database.queries
    .selectFrom('tracks')
    .select(({ fn }) => fn.max<number | null>('rowId').as('rowId'))
    .executeTakeFirstOrThrow();
  const end = newest.rowId ?? 0;
  for (let after = 0; after < end; after += RANGE) {
    yield await restricted(selectRecordings(database))
      .where('rowId', '>', after)
      .where('rowId', '<=', after + RANGE)
      .orderBy('rowId')
      .execute();
    await nextTurn();
  }
}

function selectRecordings({ queries }: Database) {
  return queries
    .selectFrom('tracks')
    .select(['rowId', 'source', 'name', 'artists', 'durationSeconds', 'isrc']);
}

type RecordingQuery = ReturnType<typeof selectRecordings>;

/** Undefined without a letter or digit in the name, or without an artist: effects of one name are many recordings. */
export function keyOf(row: {
  name: string;
  artists: string;
  durationSeconds: number;
}): string | undefined {
  const name = fold(row.name);
  const artists = [...new Set(creditedArtists(row.artists))].sort((a, b) => a - b);
  if (name === '' || artists.length === 0) return undefined;
  return `${row.durationSeconds}/${artists.join()}/${name}`;
}
