import { newId } from '../../src/common/ids.ts';
import type { UsageEvent, UsageReport } from '../../src/features/usage/usage.ts';
import { trackId } from '../harness/stores.ts';

/** The time at which the reports of the tests are received. */
export const NOW = Date.UTC(2026, 10, 21, 10);
export const DAY_MS = 86_400_000;

export const CLIENT = newId();

/** The stream of the nth track of the tests, an hour ago. */
export function stream(
  eventId: string,
  track = 0,
  overrides: Partial<UsageEvent> = {},
): UsageEvent {
  return {
    eventId,
    type: 'stream',
    trackId: trackId(track),
    occurredAt: NOW - 3_600_000,
    seconds: 42,
    userId: null,
    country: null,
    playlistId: null,
    endReason: null,
    offline: false,
    licenseNumber: null,
    production: null,
    cue: null,
    ...overrides,
  };
}

export function report(
  events: readonly UsageEvent[],
  overrides: Partial<UsageReport> = {},
): UsageReport {
  return {
    clientId: CLIENT,
    mode: 'live',
    batchId: newId(),
    receivedAt: NOW,
    maxAgeDays: 7,
    events,
    ...overrides,
  };
}
