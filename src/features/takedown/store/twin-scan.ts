import { setImmediate as nextTurn } from 'node:timers/promises';
import { fold } from '../../../common/text/search-form.ts';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import { allArtists, creditedArtists } from './track-scan.ts';

/** The row ids that one step covers: some 10 ms. */
const RANGE = 10_000;
/** The chosen tracks that one step reads. */
const SLICE = 5_000;

/** Lengths of one recording differ by up to two seconds: suppliers round them, and count silence or not. */
const SPAN_SECONDS = 3;
const SHIFTS = [0, 1, 2];

/** What the search for twins needs to know of the chosen tracks. */
export interface Recordings {
  /** Without the empty one. */
  isrcs: Set<string>;
  /** The lengths of the tracks and of their twins, in seconds. */
  lengths: Set<number>;
  /** The works with their spans. */
  keys: Set<string>;
  sameArtists: SameArtists;
}

/** By the row id of an artist: the first artist whose name is the same without case and accents, if it is another one. */
type SameArtists = ReadonlyMap<number, number>;

type Database = Pick<SqlDatabase, 'queries' | 'dialect'>;

export async function readRecordings(
  database: Database,
  rowIds: readonly number[],
): Promise<Recordings> {
  const sameArtists = await readSameArtists(database);
  const found = {
    isrcs: new Set(),
    lengths: new Set(),
    keys: new Set(),
    sameArtists,
  } as Recordings;
  for (let from = 0; from < rowIds.length; from += SLICE) {
    const some = rowIds.slice(from, from + SLICE);
    const rows = await selectRecordings(database)
      .where(({ ref }) => database.dialect.isOneOf(ref('rowId'), some))
      .execute();
    for (const row of rows) {
      if (row.isrc !== '') found.isrcs.add(row.isrc);
      for (const key of keysOf(row, sameArtists)) found.keys.add(key);
      for (const shift of SHIFTS) {
        found.lengths.add(row.durationSeconds + shift).add(row.durationSeconds - shift);
      }
    }
  }
  return found;
}

/** Yields the row ids of the tracks that seem to be one of the recordings, in order. Reads all tracks. */
export async function* tracksLike(
  database: Database,
  { lengths, keys, sameArtists }: Recordings,
): AsyncGenerator<number> {
  if (keys.size === 0) return;
  const withLength = (query: RecordingQuery) =>
    query.where(({ ref }) => database.dialect.isOneOf(ref('durationSeconds'), [...lengths]));
  for await (const rows of recordingSlices(database, withLength)) {
    for (const row of rows) {
      if (keysOf(row, sameArtists).some((key) => keys.has(key))) yield row.rowId;
    }
  }
}

/** Reads all artists. */
export async function readSameArtists({
  queries,
}: Pick<Database, 'queries'>): Promise<SameArtists> {
  const first = new Map<string, number>();
  const same = new Map<number, number>();
  for await (const artists of allArtists(queries)) {
    for (const { rowId, name } of artists) {
      const folded = fold(name);
      const known = first.get(folded);
      if (folded === '' || known === undefined) first.set(folded, rowId);
      else same.set(rowId, known);
    }
  }
  return same;
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

interface Recording {
  name: string;
  artists: string;
  durationSeconds: number;
}

/**
 * Returns the name of a track with each of its artists. None without a letter or digit in the name, or without an artist:
 * effects of one name are many recordings.
 */
export function worksOf({ name, artists }: Recording, sameArtists: SameArtists): string[] {
  const folded = fold(name);
  if (folded === '') return [];
  const rowIds = creditedArtists(artists).map((rowId) => sameArtists.get(rowId) ?? rowId);
  return [...new Set(rowIds)].map((rowId) => `${rowId}/${folded}`);
}

/** Returns numbers of which two tracks have one in common if their lengths differ by two seconds at most. */
export function spansOf({ durationSeconds }: Recording): number[] {
  return SHIFTS.map(
    (shift) => SPAN_SECONDS * Math.floor((durationSeconds + shift) / SPAN_SECONDS) + shift,
  );
}

function keysOf(row: Recording, sameArtists: SameArtists): string[] {
  const spans = spansOf(row);
  return worksOf(row, sameArtists).flatMap((work) => spans.map((span) => `${span}/${work}`));
}
