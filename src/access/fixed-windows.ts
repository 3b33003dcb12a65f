import type { Clock } from '../kernel/clock.ts';
import type { RateDecision } from './rate-limiter.ts';

/** Length of every window that limits are counted in (decisions §6). */
export const WINDOW_SECONDS = 60;

interface Window {
  /** Milliseconds of the windows' own time. */
  startedAt: number;
  count: number;
}

/** Counts by key in windows that begin with a key's first count. Each call is synchronous. */
export interface Windows {
  /** Counts one where the key's window holds fewer than `limit`. */
  take(key: string, limit: number): RateDecision;
  /** What the key's window holds now; 0 where it has none. */
  count(key: string): number;
  /** Whole seconds until the key's window ends, rounded up; a full window where it has none. */
  resetSeconds(key: string): number;
  add(key: string): void;
  /** Takes counts back that are kept elsewhere now; of a window that is over or holds fewer, what there is. */
  release(key: string, count: number): void;
}

/**
 * Counts by key in windows of 60 s that begin with a key's first count. Windows that are over are
 * dropped as others begin, so memory holds one minute's keys, `maxKeys` of them at most: beyond
 * that the oldest windows are forgotten. Each call is synchronous, and costs O(1) on average.
 */
export class FixedWindows implements Windows {
  readonly #clock: Clock;
  readonly #maxKeys: number;
  readonly #windowMs: number;
  /** In the order of their beginnings, and so of their ends: a new window is set anew, at the back. */
  readonly #windows = new Map<string, Window>();
  #lastReadMs: number;
  #elapsedMs = 0;

  /** @param deps.windowSeconds for tests that cannot wait a minute. */
  constructor(deps: { clock: Clock; maxKeys?: number; windowSeconds?: number }) {
    this.#clock = deps.clock;
    this.#maxKeys = deps.maxKeys ?? Number.POSITIVE_INFINITY;
    this.#windowMs = (deps.windowSeconds ?? WINDOW_SECONDS) * 1000;
    this.#lastReadMs = deps.clock.now();
  }

  /** One reading of the clock for all of it. */
  take(key: string, limit: number): RateDecision {
    const now = this.#now();
    let window = this.#current(key, now);
    const allowed = (window?.count ?? 0) < limit;
    if (allowed) {
      window ??= this.#begin(key, now);
      window.count += 1;
    }
    return {
      allowed,
      limit,
      // A limit may be lowered in the middle of a window, below what was used of it.
      remaining: Math.max(0, limit - (window?.count ?? 0)),
      resetSeconds: this.#secondsLeft(window, now),
    };
  }

  count(key: string): number {
    return this.#current(key, this.#now())?.count ?? 0;
  }

  resetSeconds(key: string): number {
    const now = this.#now();
    return this.#secondsLeft(this.#current(key, now), now);
  }

  add(key: string): void {
    const now = this.#now();
    const window = this.#current(key, now) ?? this.#begin(key, now);
    window.count += 1;
  }

  release(key: string, count: number): void {
    const window = this.#current(key, this.#now());
    if (window !== undefined) {
      window.count = Math.max(0, window.count - count);
    }
  }

  /** How many keys it holds, those included whose windows are over and not yet dropped. */
  get size(): number {
    return this.#windows.size;
  }

  /** Time that never runs backwards: while the machine's clock is set back, it stands still. */
  #now(): number {
    const read = this.#clock.now();
    this.#elapsedMs += Math.max(0, read - this.#lastReadMs);
    this.#lastReadMs = read;
    return this.#elapsedMs;
  }

  #current(key: string, now: number): Window | undefined {
    const window = this.#windows.get(key);
    return window !== undefined && now < window.startedAt + this.#windowMs ? window : undefined;
  }

  #begin(key: string, now: number): Window {
    this.#windows.delete(key);
    this.#makeRoom(now);
    const window = { startedAt: now, count: 0 };
    this.#windows.set(key, window);
    return window;
  }

  #makeRoom(now: number): void {
    for (const [key, { startedAt }] of this.#windows) {
      if (now < startedAt + this.#windowMs && this.#windows.size < this.#maxKeys) {
        return;
      }
      this.#windows.delete(key);
    }
  }

  #secondsLeft(window: Window | undefined, now: number): number {
    return Math.ceil(((window?.startedAt ?? now) + this.#windowMs - now) / 1000);
  }
}
