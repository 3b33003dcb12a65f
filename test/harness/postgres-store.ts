import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { openPostgresStore, type PostgresOptions } from '../../src/app/open/open-postgres.ts';
import type { Log } from '../../src/common/log.ts';
import { Database } from '../../src/engines/sql/postgres/database.ts';
import type { Wiring } from '../../src/engines/sql/postgres/link/connection.ts';
import type { Store } from '../../src/features/store.ts';

/** A log whose lines a test reads, as level and message or as JSON. */
export interface RecordingLog extends Log {
  lines: string[];
  /** The lines with their fields, errors and causes. */
  text(): string;
}

export function recordingLog(): RecordingLog {
  const lines: string[] = [];
  const whole: string[] = [];
  const at = (level: string) => (fields: object, message: string) => {
    lines.push(`${level}: ${message}`);
    whole.push(spelled(fields), message);
  };
  return {
    lines,
    text: () => whole.join('\n'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}

/** All properties of a value as text, at every depth: what a careless logger would print. */
export function spelled(value: unknown, depth = 6): string {
  if (typeof value !== 'object' || value === null || depth === 0) return String(value);
  const names = Object.getOwnPropertyNames(value);
  return names
    .map((name) => `${name}: ${spelled((value as Record<string, unknown>)[name], depth - 1)}`)
    .join('\n');
}

/** Opens a store with the real clock; close it. */
export function openOn(
  url: string,
  { log = recordingLog(), ...options }: Partial<PostgresOptions> = {},
): Promise<Store> {
  const clock = { now: () => Date.now() };
  return openPostgresStore({ url, pool: 4, clock, log, ...options });
}

/** The database without its stores, for statements of the test. */
export function databaseOn(url: string, log: Log, pool = 4, wiring: Wiring = 'direct'): Database {
  return new Database({ url, wiring, pool, log });
}

/** Expects the call to be refused with `unavailable` and a retry time; returns the milliseconds until the refusal. */
export async function refusal(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await expect(call()).rejects.toMatchObject({
    name: 'StaveError',
    kind: 'unavailable',
    headers: { 'Retry-After': '1' },
  });
  return performance.now() - start;
}

/**
 * Expects the call to be refused without waiting for the database: before a timer of the same event loop, so that a
 * slow machine changes nothing.
 */
export async function refusalAtOnce(call: () => Promise<unknown>): Promise<void> {
  const refused = refusal(call).then(() => 'at once');
  expect(await Promise.race([refused, sleep(200, 'after a wait')])).toBe('at once');
}
