import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import { TrackSums } from './track-sums.ts';
import { ALL_TRACKS } from './usage-rows.ts';

/** The most events of the days that one statement reads: about 50 ms. A day with more is read alone. */
const EVENTS_AT_ONCE = 50_000;

/** The last day is included. */
export interface Days {
  first: number;
  last: number;
}

/** Stored sums. They are right if the days still have as many events. */
interface StoredSums extends Days {
  events: number;
}

/**
 * Returns the sums of each track in a range of days. Reads stored sums that are still right, and the rows of the other
 * days.
 */
export async function trackSumsOf(
  database: SqlDatabase,
  source: number,
  range: Days,
): Promise<TrackSums> {
  const totals = await totalsOfDays(database, source, daysOf(range));
  const stored = await storedSums(database, source, range);
  const sums = new TrackSums();
  const { used, others } = choose(range, totals, stored);
  for await (const { days, encoded } of ahead(used, (one) => readStored(database, source, one))) {
    if (encoded !== undefined) await finish(sums.addEncoded(encoded));
    // Another process may have deleted it meanwhile.
    else others.push(...daysOf(days).filter((day) => totals.has(day)));
  }
  const rows = ahead(slicesOf(others, totals), (some) => readRows(database, source, some));
  for await (const text of rows) await finish(sums.addText(text));
  return sums;
}

/**
 * Returns the number of events of each of these days that has any. A report raises it, and only a purge lowers it, so
 * while there was no purge, equal numbers mean equal events.
 */
export async function totalsOfDays(
  { aside, dialect }: SqlDatabase,
  source: number,
  days: readonly number[],
): Promise<Map<number, number>> {
  const rows = await aside
    .selectFrom('usageDays')
    .select(['day', sql<number>`cast(sum(events) AS bigint)`.as('events')])
    .where('sourceRowId', '=', source)
    .where(({ ref }) => dialect.isOneOf(ref('day'), days))
    .where('trackRowId', '=', ALL_TRACKS)
    .groupBy('day')
    .execute();
  return new Map(rows.map(({ day, events }) => [day, events]));
}

/** Returns the stored sums within a range since the last purge, by the first day, longest first. */
async function storedSums(
  { aside }: SqlDatabase,
  source: number,
  { first, last }: Days,
): Promise<StoredSums[]> {
  const rows = await aside
    .selectFrom('usageTrackSums as sums')
    .innerJoin('usageSources as source', 'source.rowId', 'sums.sourceRowId')
    .select(['sums.firstDay', 'sums.lastDay', 'sums.events'])
    .where('sums.sourceRowId', '=', source)
    .where('sums.firstDay', '>=', first)
    .where('sums.firstDay', '<=', last)
    .where('sums.lastDay', '<=', last)
    .whereRef('sums.purges', '=', 'source.purges')
    .orderBy('sums.firstDay')
    .orderBy('sums.lastDay', 'desc')
    .execute();
  return rows.map(({ firstDay, lastDay, events }) => ({ first: firstDay, last: lastDay, events }));
}

function daysOf({ first, last }: Days): number[] {
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}

export function keyOf({ first, last }: Days): string {
  return `${first} ${last}`;
}

export function totalOf(totals: ReadonlyMap<number, number>, { first, last }: Days): number {
  let total = 0;
  for (let day = first; day <= last; day++) total += totals.get(day) ?? 0;
  return total;
}

/** Chooses the stored sums to read, and the days whose rows must be read. */
function choose(
  { first, last }: Days,
  totals: ReadonlyMap<number, number>,
  stored: readonly StoredSums[],
): { used: Days[]; others: number[] } {
  const right = stored.filter((one) => one.events === totalOf(totals, one));
  const byFirst = Map.groupBy(right, (one) => one.first);
  const used: Days[] = [];
  const others: number[] = [];
  for (let day = first; day <= last; day++) {
    if (!totals.has(day)) continue;
    const longest = byFirst.get(day)?.[0];
    if (longest === undefined) others.push(day);
    else {
      used.push(longest);
      day = longest.last;
    }
  }
  return { used, others };
}

/** Divides days into slices for one statement each. */
function* slicesOf(
  days: readonly number[],
  totals: ReadonlyMap<number, number>,
): Generator<number[]> {
  let slice: number[] = [];
  let events = 0;
  for (const day of days) {
    const more = totals.get(day) ?? 0;
    if (slice.length > 0 && events + more > EVENTS_AT_ONCE) {
      yield slice;
      [slice, events] = [[], 0];
    }
    slice.push(day);
    events += more;
  }
  if (slice.length > 0) yield slice;
}

async function readStored({ aside }: SqlDatabase, source: number, days: Days) {
  const row = await aside
    .selectFrom('usageTrackSums')
    .select('sums')
    .where('sourceRowId', '=', source)
    .where('firstDay', '=', days.first)
    .where('lastDay', '=', days.last)
    .executeTakeFirst();
  return { days, encoded: row?.sums };
}

/** Reads the sums of days from their rows, as one text, because objects of so many rows would take longer. */
async function readRows(
  { aside, dialect }: SqlDatabase,
  source: number,
  days: readonly number[],
): Promise<string> {
  const { text } = await aside
    .selectFrom(
      aside
        .selectFrom('usageDays')
        .select(['trackRowId', 'type'])
        .select(({ fn }) => [fn.sum('events').as('events'), fn.sum('seconds').as('seconds')])
        .where('sourceRowId', '=', source)
        // For one day, SQLite need not sort the rows.
        .where(({ eb, ref }) =>
          days.length === 1 ? eb('day', '=', days[0]!) : dialect.isOneOf(ref('day'), days),
        )
        .where('trackRowId', '>', ALL_TRACKS)
        .groupBy(['trackRowId', 'type'])
        .as('sum'),
    )
    .select(({ ref }) =>
      sql<
        string | null
      >`string_agg(${ref('trackRowId')} || ' ' || ${ref('type')} || ' ' || ${ref('events')} || ' ' || ${ref('seconds')}, ' ')`.as(
        'text',
      ),
    )
    .executeTakeFirstOrThrow();
  return text ?? '';
}

/** Yields the results of reads in their order. Each read begins before the previous result is used. */
async function* ahead<Given, Result>(
  all: Iterable<Given>,
  read: (given: Given) => Promise<Result>,
): AsyncGenerator<Result> {
  let before: Promise<Result> | undefined;
  for (const given of all) {
    const reading = read(given);
    // The error is thrown by `await`. If an earlier read fails, nothing awaits this one.
    reading.catch(() => {});
    if (before !== undefined) yield await before;
    before = reading;
  }
  if (before !== undefined) yield await before;
}

/** Runs the steps, between which other work has its turn. Returns their result. */
export async function finish<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}
