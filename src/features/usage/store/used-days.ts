import { compiledOnce, type Queries } from '../../../engines/sql/database.ts';

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
