import { USAGE_TYPES } from '../../../src/features/usage/usage.ts';

/** An event as the reporter sends and remembers it. */
export interface ReportedEvent {
  eventId: string;
  type: (typeof USAGE_TYPES)[number];
  trackId: string;
  /** RFC 3339 in UTC with milliseconds. */
  occurredAt: string;
  seconds?: number;
  country?: string;
  production?: { id: string; title: string };
  cue?: { startSeconds: number; usage: string };
}

/** A report that is sent until it is acknowledged. */
export interface Batch {
  number: number;
  /** The `Idempotency-Key` of all attempts. */
  key: string;
  events: readonly ReportedEvent[];
}

const EVENTS = 20;
const COUNTRIES = ['DE', 'GB', 'US', undefined];

/** Makes the batch of this number. Every batch has events of all types, for tracks and countries that others share. */
export function makeBatch(number: number, trackIds: readonly string[]): Batch {
  const occurredAt = new Date().toISOString();
  const events = Array.from({ length: EVENTS }, (_, i) => {
    const type = USAGE_TYPES[(number + i) % USAGE_TYPES.length]!;
    const country = COUNTRIES[i % COUNTRIES.length];
    return {
      eventId: `event-${number}-${i}`,
      type,
      trackId: trackIds[(3 * number + i) % trackIds.length]!,
      occurredAt,
      ...(country !== undefined && { country }),
      ...(type !== 'download' && { seconds: 1 + ((number + i) % 300) }),
      ...(type === 'sync' && {
        production: { id: `film-${number % 5}`, title: 'Harbour Lights' },
        cue: { startSeconds: i, usage: 'BI' },
      }),
    };
  });
  return { number, key: `batch-${number}`, events };
}
