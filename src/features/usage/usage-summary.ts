import type { Mode } from '../../common/caller/scopes.ts';
import type { UsageType } from './usage-type.ts';

/** By what a summary adds up. */
export const SUMMARY_GROUPS = ['day', 'month', 'track', 'type', 'country'] as const;

/** What a summary adds up. */
export interface SummaryQuery {
  clientId: string;
  mode: Mode;
  /** The first and the last day in UTC, in days since the epoch. */
  from: number;
  to: number;
  groupBy: (typeof SUMMARY_GROUPS)[number];
  type?: UsageType;
  trackId?: string;
  /** How many groups precede the first one that is returned. Default: 0. */
  offset?: number;
  /** The most groups that are returned. Default: all. */
  limit?: number;
}

/** The counts of a group. */
export interface UsageCounts {
  streams: number;
  downloads: number;
  syncs: number;
  /** Of streams and syncs. */
  seconds: number;
}

/** A group with its counts. */
export interface UsageGroup extends UsageCounts {
  /** A day such as 2026-11-21, a month such as 2026-11, the id of a track, a type, or a country ('' if unknown). */
  key: string;
}

/** Groups in their order, and the counts over all groups. */
export interface UsageSummary {
  /** Those that were asked for by `offset` and `limit`. */
  groups: readonly UsageGroup[];
  /** The number of all groups. */
  count: number;
  totals: UsageCounts;
}

/** Sorts groups in place: days and months ascend, others go by their events, most first, and then by key. */
export function sortGroups(
  groups: UsageGroup[],
  groupBy: SummaryQuery['groupBy'],
): readonly UsageGroup[] {
  const byKey = (a: UsageGroup, b: UsageGroup) => (a.key < b.key ? -1 : 1);
  const eventsOf = ({ streams, downloads, syncs }: UsageGroup) => streams + downloads + syncs;
  const byEvents = (a: UsageGroup, b: UsageGroup) => eventsOf(b) - eventsOf(a) || byKey(a, b);
  return groups.sort(groupBy === 'day' || groupBy === 'month' ? byKey : byEvents);
}

/** Returns the sums over groups. */
export function totalsOf(groups: readonly UsageCounts[]): UsageCounts {
  const totals = { streams: 0, downloads: 0, syncs: 0, seconds: 0 };
  for (const { streams, downloads, syncs, seconds } of groups) {
    totals.streams += streams;
    totals.downloads += downloads;
    totals.syncs += syncs;
    totals.seconds += seconds;
  }
  return totals;
}

/** Returns a day of UTC, numbered from the epoch, as a date such as 2026-11-21. */
export function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
