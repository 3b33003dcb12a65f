import { sql } from 'kysely';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import {
  dateOf,
  type SummaryQuery,
  sortGroups,
  totalsOf,
  USAGE_TYPES,
  type UsageCounts,
  type UsageGroup,
  type UsageSummary,
} from '../usage.ts';
import type { TrackSums, TypeSums } from './track-sums.ts';
import { rowIdsOf } from './usage-days.ts';
import { ALL_TRACKS, TYPE_NUMBERS } from './usage-rows.ts';
import { trackSumsOf } from './usage-track-sums.ts';

/** By the stored number of a type, less 1. */
const COUNTERS = ['streams', 'downloads', 'syncs'] as const;

/** The columns by which the database groups. The groups of one track are one, by any column. */
const COLUMNS = {
  day: 'day',
  month: 'day',
  track: 'type',
  type: 'type',
  country: 'country',
} as const;

/** @param source the row id of a client and mode */
export function summarize(
  database: SqlDatabase,
  source: number,
  query: SummaryQuery,
): Promise<UsageSummary> {
  return query.groupBy === 'track' && query.trackId === undefined
    ? summarizeTracks(database, source, query)
    : summarizeFew(database, source, query);
}

/** Sorts the groups in memory: there are some hundred at most. */
async function summarizeFew(
  database: SqlDatabase,
  source: number,
  query: SummaryQuery,
): Promise<UsageSummary> {
  const { groupBy, trackId, offset = 0, limit = Number.POSITIVE_INFINITY } = query;
  const tracks = trackId === undefined ? [ALL_TRACKS] : await rowIdsOf(database.aside, trackId);
  const byKey = new Map<string, UsageGroup>();
  for (const { value, type, events, seconds } of await sums(database, source, query, tracks)) {
    const key = keyOf(query, value);
    let group = byKey.get(key);
    if (group === undefined) {
      group = { key, streams: 0, downloads: 0, syncs: 0, seconds: 0 };
      byKey.set(key, group);
    }
    group[COUNTERS[type - 1]!] += events;
    group.seconds += seconds;
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

function sums(
  { aside, dialect }: SqlDatabase,
  source: number,
  { groupBy, type, from, to }: SummaryQuery,
  tracks: readonly number[],
) {
  const column = COLUMNS[groupBy];
  const days = Array.from({ length: to - from + 1 }, (_, n) => from + n);
  let query = aside
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

const IDS_AT_ONCE = 5_000;

/**
 * There may be millions of tracks: this adds them up in memory, and reads only the ids of a page, and of tracks with as
 * many events as its first or last one.
 */
async function summarizeTracks(
  database: SqlDatabase,
  source: number,
  { from, to, type, offset = 0, limit = Number.POSITIVE_INFINITY }: SummaryQuery,
): Promise<UsageSummary> {
  const [sums, reimported] = await Promise.all([
    trackSumsOf(database, source, { first: from, last: to }),
    reimportedTracks(database),
  ]);
  unite(sums, reimported);
  const types = type === undefined ? Object.values(TYPE_NUMBERS) : [TYPE_NUMBERS[type]];
  const events = sums.events(types);
  const descending = events
    .filter((count) => count > 0)
    .sort()
    .reverse();
  const summary = {
    count: descending.length,
    totals: countsOf(types, (one) => sums.totalsOf(one)),
  };
  const most = descending[offset];
  if (most === undefined) return { groups: [], ...summary };
  const least = descending[Math.min(offset + limit, descending.length) - 1]!;
  const slots: number[] = [];
  for (const [slot, count] of events.entries()) {
    if (count <= most && count >= least) slots.push(slot);
  }
  const ids = await idsOf(
    database,
    slots.map((slot) => sums.rowIds[slot]!),
  );
  const groups = slots.map((slot): UsageGroup => {
    const counts = countsOf(types, (one) => sums.of(slot, one));
    return { key: ids.get(sums.rowIds[slot]!)!, ...counts };
  });
  const start = offset - descending.indexOf(most);
  return { groups: sortGroups(groups, 'track').slice(start, start + limit), ...summary };
}

interface NumberedTrack {
  id: string;
  trackRowId: number;
}

/**
 * Returns the row ids of tracks of which one was removed: a track that is imported again gets another one, and keeps its id.
 * Reads only the ids of removed tracks.
 */
async function reimportedTracks({ aside }: SqlDatabase): Promise<NumberedTrack[]> {
  const { greatest } = await aside
    .selectFrom('removedNumbers')
    .select('greatest')
    .executeTakeFirstOrThrow();
  if (greatest === 0) return [];
  return aside
    .selectFrom('usageTracks')
    .select(['id', 'trackRowId'])
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('usageTracks as removed')
        .select('removed.id')
        .where('removed.trackRowId', '<=', greatest)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('tracks')
                .select('tracks.rowId')
                .whereRef('tracks.rowId', '=', 'removed.trackRowId'),
            ),
          ),
        ),
    )
    .execute();
}

/** Unites the sums of the row ids of each id. */
function unite(sums: TrackSums, tracks: readonly NumberedTrack[]): void {
  const slots = new Map<string, number>();
  for (const { id, trackRowId } of tracks) {
    const slot = sums.slotOf(trackRowId);
    if (slot === undefined) continue;
    const first = slots.get(id);
    if (first === undefined) slots.set(id, slot);
    else sums.move(slot, first);
  }
}

async function idsOf(
  { aside, dialect }: SqlDatabase,
  rowIds: readonly number[],
): Promise<Map<number, string>> {
  const ids = new Map<number, string>();
  for (let at = 0; at < rowIds.length; at += IDS_AT_ONCE) {
    const rows = await aside
      .selectFrom('usageTracks')
      .select(['trackRowId', 'id'])
      .where(({ ref }) => dialect.isOneOf(ref('trackRowId'), rowIds.slice(at, at + IDS_AT_ONCE)))
      .execute();
    for (const { trackRowId, id } of rows) ids.set(trackRowId, id);
  }
  return ids;
}

function countsOf(types: readonly number[], of: (type: number) => TypeSums): UsageCounts {
  const counts = { streams: 0, downloads: 0, syncs: 0, seconds: 0 };
  for (const type of types) {
    const { events, seconds } = of(type);
    counts[COUNTERS[type - 1]!] += events;
    counts.seconds += seconds;
  }
  return counts;
}
