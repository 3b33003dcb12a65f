import { DAY_MS } from '../../../common/clock.ts';
import type { Queries, SqlDatabase, SqlDialect } from '../../../engines/sql/database.ts';
import type { PurgedUsage } from '../usage-records.ts';
import { subtractFromDays } from './usage-days.ts';
import { daySums, hashOfId } from './usage-rows.ts';

/** The events that one transaction deletes. */
const SLICE = 500;

/**
 * Deletes the events of these months that occurred before a day, with what was derived from them, in slices. After each
 * slice, the sums are those of the events that are left.
 */
export async function purgeEvents(
  database: SqlDatabase,
  months: readonly number[],
  before: number,
): Promise<PurgedUsage> {
  const purged = { events: 0, productions: 0 };
  for (const month of months) {
    for (let after = 0, isLast = false; !isLast; ) {
      const slice = await database.queries
        .selectFrom('usageEvents')
        .select(['rowId', 'sourceRowId', 'occurredAt'])
        .where('month', '=', month)
        .where('rowId', '>', after)
        .orderBy('rowId')
        .limit(SLICE)
        .execute();
      isLast = slice.length < SLICE;
      after = slice.at(-1)?.rowId ?? after;
      const old = slice.filter(({ occurredAt }) => occurredAt < before * DAY_MS);
      for (const [source, rows] of Map.groupBy(old, ({ sourceRowId }) => sourceRowId)) {
        const rowIds = rows.map(({ rowId }) => rowId);
        const { events, productions } = await database.apart((queries) =>
          deleteEvents(queries, database.dialect, { source, month, rowIds }),
        );
        purged.events += events;
        purged.productions += productions;
      }
    }
  }
  return purged;
}

/**
 * Deletes events of one client and mode within a transaction. Tables are written in the same order as by a report, so
 * that the two do not wait for each other in a circle.
 */
async function deleteEvents(
  queries: Queries,
  dialect: SqlDialect,
  { source, month, rowIds }: { source: number; month: number; rowIds: readonly number[] },
): Promise<PurgedUsage> {
  // Another purge may have deleted some of them meanwhile: what follows takes back only what this one deletes.
  const deleted = await queries
    .deleteFrom('usageEvents')
    .where('month', '=', month)
    .where(({ ref }) => dialect.isOneOf(ref('rowId'), rowIds))
    .returning(['eventId', 'trackRowId', 'type', 'occurredAt', 'country', 'seconds'])
    .returning('productionId')
    .execute();
  if (deleted.length === 0) return { events: 0, productions: 0 };
  const hashes = deleted.map(({ eventId }) => ({ hash: hashOfId(eventId) }));
  await queries
    .deleteFrom('usageEventIds')
    .where('sourceRowId', '=', source)
    .where('hash', 'in', ({ selectFrom }) =>
      selectFrom(dialect.rows('given', { hash: 'bytes' }, hashes)).select('hash'),
    )
    .execute();
  await subtractFromDays(queries, dialect, source, daySums(deleted));
  await queries
    .updateTable('usageSources')
    .set(({ eb }) => ({ purges: eb('purges', '+', 1) }))
    .where('rowId', '=', source)
    .execute();
  const productionIds = new Set(deleted.flatMap(({ productionId }) => productionId ?? []));
  const productions = await deleteUnused(queries, dialect, source, [...productionIds]);
  return { events: deleted.length, productions };
}

/** Deletes those of these productions that have no events. Returns their number. */
async function deleteUnused(
  queries: Queries,
  dialect: SqlDialect,
  source: number,
  productionIds: readonly string[],
): Promise<number> {
  if (productionIds.length === 0) return 0;
  // Waits for reports of these productions, so that the next statement sees their events.
  await queries
    .updateTable('productions')
    .set(({ ref }) => ({ document: ref('document') }))
    .where('sourceRowId', '=', source)
    .where(({ ref }) => dialect.isOneOf(ref('productionId'), productionIds))
    .execute();
  const { numDeletedRows } = await queries
    .deleteFrom('productions')
    .where('sourceRowId', '=', source)
    .where(({ ref }) => dialect.isOneOf(ref('productionId'), productionIds))
    .where(({ not, exists, selectFrom, ref }) =>
      not(
        exists(
          selectFrom('usageEvents')
            .select('usageEvents.rowId')
            .where('usageEvents.sourceRowId', '=', source)
            .where('usageEvents.productionId', '=', ref('productions.productionId')),
        ),
      ),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
