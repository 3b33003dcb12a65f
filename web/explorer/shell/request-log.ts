import { signal } from '@preact/signals';
import type { EndedAttempt, Hooks } from '#client';

/** A request that has ended. */
export interface Entry extends EndedAttempt {
  /** Counts from 1. */
  number: number;
  /** When it ended, in milliseconds since the epoch. */
  endedAt: number;
}

/** The most entries that are kept. */
const MAX_ENTRIES = 200;

/** The latest requests, newest first. */
export const entries = signal<readonly Entry[]>([]);

/** How many requests the client has left in this minute; null before the first one. */
export const remaining = signal<number | null>(null);

let count = 0;

export const hooks: Hooks = {
  onResponse(attempt) {
    // The requests of a list that was left are of no interest.
    if (attempt.error instanceof DOMException && attempt.error.name === 'AbortError') return;
    const entry = { ...attempt, number: ++count, endedAt: Date.now() };
    entries.value = [entry, ...entries.value.slice(0, MAX_ENTRIES - 1)];
    if (attempt.rateLimitRemaining !== null) remaining.value = attempt.rateLimitRemaining;
  },
};

export function clearLog(): void {
  entries.value = [];
  remaining.value = null;
}
