import { DAY_MS } from '../../../common/clock.ts';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import { monthOf } from '../usage.ts';
import { usedDays } from './usage-days.ts';
import { TYPE_NUMBERS } from './usage-rows.ts';
import {
  type Days,
  finish,
  keyOf,
  totalOf,
  totalsOfDays,
  trackSumsOf,
} from './usage-track-sums.ts';

/** The rows of fewer events are read as fast as stored sums. */
const MIN_EVENTS = 1_000;

/**
 * Stores the sums of tracks of each day and month before a day that have many events, unless the stored ones are still
 * right. Deletes other stored sums. Two processes may do it at the same time.
 */
export async function storeTrackSums(
  database: SqlDatabase,
  before: number,
  signal?: AbortSignal,
): Promise<void> {
  const sources = await database.queries
    .selectFrom('usageSources')
    .select(['rowId', 'purges'])
    .execute();
  for (const { rowId: source, purges } of sources) {
    const totals = await totalsBefore(database, source, before);
    const others = new Map<string, KnownSums>();
    for (const known of await knownSums(database, source)) others.set(keyOf(known), known);
    for (const days of daysAndMonths([...totals.keys()], before)) {
      if (signal?.aborted) return;
      const events = totalOf(totals, days);
      if (events < MIN_EVENTS) continue;
      const known = others.get(keyOf(days));
      others.delete(keyOf(days));
      if (known?.purges !== purges || known.events !== events) {
        await storeSums(database, source, days);
      }
    }
    for (const known of others.values()) await deleteSums(database, source, known);
  }
}

/** Returns the number of events of each day before a day that has any, in the order of the days. */
async function totalsBefore(
  database: SqlDatabase,
  source: number,
  before: number,
): Promise<Map<number, number>> {
  const totals = new Map<number, number>();
  for await (const days of usedDays(database.queries, source)) {
    const past = days.filter((day) => day < before);
    const found = await totalsOfDays(database, source, past);
    for (const day of past) if (found.has(day)) totals.set(day, found.get(day)!);
  }
  return totals;
}

/** Returns each of these days, and then the first to the last day of each month before the month of `before`. */
function daysAndMonths(days: readonly number[], before: number): Days[] {
  const months = Map.groupBy(days, (day) => monthOf(day * DAY_MS));
  months.delete(monthOf(before * DAY_MS));
  return [
    ...days.map((day) => ({ first: day, last: day })),
    ...[...months.values()]
      .filter(({ length }) => length > 1)
      .map((month) => ({ first: month[0]!, last: month.at(-1)! })),
  ];
}

interface KnownSums extends Days {
  purges: number;
  events: number;
}

async function knownSums({ queries }: SqlDatabase, source: number): Promise<KnownSums[]> {
  const rows = await queries
    .selectFrom('usageTrackSums')
    .select(['firstDay', 'lastDay', 'purges', 'events'])
    .where('sourceRowId', '=', source)
    .execute();
  return rows.map(({ firstDay, lastDay, ...rest }) => ({
    first: firstDay,
    last: lastDay,
    ...rest,
  }));
}

async function storeSums(database: SqlDatabase, source: number, days: Days): Promise<void> {
  // Read before the sums: after a purge that runs meanwhile, they are not used.
  const { purges } = await database.queries
    .selectFrom('usageSources')
    .select('purges')
    .where('rowId', '=', source)
    .executeTakeFirstOrThrow();
  const sums = await trackSumsOf(database, source, days);
  const encoded = await finish(sums.encode());
  const events = Object.values(TYPE_NUMBERS).reduce((n, type) => n + sums.totalsOf(type).events, 0);
  await database.apart((queries) =>
    queries
      .insertInto('usageTrackSums')
      .values({
        sourceRowId: source,
        firstDay: days.first,
        lastDay: days.last,
        purges,
        events,
        sums: encoded,
      })
      .onConflict((conflict) =>
        conflict.columns(['sourceRowId', 'firstDay', 'lastDay']).doUpdateSet(({ ref }) => ({
          purges: ref('excluded.purges'),
          events: ref('excluded.events'),
          sums: ref('excluded.sums'),
        })),
      )
      .execute(),
  );
}

async function deleteSums(
  database: SqlDatabase,
  source: number,
  { first, last }: Days,
): Promise<void> {
  await database.apart((queries) =>
    queries
      .deleteFrom('usageTrackSums')
      .where('sourceRowId', '=', source)
      .where('firstDay', '=', first)
      .where('lastDay', '=', last)
      .execute(),
  );
}
