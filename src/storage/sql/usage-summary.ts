import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { dateOf, type SummaryQuery, type UsageGroup } from '../../licensing/usage-summary.ts';
import { USAGE_TYPES } from '../../licensing/usage-type.ts';
import type { SqlDatabase } from './database.ts';
import { ALL_TRACKS, TYPE_NUMBERS } from './usage-rows.ts';

/** The number of days that one statement reads if it blocks the event loop: of single tracks, and of all together. */
const DAYS_OF_TRACKS = 1;
const DAYS_OF_ALL = 32;
/** The number of tracks whose ids one statement reads. */
const TRACKS = 5_000;

const COUNTERS = ['streams', 'downloads', 'syncs'] as const;

/** The columns by which the database groups. */
const COLUMNS = {
  day: 'day',
  month: 'day',
  track: 'trackRowId',
  type: 'type',
  country: 'country',
} as const;

/** Adds up the days of a client and mode, by its row id. The groups are in no order. */
export async function summarize(
  database: SqlDatabase,
  source: number,
  query: SummaryQuery,
): Promise<UsageGroup[]> {
  const { groupBy, trackId } = query;
  const tracks = trackId === undefined ? [ALL_TRACKS] : await rowIdsOf(database, trackId);
  const groups = new Map<string | number, UsageGroup>();
  for (const days of daysInSteps(database, query)) {
    for (const row of await sums(database, source, query, days, tracks)) {
      const value = row.value;
      const key = groupBy === 'month' ? dateOf(value as number).slice(0, 7) : value;
      let group = groups.get(key);
      if (group === undefined) {
        group = { key: keyOf(groupBy, key), streams: 0, downloads: 0, syncs: 0, seconds: 0 };
        groups.set(key, group);
      }
      group[COUNTERS[row.type - 1]!] += row.events;
      group.seconds += row.seconds;
    }
    if (database.blocksEventLoop) await nextTurn();
  }
  return groupBy === 'track' ? byTrackId(database, groups) : [...groups.values()];
}

function keyOf(groupBy: SummaryQuery['groupBy'], value: string | number): string {
  if (groupBy === 'day') return dateOf(value as number);
  return groupBy === 'type' ? USAGE_TYPES[(value as number) - 1]! : String(value);
}

function* daysInSteps(
  { blocksEventLoop }: SqlDatabase,
  { from, to, groupBy }: SummaryQuery,
): Generator<number[]> {
  const days = Array.from({ length: to - from + 1 }, (_, n) => from + n);
  const step = groupBy === 'track' ? DAYS_OF_TRACKS : DAYS_OF_ALL;
  for (let at = 0; at < days.length; at += blocksEventLoop ? step : days.length) {
    yield blocksEventLoop ? days.slice(at, at + step) : days;
  }
}

/** Returns the row ids of a track, which has several if it was removed and imported again. */
async function rowIdsOf({ queries }: SqlDatabase, trackId: string): Promise<number[]> {
  const rows = await queries
    .selectFrom('usageTracks')
    .select('trackRowId')
    .where('id', '=', trackId)
    .execute();
  return rows.map(({ trackRowId }) => trackRowId);
}

function sums(
  { queries, dialect }: SqlDatabase,
  source: number,
  { groupBy, type, trackId }: SummaryQuery,
  days: readonly number[],
  tracks: readonly number[],
) {
  const column = COLUMNS[groupBy];
  let query = queries
    .selectFrom('usageDays')
    .select([
      `${column} as value`,
      'type',
      sql<number>`cast(sum(events) AS bigint)`.as('events'),
      sql<number>`cast(sum(seconds) AS bigint)`.as('seconds'),
    ])
    .where('sourceRowId', '=', source)
    .where(({ ref }) => dialect.isOneOf(ref('day'), days))
    .groupBy(column === 'type' ? ['type'] : [column, 'type']);
  query =
    groupBy === 'track' && trackId === undefined
      ? query.where('trackRowId', '>', ALL_TRACKS)
      : query.where(({ ref }) => dialect.isOneOf(ref('trackRowId'), tracks));
  if (type !== undefined) query = query.where('type', '=', TYPE_NUMBERS[type]);
  return query.execute();
}

/** Names the groups of row ids by the ids of their tracks, and adds up those of one id. */
async function byTrackId(
  { queries, dialect }: SqlDatabase,
  groups: ReadonlyMap<string | number, UsageGroup>,
): Promise<UsageGroup[]> {
  const named = new Map<string, UsageGroup>();
  const rowIds = [...groups.keys()] as number[];
  for (let from = 0; from < rowIds.length; from += TRACKS) {
    const slice = rowIds.slice(from, from + TRACKS);
    const tracks = await queries
      .selectFrom('usageTracks')
      .select(['trackRowId', 'id'])
      .where(({ ref }) => dialect.isOneOf(ref('trackRowId'), slice))
      .execute();
    for (const { trackRowId, id } of tracks) {
      const group = { ...groups.get(trackRowId)!, key: id };
      const other = named.get(id);
      for (const counter of [...COUNTERS, 'seconds'] as const) {
        group[counter] += other?.[counter] ?? 0;
      }
      named.set(id, group);
    }
  }
  return [...named.values()];
}
