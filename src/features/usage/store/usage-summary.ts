import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import {
  dateOf,
  type SummaryQuery,
  sortGroups,
  totalsOf,
  type UsageGroup,
  type UsageSummary,
} from '../usage-summary.ts';
import { USAGE_TYPES } from '../usage-type.ts';
import { summarizeTracks } from './usage-by-track.ts';
import { ALL_TRACKS, TYPE_NUMBERS } from './usage-rows.ts';

/** The number of days that one statement reads if it blocks the event loop. */
const DAYS_AT_ONCE = 32;

const COUNTERS = ['streams', 'downloads', 'syncs'] as const;

/** The columns by which the database groups. The groups of one track are one, by any column. */
const COLUMNS = {
  day: 'day',
  month: 'day',
  track: 'type',
  type: 'type',
  country: 'country',
} as const;

/** Adds up the days of a client and mode, by its row id. */
export function summarize(
  database: SqlDatabase,
  source: number,
  query: SummaryQuery,
): Promise<UsageSummary> {
  return query.groupBy === 'track' && query.trackId === undefined
    ? summarizeTracks(database, source, query)
    : summarizeFew(database, source, query);
}

/** Adds up by what has some hundred values at most: they are sorted in memory. */
async function summarizeFew(
  database: SqlDatabase,
  source: number,
  query: SummaryQuery,
): Promise<UsageSummary> {
  const { groupBy, trackId, offset = 0, limit = Number.POSITIVE_INFINITY } = query;
  const tracks = trackId === undefined ? [ALL_TRACKS] : await rowIdsOf(database, trackId);
  const byKey = new Map<string, UsageGroup>();
  for (const days of daysInSteps(database, query)) {
    for (const { value, type, events, seconds } of await sums(
      database,
      source,
      query,
      days,
      tracks,
    )) {
      const key = keyOf(query, value);
      let group = byKey.get(key);
      if (group === undefined) {
        group = { key, streams: 0, downloads: 0, syncs: 0, seconds: 0 };
        byKey.set(key, group);
      }
      group[COUNTERS[type - 1]!] += events;
      group.seconds += seconds;
    }
    if (database.blocksEventLoop) await nextTurn();
  }
  const all = sortGroups([...byKey.values()], groupBy);
  return { groups: all.slice(offset, offset + limit), count: all.length, totals: totalsOf(all) };
}

function keyOf({ groupBy, trackId }: SummaryQuery, value: string | number): string {
  if (groupBy === 'day') return dateOf(value as number);
  if (groupBy === 'month') return dateOf(value as number).slice(0, 7);
  if (groupBy === 'track') return trackId!;
  return groupBy === 'type' ? USAGE_TYPES[(value as number) - 1]! : (value as string);
}

function* daysInSteps(
  { blocksEventLoop }: SqlDatabase,
  { from, to }: SummaryQuery,
): Generator<number[]> {
  const days = Array.from({ length: to - from + 1 }, (_, n) => from + n);
  const step = blocksEventLoop ? DAYS_AT_ONCE : days.length;
  for (let at = 0; at < days.length; at += step) yield days.slice(at, at + step);
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
  { groupBy, type }: SummaryQuery,
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
    .where(({ ref }) => dialect.isOneOf(ref('trackRowId'), tracks))
    .groupBy(column === 'type' ? ['type'] : [column, 'type']);
  if (type !== undefined) query = query.where('type', '=', TYPE_NUMBERS[type]);
  return query.execute();
}
