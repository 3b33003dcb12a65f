import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  dateOf,
  type SummaryQuery,
  sortGroups,
  totalsOf,
  type UsageGroup,
  type UsageSummary,
} from '../../licensing/usage-summary.ts';
import { USAGE_TYPES } from '../../licensing/usage-type.ts';
import type { SqlDatabase } from './database.ts';
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

/**
 * Adds up by track. There may be millions of tracks, so the database groups and sorts them, and only a page is read. It
 * reads every sum of a track, day, type and country in the range.
 */
async function summarizeTracks(
  database: SqlDatabase,
  source: number,
  query: SummaryQuery,
): Promise<UsageSummary> {
  const rows = await pageOfTracks(database, source, query);
  const first = rows[0];
  if (first === undefined) {
    const { offset = 0 } = query;
    if (offset === 0) return { groups: [], count: 0, totals: totalsOf([]) };
    // A page after the last one has the totals, too.
    return {
      ...(await summarizeTracks(database, source, { ...query, offset: 0, limit: 1 })),
      groups: [],
    };
  }
  return {
    groups: rows.map(({ key, streams, downloads, syncs, seconds }) => {
      return { key, streams, downloads, syncs, seconds };
    }),
    count: first.count,
    totals: {
      streams: first.allStreams,
      downloads: first.allDownloads,
      syncs: first.allSyncs,
      seconds: first.allSeconds,
    },
  };
}

function pageOfTracks(
  { aside }: SqlDatabase,
  source: number,
  { from, to, type, offset = 0, limit = Number.MAX_SAFE_INTEGER }: SummaryQuery,
) {
  const eventsOf = (of: keyof typeof TYPE_NUMBERS) =>
    sql<number>`sum(CASE type WHEN ${sql.lit(TYPE_NUMBERS[of])} THEN events ELSE 0 END)`;
  const sumOf = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) AS bigint)`;
  const sumOfAll = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) OVER () AS bigint)`;
  let byRowId = aside
    .selectFrom('usageDays')
    .select([
      'trackRowId',
      eventsOf('stream').as('streams'),
      eventsOf('download').as('downloads'),
      eventsOf('sync').as('syncs'),
      sql<number>`sum(seconds)`.as('seconds'),
    ])
    .where('sourceRowId', '=', source)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .where('trackRowId', '>', ALL_TRACKS)
    .groupBy('trackRowId');
  if (type !== undefined) byRowId = byRowId.where('type', '=', TYPE_NUMBERS[type]);
  // A track that was removed and imported again has several row ids.
  const byId = aside
    .selectFrom(byRowId.as('sum'))
    .innerJoin('usageTracks as track', 'track.trackRowId', 'sum.trackRowId')
    .select([
      'track.id as key',
      sumOf('streams').as('streams'),
      sumOf('downloads').as('downloads'),
      sumOf('syncs').as('syncs'),
      sumOf('sum.seconds').as('seconds'),
    ])
    .groupBy('track.id');
  return aside
    .selectFrom(byId.as('found'))
    .select(['key', 'streams', 'downloads', 'syncs', 'seconds'])
    .select([
      sql<number>`cast(count(*) OVER () AS bigint)`.as('count'),
      sumOfAll('streams').as('allStreams'),
      sumOfAll('downloads').as('allDownloads'),
      sumOfAll('syncs').as('allSyncs'),
      sumOfAll('seconds').as('allSeconds'),
    ])
    .orderBy(sql`streams + downloads + syncs`, 'desc')
    .orderBy('key')
    .limit(limit)
    .offset(offset)
    .execute();
}
