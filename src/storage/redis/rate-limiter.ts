import { setTimeout as pause } from 'node:timers/promises';
import { WINDOW_SECONDS } from '../../access/fixed-windows.ts';
import type {
  LocalRateLimiter,
  RateDecision,
  SharedRateLimiter,
} from '../../access/rate-limiter.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { redisAddress, redisFault } from './connection.ts';
import { SharedCounter } from './shared-counter.ts';
import { StandIn } from './stand-in.ts';

/** Several times what all but one answer in a thousand take (docs/adr/0015). */
const BUDGET_MS = 100;

/** Milliseconds for a name to be resolved, a connection to be made and a password to be checked. */
const PATIENCE_MS = 1000;

/** Pauses between attempts grow from the first to the longest. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** Some milliseconds' work for Redis: requests that wait behind it are not late. */
const DEBTS_AT_ONCE = 500;

/** After a connection that lived for longer, pauses begin anew; one that breaks soon is not hurried after. */
const GOOD_LIFE_MS = 10_000;

/**
 * Counts over all nodes, in Redis, by its time. While Redis is away, slow or refuses, it counts in
 * this process, at once and without waiting, and tries to reach Redis again until it does: a caller
 * never meets an error of Redis, and waits for it a tenth of a second at the most.
 */
export class RedisRateLimiter implements SharedRateLimiter {
  readonly #url: string;
  readonly #log: Log;
  readonly #windowMs: number;
  readonly #standIn: StandIn;
  readonly #closing = new AbortController();
  /** What counts now; undefined while Redis is away. */
  #counter: SharedCounter | undefined;
  #running: Promise<void> | undefined;
  #isMissed = false;

  /**
   * @param deps.local counts while Redis is away.
   * @param deps.windowSeconds for tests that cannot wait a minute.
   */
  constructor(deps: {
    url: string;
    local: LocalRateLimiter;
    clock: Clock;
    log: Log;
    windowSeconds?: number;
  }) {
    this.#url = deps.url;
    this.#log = deps.log;
    this.#windowMs = (deps.windowSeconds ?? WINDOW_SECONDS) * 1000;
    this.#standIn = new StandIn({ ...deps, windowMs: this.#windowMs });
  }

  /** Resolves when Redis was tried for the first time, reached or not. Never rejects. */
  async start(): Promise<void> {
    const tried = Promise.withResolvers<void>();
    this.#running = this.#run(tried.resolve);
    await tried.promise;
  }

  get isShared(): boolean {
    return this.#counter !== undefined;
  }

  get countedLocally(): number {
    return this.#standIn.total;
  }

  take(key: string, limit: number): RateDecision | Promise<RateDecision> {
    return this.#counter === undefined
      ? this.#standIn.take(key, limit)
      : this.#takeShared(this.#counter, key, limit);
  }

  /** Ends the connection; what is asked afterwards is counted in this process. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#counter?.close();
    await this.#running;
  }

  #takeShared(counter: SharedCounter, key: string, limit: number): Promise<RateDecision> {
    return counter.count(key, limit).then(
      ([counted, count, leftMs]) => {
        this.#standIn.see(key, count, leftMs);
        return {
          allowed: counted === 1,
          limit,
          remaining: Math.max(0, limit - count),
          resetSeconds: Math.ceil(leftMs / 1000),
        };
      },
      () => this.#standIn.take(key, limit),
    );
  }

  /** Reaches Redis, again and again, until this is closed. */
  async #run(onTried: () => void): Promise<void> {
    const { signal } = this.#closing;
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const begunMs = performance.now();
      const fault = await this.#shareFor(onTried).catch((error: Error) => error);
      this.#counter = undefined;
      if (signal.aborted) {
        break;
      }
      this.#miss(fault);
      onTried();
      pauseMs =
        performance.now() - begunMs > GOOD_LIFE_MS
          ? FIRST_PAUSE_MS
          : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      // Unreferenced: it keeps no process alive. Cut short by the closing.
      await pause(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
    onTried();
  }

  /** Counts in Redis for as long as that goes; what ended it. Rejects where it cannot be reached. */
  async #shareFor(onTried: () => void): Promise<Error> {
    const counter = await SharedCounter.open({
      url: this.#url,
      windowMs: this.#windowMs,
      budgetMs: BUDGET_MS,
      patienceMs: PATIENCE_MS,
    });
    // Redis first learns what was counted without it. What comes meanwhile, it learns when it takes
    // over, from that very turn on.
    for (let owed = this.#standIn.debts; owed > DEBTS_AT_ONCE; owed -= DEBTS_AT_ONCE) {
      await this.#pay(counter);
    }
    void this.#payAll(counter).catch(() => {});
    if (this.#closing.signal.aborted) {
      counter.close();
    } else {
      this.#counter = counter;
      this.#find();
      onTried();
    }
    return counter.lost;
  }

  async #payAll(counter: SharedCounter): Promise<void> {
    while (this.#standIn.debts > 0) {
      await this.#pay(counter);
    }
  }

  /** Rejects where the counter has failed, which ends it. */
  async #pay(counter: SharedCounter): Promise<void> {
    await Promise.all(
      this.#standIn.settle(DEBTS_AT_ONCE).map(async (debt) => {
        try {
          const [, count, leftMs] = await counter.add(debt);
          this.#standIn.settled(debt, count, leftMs);
        } catch (error) {
          this.#standIn.restore(debt);
          throw error;
        }
      }),
    );
  }

  #miss(fault: Error): void {
    if (!this.#isMissed) {
      this.#isMissed = true;
      const reason = redisFault(fault, this.#url);
      this.#log.warn(
        { redis: redisAddress(this.#url), reason },
        'Redis is away: each node counts requests by itself',
      );
    }
  }

  #find(): void {
    if (this.#isMissed) {
      this.#isMissed = false;
      this.#log.info(
        { redis: redisAddress(this.#url), countedLocally: this.countedLocally },
        'Redis is back: requests are counted over all nodes',
      );
    }
  }
}
