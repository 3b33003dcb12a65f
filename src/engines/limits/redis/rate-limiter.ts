import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../common/log.ts';
import type { MemoryRateLimiter } from '../memory-rate-limiter.ts';
import { type AttemptLimiter, type RateDecision, WINDOW_SECONDS } from '../rate-limiter.ts';
import { connectRedis, type RedisConnection, redisAddress, redisFault } from './connection.ts';

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

interface RedisRateLimiterOptions {
  url: string;
  local: MemoryRateLimiter;
  log: Log;
  /** For tests that cannot wait a minute. */
  windowSeconds?: number;
  /** For tests that count exactly, whose Redis may be slow on a busy machine. */
  budgetMs?: number;
}

/**
 * Counts over all nodes, in Redis. While Redis is away, slow or rejects commands, it falls back to
 * the local limiter and reconnects in the background. Counts are not transferred between the two. A
 * caller never meets an error of Redis, and waits for it for `BUDGET_MS` at most.
 */
export class RedisRateLimiter implements AttemptLimiter {
  readonly #options: RedisRateLimiterOptions;
  readonly #closing = new AbortController();
  /** Undefined while Redis is away. */
  #counter: RedisCounter | undefined;
  #running: Promise<void> | undefined;
  #isAwayLogged = false;
  #countedLocally = 0;

  constructor(options: RedisRateLimiterOptions) {
    this.#options = options;
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

  get countedLocally(): number {
    return this.#countedLocally;
  }

  take(key: string, limit: number, windowSeconds?: number): RateDecision | Promise<RateDecision> {
    const takeLocally = () => this.#takeLocally(key, limit, windowSeconds);
    return this.#counter?.take(key, limit, windowSeconds).catch(takeLocally) ?? takeLocally();
  }

  /** What was counted before Redis went away, or came back, stays counted until its window ends. */
  async giveBack(key: string, taken: RateDecision): Promise<void> {
    if (this.#counter === undefined) this.#options.local.giveBack(key, taken);
    else await this.#counter.giveBack(key, taken).catch(() => {});
  }

  /** Ends the connection; later requests are counted locally. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#counter?.close();
    await this.#running;
  }

  #takeLocally(key: string, limit: number, windowSeconds?: number): RateDecision {
    this.#countedLocally++;
    return this.#options.local.take(key, limit, windowSeconds);
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
    const { url, windowSeconds = WINDOW_SECONDS, budgetMs = BUDGET_MS } = this.#options;
    const counter = await RedisCounter.open({ url, windowSeconds, budgetMs });
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
      const { url, log } = this.#options;
      log.warn(
        { redis: redisAddress(url), reason: redisFault(failure, url) },
        'Redis is away: each node counts requests by itself',
      );
    }
  }

  #logBack(): void {
    if (this.#isAwayLogged) {
      this.#isAwayLogged = false;
      const { url, log } = this.#options;
      log.info(
        { redis: redisAddress(url), countedLocally: this.#countedLocally },
        'Redis is back: requests are counted over all nodes',
      );
    }
  }
}

/** Followed by the id of a client, which is a UUID, or by what else is limited. */
const KEY_PREFIX = 'stave:rate:';

/** Counted when a connection is opened, to verify that Redis answers in time and accepts writes. */
const PROBE_KEY = 'probe';

/** The number of times that the deadline of a command is checked; the last check fails the connection. */
const CHECKS = 4;

/**
 * Counts one request unless the window of KEYS[1] holds ARGV[1] or more. ARGV[2] is the length of a
 * window in milliseconds. Returns whether the request was counted (1 or 0), the window's count, and
 * the milliseconds until the window ends, at least 1.
 *
 * A window is a number with an expiry, so only the clock of Redis matters. A key with 0 ms left has
 * expired and is not yet removed. A key with more than a window left was created before the clock of
 * Redis was set back.
 */
const COUNT_SCRIPT = `
local length = tonumber(ARGV[2])
local left = redis.call('PTTL', KEYS[1])
local count = left > 0 and tonumber(redis.call('GET', KEYS[1])) or 0
if left > length then
  left = length
  redis.call('PEXPIRE', KEYS[1], length)
end
if count >= tonumber(ARGV[1]) then
  return {0, count, left > 0 and left or length}
elseif left > 0 then
  return {1, redis.call('INCR', KEYS[1]), left}
end
redis.call('SET', KEYS[1], 1, 'PX', length)
return {1, 1, length}
`;
const COUNT = scriptOf(COUNT_SCRIPT);

/**
 * Undoes one count of the window of KEYS[1], unless it ends later than in ARGV[1] milliseconds: that is another one. A
 * window without counts is none. Calls only commands that COUNT_SCRIPT calls, too: a user of Redis may have no others.
 * Returns 1.
 */
const GIVE_BACK = scriptOf(`
local left = redis.call('PTTL', KEYS[1])
if left > 0 and left <= tonumber(ARGV[1]) then
  local count = tonumber(redis.call('GET', KEYS[1])) - 1
  if count > 0 then
    redis.call('SET', KEYS[1], count, 'PX', left)
  else
    redis.call('PEXPIRE', KEYS[1], 0)
  end
end
return 1
`);

interface Script {
  text: string;
  sha: string;
}

function scriptOf(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

type CountReply = readonly [counted: 0 | 1, count: number, leftMs: number];

interface PendingCommand {
  /** Number of checks that had run when the command was sent. */
  sentAtCheck: number;
  reject(error: Error): void;
}

/**
 * The windows in Redis, over one connection. It fails once and for all when the connection breaks,
 * Redis rejects a command, or a command waits for longer than the budget: then all pending commands
 * and all later ones reject.
 */
class RedisCounter {
  readonly #windowSeconds: number;
  readonly #checkMs: number;
  /** In the order of sending, which is the order of replies. */
  readonly #pending = new Set<PendingCommand>();
  readonly #failed = Promise.withResolvers<Error>();
  #connection: RedisConnection | undefined;
  #failure: Error | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checks = 0;

  private constructor(deps: { windowSeconds: number; budgetMs: number }) {
    this.#windowSeconds = deps.windowSeconds;
    this.#checkMs = deps.budgetMs / CHECKS;
  }

  /**
   * Connects and counts once under a key of its own. Rejects if that fails, after CONNECT_MS plus `budgetMs` at the latest.
   * @param deps.budgetMs the longest that a command may wait for its reply
   */
  static async open(deps: {
    url: string;
    windowSeconds: number;
    budgetMs: number;
  }): Promise<RedisCounter> {
    const counter = new RedisCounter(deps);
    counter.#connection = await connectRedis({
      url: deps.url,
      timeoutMs: CONNECT_MS,
      onLost: (error) => counter.#fail(error),
    });
    await counter.take(PROBE_KEY, Number.MAX_SAFE_INTEGER);
    return counter;
  }

  /** Resolves with the reason when the counter has failed or was closed. */
  get failure(): Promise<Error> {
    return this.#failed.promise;
  }

  async take(
    key: string,
    limit: number,
    windowSeconds = this.#windowSeconds,
  ): Promise<RateDecision> {
    const given = [String(limit), String(windowSeconds * 1000)];
    const [counted, count, leftMs] = await this.#run(COUNT, key, given, isCountReply);
    return {
      allowed: counted === 1,
      limit,
      remaining: Math.max(0, limit - count),
      resetSeconds: Math.ceil(leftMs / 1000),
    };
  }

  async giveBack(key: string, { resetSeconds }: RateDecision): Promise<void> {
    await this.#run(
      GIVE_BACK,
      key,
      [String(resetSeconds * 1000)],
      (reply): reply is 1 => reply === 1,
    );
  }

  #run<Reply>(
    { text, sha }: Script,
    key: string,
    given: readonly string[],
    isReply: (reply: unknown) => reply is Reply,
  ): Promise<Reply> {
    if (this.#failure !== undefined) {
      return Promise.reject(this.#failure);
    }
    const args = ['1', KEY_PREFIX + key, ...given];
    return new Promise((resolve, reject) => {
      const pending = { sentAtCheck: this.#checks, reject };
      this.#pending.add(pending);
      this.#timer ??= setTimeout(() => this.#check(), this.#checkMs);
      const onReply = (reply: unknown) => {
        if (!isReply(reply)) {
          this.#fail(new Error('unexpected reply'));
          return;
        }
        this.#pending.delete(pending);
        resolve(reply);
      };
      const onError = (error: Error) => this.#fail(error);
      this.#connection!.send(['EVALSHA', sha, ...args]).then(onReply, (error: Error) =>
        // Redis was restarted, or its script cache was flushed.
        error.message.startsWith('NOSCRIPT')
          ? this.#connection!.send(['EVAL', text, ...args]).then(onReply, onError)
          : onError(error),
      );
    });
  }

  close(): void {
    this.#fail(new Error('closed'));
  }

  /**
   * Fails the counter when a command has waited for the whole budget. Waiting is counted in checks
   * rather than in milliseconds: when this thread was busy, a reply that has arrived is read before
   * the next check.
   */
  #check(): void {
    this.#timer = undefined;
    const [oldest] = this.#pending;
    if (oldest === undefined) {
      return;
    }
    this.#checks++;
    if (this.#checks - oldest.sentAtCheck >= CHECKS) {
      this.#fail(new Error(`no answer within ${CHECKS * this.#checkMs} ms`));
      return;
    }
    this.#timer = setTimeout(() => this.#check(), this.#checkMs);
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) {
      return;
    }
    this.#failure = error;
    clearTimeout(this.#timer);
    for (const { reject } of this.#pending) {
      reject(error);
    }
    this.#pending.clear();
    this.#connection?.close();
    this.#failed.resolve(error);
  }
}

/** Whether the reply is that of COUNT_SCRIPT; a server that is not Redis may reply anything. */
function isCountReply(reply: unknown): reply is CountReply {
  return (
    Array.isArray(reply) && reply.length === 3 && reply.every((part) => typeof part === 'number')
  );
}
