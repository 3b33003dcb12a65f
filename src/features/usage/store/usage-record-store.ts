import { MODES } from '../../../common/caller.ts';
import { DAY_MS } from '../../../common/clock.ts';
import type { Queries, SqlDatabase, SqlDialect } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import { type Cue, dayOf, monthOf, USAGE_TYPES } from '../usage.ts';
import type {
  PurgedUsage,
  StoredDay,
  StoredEvent,
  UsageRange,
  UsageSource,
} from '../usage-records.ts';
import { subtractFromDays, usedDays } from './usage-days.ts';
import { ALL_TRACKS, daySums, hashOfId } from './usage-rows.ts';

const SLICE = 5_000;
/** Greater than each stored number of a type. */
const AFTER_TYPES = USAGE_TYPES.length + 1;

interface SourceRow extends UsageSource {
  rowId: number;
}

/**
 * The stored usage of all clients, for the operator. It is read in slices, so the result may include a part of
 * what is reported or purged meanwhile.
 */
export class UsageRecordStore extends SqlStore {
  /** Returns the clients that have records in the mode, by their ids. */
  async sources(range: Pick<UsageRange, 'mode' | 'clientId'>): Promise<readonly UsageSource[]> {
    const rows = await this.#sources(range);
    return rows.map(({ clientId, firstDay, lastDay }) => ({ clientId, firstDay, lastDay }));
  }

  /** Yields the events in slices, by month and then in the order in which they were stored. */
  async *events(range: UsageRange): AsyncGenerator<readonly StoredEvent[]> {
    const sources = new Map((await this.#sources(range)).map((one) => [one.rowId, one]));
    for (const month of await this.#months(range, [...sources.values()])) {
      for await (const rows of this.#eventsOf(month)) {
        const events = rows.flatMap(({ sourceRowId, rowId: _, type, cue, ...event }) => {
          const source = sources.get(sourceRowId);
          const day = dayOf(event.occurredAt);
          if (source === undefined || day < range.from || day > range.to) return [];
          return {
            ...event,
            clientId: source.clientId,
            mode: range.mode,
            type: USAGE_TYPES[type - 1]!,
            cue: cue === null ? null : parseStored<Cue>(cue),
          };
        });
        if (events.length > 0) yield events;
      }
    }
  }

  /** Yields the sums in slices, by client and then by day. */
  async *days(range: UsageRange): AsyncGenerator<readonly StoredDay[]> {
    for (const source of await this.#sources(range)) {
      for await (const rows of this.#daysOf(source.rowId, range)) {
        yield rows.map(({ trackRowId: _, type, ...day }) => ({
          ...day,
          clientId: source.clientId,
          mode: range.mode,
          type: USAGE_TYPES[type - 1]!,
        }));
      }
    }
  }

  /**
   * Deletes the events before a day (in UTC, in days since the epoch) of all clients in both modes, in short
   * transactions, with their sums and ids, and productions that have no events any more. If it fails, what it has
   * deleted stays deleted, and the sums are those of the events that are left.
   */
  async purge(before: number): Promise<PurgedUsage> {
    const sources: SourceRow[] = [];
    for (const mode of MODES) sources.push(...(await this.#sources({ mode })));
    const range = { from: Number.NEGATIVE_INFINITY, to: before - 1 };
    const months = await this.#months(range, sources);
    return purgeEvents(this.database, months, before);
  }

  async #sources({ mode, clientId }: Pick<UsageRange, 'mode' | 'clientId'>): Promise<SourceRow[]> {
    let query = this.database.queries
      .selectFrom('usageSources as source')
      .select(['source.rowId', 'source.clientId'])
      .select(({ selectFrom }) => {
        const days = selectFrom('usageDays').whereRef('sourceRowId', '=', 'source.rowId');
        return [
          days.select(({ fn }) => fn.min<number | null>('day').as('day')).as('firstDay'),
          days.select(({ fn }) => fn.max<number | null>('day').as('day')).as('lastDay'),
        ];
      })
      .where('source.mode', '=', mode)
      .orderBy('source.clientId');
    if (clientId !== undefined) query = query.where('source.clientId', '=', clientId);
    return (await query.execute()).flatMap(({ firstDay, lastDay, ...source }) =>
      firstDay === null || lastDay === null ? [] : [{ ...source, firstDay, lastDay }],
    );
  }

  /**
   * Returns the months, such as 202611, of the days of a range on which any of the sources has records, ascending. Test
   * events may be of any year from 0 to 9999, so it visits only the days with records.
   */
  async #months(
    { from, to }: Pick<UsageRange, 'from' | 'to'>,
    sources: readonly SourceRow[],
  ): Promise<number[]> {
    const months = new Set<number>();
    for (const { rowId } of sources) {
      for await (const days of usedDays(this.database.queries, rowId)) {
        for (const day of days) {
          if (day >= from && day <= to) months.add(monthOf(day * DAY_MS));
        }
      }
    }
    return [...months].sort((a, b) => a - b);
  }

  /** Of all clients, because with a condition one statement could read the whole month. */
  async *#eventsOf(month: number) {
    for (let after = 0; ; ) {
      const rows = await this.database.queries
        .selectFrom('usageEvents as event')
        .innerJoin('usageTracks as track', 'track.trackRowId', 'event.trackRowId')
        .select(['event.rowId', 'event.sourceRowId', 'event.batchId', 'event.eventId'])
        .select(['event.type', 'track.id as trackId', 'track.isrc', 'event.occurredAt'])
        .select(['event.receivedAt', 'event.seconds', 'event.country', 'event.playlistId'])
        .select(['event.endReason', 'event.offline', 'event.licenseNumber'])
        .select(['event.productionId', 'event.cue'])
        .where('event.month', '=', month)
        .where('event.rowId', '>', after)
        .orderBy('event.rowId')
        .limit(SLICE)
        .execute();
      if (rows.length > 0) yield rows;
      if (rows.length < SLICE) return;
      after = rows.at(-1)!.rowId;
    }
  }

  /** Yields the sums of a client and mode, without those over all tracks. */
  async *#daysOf(source: number, { from, to }: UsageRange) {
    let last = { day: from, trackRowId: ALL_TRACKS, type: AFTER_TYPES, country: '' };
    for (;;) {
      const { day, trackRowId, type, country } = last;
      const rows = await this.database.queries
        .selectFrom('usageDays as sum')
        .innerJoin('usageTracks as track', 'track.trackRowId', 'sum.trackRowId')
        .select(['sum.day', 'sum.trackRowId', 'sum.type', 'sum.country', 'sum.events'])
        .select(['sum.seconds', 'track.id as trackId', 'track.name as title', 'track.isrc'])
        .where('sum.sourceRowId', '=', source)
        .where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('sum.day', 'sum.trackRowId', 'sum.type', 'sum.country'),
            '>',
            tuple(day, trackRowId, type, country),
          ),
        )
        .where('sum.day', '<=', to)
        .where('sum.trackRowId', '>', ALL_TRACKS)
        .orderBy('sum.day')
        .orderBy('sum.trackRowId')
        .orderBy('sum.type')
        .orderBy('sum.country')
        .limit(SLICE)
        .execute();
      if (rows.length > 0) yield rows;
      if (rows.length < SLICE) return;
      last = rows.at(-1)!;
    }
  }
}

const PURGE_SLICE = 500;

/**
 * Deletes the events of these months that occurred before a day, with what was derived from them, in slices. After each
 * slice, the sums are those of the events that are left.
 */
async function purgeEvents(
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
        .limit(PURGE_SLICE)
        .execute();
      isLast = slice.length < PURGE_SLICE;
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
  // Another purge may delete some of them meanwhile, so the sums are reduced only by what this statement deletes.
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

/** Deletes the productions of these ids that have no events. Returns their number. */
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
