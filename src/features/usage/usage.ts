import type { Mode } from '../../common/caller.ts';
import { DAY_MS } from '../../common/clock.ts';

export const END_REASONS = ['naturalEnd', 'userSkipped', 'other'] as const;

/**
 * The kinds of use in a production, as codes of the cue sheets of collecting societies: background instrumental
 * and vocal, visual instrumental and vocal, featured instrumental and vocal, source, opening theme, closing
 * theme, logo.
 */
export const CUE_USAGES = ['BI', 'BV', 'VI', 'VV', 'FI', 'FV', 'VS', 'OT', 'CT', 'EE'] as const;

/** The production that a synchronized track is part of, as reported. */
export interface Production {
  id: string;
  title: string;
  episodeTitle?: string;
  episodeNumber?: string;
  /** Of ISO 3166-1. */
  country?: string;
  /** A date such as 2026-11-21. */
  airDate?: string;
  durationSeconds?: number;
}

/** The place of a synchronized track in a production, as reported. */
export interface Cue {
  startSeconds: number;
  usage: (typeof CUE_USAGES)[number];
  number?: number;
}

/** One reported use of a track. Ids are in lower case, and times in milliseconds since the epoch. */
export interface UsageEvent {
  eventId: string;
  type: UsageType;
  trackId: string;
  occurredAt: number;
  /** Null for downloads only. */
  seconds: number | null;
  userId: string | null;
  country: string | null;
  playlistId: string | null;
  endReason: (typeof END_REASONS)[number] | null;
  offline: boolean;
  /** In upper case. */
  licenseNumber: string | null;
  /** Present for syncs only. */
  production: Production | null;
  /** Present for syncs only. */
  cue: Cue | null;
}

/** A batch of events of one client in one mode. */
export interface UsageReport {
  clientId: string;
  mode: Mode;
  /** A new id, which is stored with each accepted event. */
  batchId: string;
  /** In milliseconds since the epoch. The age of events is relative to it. */
  receivedAt: number;
  /** The greatest age of an event. */
  maxAgeDays: number;
  /** The license numbers in the events that the client has in the mode; absent if none. */
  knownLicenses?: ReadonlySet<string>;
  events: readonly UsageEvent[];
}

export const REJECTION_REASONS = [
  'event_conflict',
  'unknown_track',
  'too_old',
  'in_future',
  'unknown_license',
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

export type UsageResult =
  | { status: 'accepted'; takenDown: boolean }
  | { status: 'duplicate' }
  | { status: 'rejected'; reason: RejectionReason };

/** How far the clock of a reporter may be ahead. */
const MAX_AHEAD_MS = 5 * 60_000;

/** Counts the events of a report by their results: `accepted`, `duplicate`, or why they were rejected. */
export type CountEvents = (mode: Mode, counts: Readonly<Record<string, number>>) => void;

/**
 * Returns why an event cannot be accepted, regardless of earlier events; undefined if it can.
 * @param isKnownTrack whether the track exists, live or taken down
 */
export function refusalOf(
  { occurredAt, licenseNumber }: UsageEvent,
  isKnownTrack: boolean,
  {
    receivedAt,
    maxAgeDays,
    knownLicenses,
  }: Pick<UsageReport, 'receivedAt' | 'maxAgeDays' | 'knownLicenses'>,
): RejectionReason | undefined {
  if (!isKnownTrack) return 'unknown_track';
  if (occurredAt < receivedAt - maxAgeDays * DAY_MS) return 'too_old';
  if (occurredAt > receivedAt + MAX_AHEAD_MS) return 'in_future';
  if (licenseNumber === null || knownLicenses?.has(licenseNumber)) return undefined;
  return 'unknown_license';
}

/** Returns the day of a time in UTC, in days since the epoch. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** Returns the month of a time in UTC as a number such as 202611. */
export function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** The kinds of use. Storage numbers them by their places, so new ones go to the end. */
export const USAGE_TYPES = ['stream', 'download', 'sync'] as const;
export type UsageType = (typeof USAGE_TYPES)[number];

export interface TrackUse {
  events: number;
  /** The time of the last event, in milliseconds since the epoch; null if there is none. */
  lastOccurredAt: number | null;
}

export const SUMMARY_GROUPS = ['day', 'month', 'track', 'type', 'country'] as const;

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

export interface UsageCounts {
  streams: number;
  downloads: number;
  syncs: number;
  /** Of streams and syncs. */
  seconds: number;
}

export interface UsageGroup extends UsageCounts {
  /** A day such as 2026-11-21, a month such as 2026-11, the id of a track, a type, or a country ('' if unknown). */
  key: string;
}

export interface UsageSummary {
  /** Within `offset` and `limit` of the query. */
  groups: readonly UsageGroup[];
  /** Of all groups, as `totals`. */
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
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
