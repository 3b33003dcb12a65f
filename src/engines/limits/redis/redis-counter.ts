import { createHash } from 'node:crypto';
import type { RateDecision } from '../rate-limiter.ts';
import { connectRedis, type RedisConnection } from './connection.ts';

/** Followed by the client's id, which is a UUID. */
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
const COUNT_SHA = createHash('sha1').update(COUNT_SCRIPT).digest('hex');

type CountReply = readonly [counted: 0 | 1, count: number, leftMs: number];

interface PendingTake {
  /** Number of checks that had run when the command was sent. */
  sentAtCheck: number;
  reject(error: Error): void;
}

/**
 * The windows in Redis, over one connection. It fails once and for all when the connection breaks,
 * Redis rejects a command, or a command waits for longer than the budget: then all pending takes
 * and all later ones reject.
 */
export class RedisCounter {
  readonly #windowMs: string;
  readonly #checkMs: number;
  /** In the order of sending, which is the order of replies. */
  readonly #pending = new Set<PendingTake>();
  readonly #failed = Promise.withResolvers<Error>();
  #connection: RedisConnection | undefined;
  #failure: Error | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checks = 0;

  private constructor(deps: { windowMs: number; budgetMs: number }) {
    this.#windowMs = String(deps.windowMs);
    this.#checkMs = deps.budgetMs / CHECKS;
  }

  /**
   * Connects and counts once under a key of its own. Rejects if that fails, after `connectMs` plus
   * `budgetMs` at the latest.
   *
   * @param deps.budgetMs the longest that a command may wait for its reply.
   * @param deps.connectMs the longest that connecting may take.
   */
  static async open(deps: {
    url: string;
    windowMs: number;
    budgetMs: number;
    connectMs: number;
  }): Promise<RedisCounter> {
    const counter = new RedisCounter(deps);
    counter.#connection = await connectRedis({
      url: deps.url,
      timeoutMs: deps.connectMs,
      onLost: (error) => counter.#fail(error),
    });
    await counter.take(PROBE_KEY, Number.MAX_SAFE_INTEGER);
    return counter;
  }

  /** Resolves with the reason when the counter has failed or was closed. */
  get failure(): Promise<Error> {
    return this.#failed.promise;
  }

  take(key: string, limit: number): Promise<RateDecision> {
    if (this.#failure !== undefined) {
      return Promise.reject(this.#failure);
    }
    const args = ['1', KEY_PREFIX + key, String(limit), this.#windowMs];
    return new Promise((resolve, reject) => {
      const pending = { sentAtCheck: this.#checks, reject };
      this.#pending.add(pending);
      this.#timer ??= setTimeout(() => this.#check(), this.#checkMs);
      const onReply = (reply: unknown) => {
        if (!isCountReply(reply)) {
          this.#fail(new Error('unexpected reply'));
          return;
        }
        const [counted, count, leftMs] = reply;
        this.#pending.delete(pending);
        resolve({
          allowed: counted === 1,
          limit,
          remaining: Math.max(0, limit - count),
          resetSeconds: Math.ceil(leftMs / 1000),
        });
      };
      const onError = (error: Error) => this.#fail(error);
      this.#connection!.send(['EVALSHA', COUNT_SHA, ...args]).then(onReply, (error: Error) =>
        // Redis was restarted, or its script cache was flushed.
        error.message.startsWith('NOSCRIPT')
          ? this.#connection!.send(['EVAL', COUNT_SCRIPT, ...args]).then(onReply, onError)
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
