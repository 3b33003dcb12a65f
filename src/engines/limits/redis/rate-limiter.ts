import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../common/log.ts';
import {
  type LocalRateLimiter,
  type RateDecision,
  type RateLimiter,
  WINDOW_SECONDS,
} from '../rate-limiter.ts';
import { redisAddress, redisFault } from './connection.ts';
import { RedisCounter } from './redis-counter.ts';

/** The longest that a request waits for Redis (docs/adr/0015). */
const BUDGET_MS = 100;

/** For name resolution, connecting and authentication together. */
const CONNECT_MS = 1000;

/**
 * The pause before the next attempt to connect: after a stable connection has failed, the first one. After
 * each further failure it doubles, up to the longest one.
 */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

/** A connection that lasted for longer resets the pause. */
const STABLE_MS = 10_000;

/**
 * Counts over all nodes, in Redis. While Redis is away, slow or rejects commands, it falls back to
 * the local limiter and reconnects in the background. Counts are not transferred between the two. A
 * caller never meets an error of Redis, and waits for it for `BUDGET_MS` at most.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #url: string;
  readonly #local: LocalRateLimiter;
  readonly #log: Log;
  readonly #windowMs: number;
  readonly #budgetMs: number;
  readonly #closing = new AbortController();
  /** Undefined while Redis is away. */
  #counter: RedisCounter | undefined;
  #running: Promise<void> | undefined;
  #isAwayLogged = false;
  #countedLocally = 0;

  /**
   * @param deps.local the local fallback.
   * @param deps.windowSeconds for tests that cannot wait a minute.
   * @param deps.budgetMs for tests that count exactly, whose Redis may be slow on a busy machine.
   */
  constructor(deps: {
    url: string;
    local: LocalRateLimiter;
    log: Log;
    windowSeconds?: number;
    budgetMs?: number;
  }) {
    this.#url = deps.url;
    this.#local = deps.local;
    this.#log = deps.log;
    this.#windowMs = (deps.windowSeconds ?? WINDOW_SECONDS) * 1000;
    this.#budgetMs = deps.budgetMs ?? BUDGET_MS;
  }

  /** Resolves after the first attempt to connect, whatever its outcome. Never rejects. */
  async start(): Promise<void> {
    const attempted = Promise.withResolvers<void>();
    this.#running = this.#run(attempted.resolve);
    await attempted.promise;
  }

  /** Whether requests are counted over all nodes now. */
  get isShared(): boolean {
    return this.#counter !== undefined;
  }

  /** Number of requests that this node checked against its local counts. */
  get countedLocally(): number {
    return this.#countedLocally;
  }

  take(key: string, limit: number): RateDecision | Promise<RateDecision> {
    return (
      this.#counter?.take(key, limit).catch(() => this.#takeLocally(key, limit)) ??
      this.#takeLocally(key, limit)
    );
  }

  /** Ends the connection; later requests are counted locally. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#counter?.close();
    await this.#running;
  }

  #takeLocally(key: string, limit: number): RateDecision {
    this.#countedLocally++;
    return this.#local.take(key, limit);
  }

  /** Connects, and connects again after each failure, until this is closed. */
  async #run(onAttempted: () => void): Promise<void> {
    const { signal } = this.#closing;
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const startedMs = performance.now();
      const failure = await this.#countInRedis(onAttempted).catch((error: Error) => error);
      this.#counter = undefined;
      if (!signal.aborted) {
        this.#logAway(failure);
        onAttempted();
        const wasStable = performance.now() - startedMs > STABLE_MS;
        pauseMs = wasStable ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, MAX_PAUSE_MS);
        // Unreferenced, so that it does not keep the process alive; closing interrupts it.
        await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
      }
    }
    onAttempted();
  }

  /** Counts in Redis until that fails; resolves with the failure. Rejects if Redis cannot be reached. */
  async #countInRedis(onAttempted: () => void): Promise<Error> {
    const counter = await RedisCounter.open({
      url: this.#url,
      windowMs: this.#windowMs,
      budgetMs: this.#budgetMs,
      connectMs: CONNECT_MS,
    });
    if (this.#closing.signal.aborted) {
      counter.close();
    } else {
      this.#counter = counter;
      this.#logBack();
      onAttempted();
    }
    return counter.failure;
  }

  #logAway(failure: Error): void {
    if (!this.#isAwayLogged) {
      this.#isAwayLogged = true;
      const reason = redisFault(failure, this.#url);
      this.#log.warn(
        { redis: redisAddress(this.#url), reason },
        'Redis is away: each node counts requests by itself',
      );
    }
  }

  #logBack(): void {
    if (this.#isAwayLogged) {
      this.#isAwayLogged = false;
      this.#log.info(
        { redis: redisAddress(this.#url), countedLocally: this.#countedLocally },
        'Redis is back: requests are counted over all nodes',
      );
    }
  }
}
