import type { Mode } from '../../../common/caller.ts';
import { compiledOnce, type Queries, type SqlDialect } from '../../../engines/sql/database.ts';
import { insertRows } from '../../../engines/sql/insert-rows.ts';
import type { DayRow } from './usage-rows.ts';

const TYPES = {
  day: 'integer',
  trackRowId: 'integer',
  type: 'integer',
  country: 'text',
  events: 'integer',
  seconds: 'integer',
  lastOccurredAt: 'integer',
} as const;

/** Adds sums to those of a client and mode, by its row id. The sums must be in the order of the key. */
export async function addToDays(
  queries: Queries,
  dialect: SqlDialect,
  source: number,
  sums: readonly DayRow[],
): Promise<void> {
  const types = { sourceRowId: 'integer', ...TYPES } as const;
  const rows = sums.map((sum) => ({ sourceRowId: source, ...sum }));
  await insertRows(queries, dialect, 'usageDays', types, rows)
    .onConflict((conflict) =>
      conflict
        .columns(['sourceRowId', 'day', 'trackRowId', 'type', 'country'])
        .doUpdateSet(({ eb, ref }) => ({
          events: eb('usageDays.events', '+', ref('excluded.events')),
          seconds: eb('usageDays.seconds', '+', ref('excluded.seconds')),
          lastOccurredAt: eb
            .case()
            .when('usageDays.lastOccurredAt', '>', ref('excluded.lastOccurredAt'))
            .then(ref('usageDays.lastOccurredAt'))
            .else(ref('excluded.lastOccurredAt'))
            .end(),
        })),
    )
    .execute();
}

/**
 * As `addToDays`, but subtracts, and deletes the sums that have no events any more. The time of the last event of the
 * others stays as it is.
 */
export async function subtractFromDays(
  queries: Queries,
  dialect: SqlDialect,
  source: number,
  sums: readonly DayRow[],
): Promise<void> {
  const negative = sums.map((sum) => ({ ...sum, events: -sum.events, seconds: -sum.seconds }));
  await addToDays(queries, dialect, source, negative);
  await queries
    .deleteFrom('usageDays')
    .where('sourceRowId', '=', source)
    .where('events', '=', 0)
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('day', 'trackRowId', 'type', 'country'),
        'in',
        selectFrom(dialect.rows('given', TYPES, sums))
          .select(['day', 'trackRowId', 'type', 'country'])
          .$asTuple('day', 'trackRowId', 'type', 'country'),
      ),
    )
    .execute();
}

/** The number of days that one statement reads: a few milliseconds. */
const DAYS = 1_000;

/**
 * Selects the next days on which a source has reported anything, ascending, by one entry of the index each. A test
 * request may state any time, so the days between the first and the last one are up to four million.
 */
const selectDays = compiledOnce((queries, { source, after }: { source: number; after: number }) =>
  queries
    .withRecursive('known(day)', (query) =>
      query
        .selectFrom('usageDays')
        .select(({ fn }) => fn.min<number | null>('day').as('day'))
        .where('sourceRowId', '=', source)
        .where('day', '>', after)
        .unionAll(
          query
            .selectFrom('known')
            .select(({ selectFrom }) =>
              selectFrom('usageDays')
                .select(({ fn }) => fn.min<number | null>('usageDays.day').as('day'))
                .where('sourceRowId', '=', source)
                .whereRef('usageDays.day', '>', 'known.day')
                .as('day'),
            )
            .where('known.day', 'is not', null),
        ),
    )
    .selectFrom('known')
    .select('day')
    .where('day', 'is not', null)
    .limit(DAYS),
);

/** Yields the days on which a client has reported anything in a mode, by its row id, ascending. */
export async function* usedDays(queries: Queries, source: number): AsyncGenerator<number[]> {
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const days = (await selectDays(queries, { source, after })).map(({ day }) => day!);
    if (days.length > 0) yield days;
    if (days.length < DAYS) return;
    after = days.at(-1)!;
  }
}

/** Returns the row id under which a client has reported in a mode; undefined if it has reported nothing. */
export async function sourceOf(
  queries: Queries,
  { clientId, mode }: { clientId: string; mode: Mode },
): Promise<number | undefined> {
  const row = await queries
    .selectFrom('usageSources')
    .select('rowId')
    .where('clientId', '=', clientId)
    .where('mode', '=', mode)
    .executeTakeFirst();
  return row?.rowId;
}

/** Returns the row ids of a track, which has several if it was removed and imported again. */
export async function rowIdsOf(queries: Queries, trackId: string): Promise<number[]> {
  const rows = await queries
    .selectFrom('usageTracks')
    .select('trackRowId')
    .where('id', '=', trackId)
    .execute();
  return rows.map(({ trackRowId }) => trackRowId);
}
