import { createHmac, hash, type KeyObject } from 'node:crypto';
import { dayOf, monthOf, USAGE_TYPES, type UsageEvent, type UsageReport } from '../usage.ts';

export const TYPE_NUMBERS = Object.fromEntries(
  USAGE_TYPES.map((type, place) => [type, place + 1]),
) as Readonly<Record<UsageEvent['type'], number>>;

export interface KnownEvent {
  event: UsageEvent;
  /** The first 16 bytes of the SHA-256 of the event id. */
  hash: Buffer;
  /** `hash` as a text, for maps. */
  key: string;
  /** The first 8 bytes of the SHA-256 of all other members. Equal for events that say the same. */
  content: Buffer;
  userHash: Buffer | null;
}

export function knownEvent(event: UsageEvent, userKey: KeyObject): KnownEvent {
  const { userId } = event;
  const userHash = userId === null ? null : createHmac('sha256', userKey).update(userId).digest();
  const idHash = hashOfId(event.eventId);
  // The content has the HMAC and not the id of the user, which could be guessed from a plain hash.
  const text = JSON.stringify([...membersOf(event), userHash?.toString('hex') ?? null]);
  const content = hash('sha256', text, 'buffer').subarray(0, 8);
  return { event, hash: idHash, key: idHash.toString('latin1'), content, userHash };
}

/** Returns the first 16 bytes of the SHA-256 of an event id. */
export function hashOfId(eventId: string): Buffer {
  return hash('sha256', eventId, 'buffer').subarray(0, 16);
}

/** Returns the members of an event without the ids of the event and of the user, in a fixed order. */
function membersOf({ production, cue, ...event }: UsageEvent): unknown[] {
  return [
    event.type,
    event.trackId,
    event.occurredAt,
    event.seconds,
    event.country,
    event.playlistId,
    event.endReason,
    event.offline,
    event.licenseNumber,
    production && [
      production.id,
      production.title,
      production.episodeTitle,
      production.episodeNumber,
      production.country,
      production.airDate,
      production.durationSeconds,
    ],
    cue && [cue.startSeconds, cue.usage, cue.number],
  ];
}

export const EVENT_COLUMNS = {
  month: 'integer',
  sourceRowId: 'integer',
  eventId: 'text',
  type: 'integer',
  trackRowId: 'integer',
  occurredAt: 'integer',
  receivedAt: 'integer',
  batchId: 'text',
  seconds: 'integer',
  country: 'text',
  userHash: 'bytes',
  playlistId: 'text',
  endReason: 'text',
  offline: 'boolean',
  licenseNumber: 'text',
  productionId: 'text',
  cue: 'text',
} as const;

export function eventRow(
  { event, userHash }: KnownEvent,
  { receivedAt, batchId }: UsageReport,
  sourceRowId: number,
  trackRowId: number,
) {
  const { type, trackId: _track, userId: _user, production, cue, ...same } = event;
  return {
    ...same,
    ...{ receivedAt, batchId, sourceRowId, trackRowId, userHash },
    month: monthOf(event.occurredAt),
    type: TYPE_NUMBERS[type],
    productionId: production?.id ?? null,
    cue: cue && JSON.stringify(cue),
  };
}

type CountedEvent = Pick<
  ReturnType<typeof eventRow>,
  'occurredAt' | 'trackRowId' | 'type' | 'country' | 'seconds'
>;

/** A row of `usage_days`, without its source. */
export interface DayRow extends Record<string, string | number> {
  day: number;
  trackRowId: number;
  type: number;
  country: string;
  events: number;
  seconds: number;
  lastOccurredAt: number;
}

/** Stands for all tracks together in `usage_days`, so that a summary need not read each track. No track has it. */
export const ALL_TRACKS = 0;

/**
 * Returns the sums of events per day, track, type and country, and over all tracks, in the order of the key of the
 * table.
 */
export function daySums(rows: readonly CountedEvent[]): DayRow[] {
  const sums = new Map<string, DayRow>();
  const add = ({ occurredAt, type, country, seconds }: CountedEvent, trackRowId: number) => {
    const day = dayOf(occurredAt);
    const key = `${day} ${trackRowId} ${type} ${country}`;
    let sum = sums.get(key);
    if (sum === undefined) {
      const nothing = { events: 0, seconds: 0, lastOccurredAt: occurredAt };
      sum = { day, trackRowId, type, country: country ?? '', ...nothing };
      sums.set(key, sum);
    }
    sum.events++;
    sum.seconds += seconds ?? 0;
    sum.lastOccurredAt = Math.max(sum.lastOccurredAt, occurredAt);
  };
  for (const row of rows) {
    add(row, row.trackRowId);
    add(row, ALL_TRACKS);
  }
  return [...sums.values()].sort(
    (a, b) =>
      a.day - b.day ||
      a.trackRowId - b.trackRowId ||
      a.type - b.type ||
      (a.country < b.country ? -1 : 1),
  );
}
