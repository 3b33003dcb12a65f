import { connectRedis, type RedisConnection } from './connection.ts';
import { ADD, COUNT, type Script } from './scripts.ts';
import type { Debt } from './stand-in.ts';

/** Before the client's id, which is a UUID. */
const KEY_PREFIX = 'stave:rate:';

/** Counted each time a connection is opened, to see that Redis answers in time and takes writes. */
const PROBE_KEY = 'probe';

/** Looks at what waits in a budget; the last of them ends it. */
const LOOKS = 4;

/** What became of one request: 1 where it was counted, what the window now holds, and its end. */
export type SharedCount = readonly [counted: 0 | 1, count: number, leftMs: number];

/** How a shared counter is opened. */
export interface CounterOptions {
  url: string;
  windowMs: number;
  /** For how long a command may wait for its answer, in milliseconds. */
  budgetMs: number;
  /** For how long connecting may take, in milliseconds. */
  patienceMs: number;
}

interface Waiting {
  /** How many looks there had been when it was sent. */
  since: number;
  resolve(reply: SharedCount): void;
  reject(error: Error): void;
}

/**
 * The windows in Redis, for as long as one connection to it works. As soon as it breaks, refuses a
 * command or lets one wait for longer than the budget, everything that waits is rejected, and
 * everything after it: open another one.
 */
export class SharedCounter {
  readonly #windowMs: string;
  readonly #lookMs: number;
  /** In the order they were sent, which is the order they are answered in. */
  readonly #waiting = new Set<Waiting>();
  readonly #lost = Promise.withResolvers<Error>();
  #connection: RedisConnection | undefined;
  #fault: Error | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looks = 0;

  private constructor(deps: CounterOptions) {
    this.#windowMs = String(deps.windowMs);
    this.#lookMs = deps.budgetMs / LOOKS;
  }

  /** Connects and counts once, or rejects within `patienceMs` and two budgets. */
  static async open(deps: CounterOptions): Promise<SharedCounter> {
    const counter = new SharedCounter(deps);
    counter.#connection = await connectRedis({
      ...deps,
      onLost: (error) => counter.#end(error),
    });
    await counter.count(PROBE_KEY, Number.MAX_SAFE_INTEGER);
    // Redis now knows this script too: else each of thousands would be sent twice, and so be late.
    await counter.add({ key: PROBE_KEY, counted: 1, before: 0, leftMs: deps.windowMs });
    return counter;
  }

  /** Why it ended; resolves when it does. */
  get lost(): Promise<Error> {
    return this.#lost.promise;
  }

  /** Counts one request of the key, unless its window holds `limit` already. */
  count(key: string, limit: number): Promise<SharedCount> {
    return this.#run(COUNT, key, [String(limit), this.#windowMs]);
  }

  /** Adds what was counted while Redis was away. */
  add({ key, counted, before, leftMs }: Debt): Promise<SharedCount> {
    return this.#run(ADD, key, [counted, before, Math.ceil(leftMs)].map(String));
  }

  close(): void {
    this.#end(new Error('closed'));
  }

  #run(script: Script, key: string, args: readonly string[]): Promise<SharedCount> {
    if (this.#fault !== undefined) {
      return Promise.reject(this.#fault);
    }
    const tail = ['1', KEY_PREFIX + key, ...args];
    return new Promise((resolve, reject) => {
      const waiting = { since: this.#looks, resolve, reject };
      this.#waiting.add(waiting);
      this.#timer ??= setTimeout(() => this.#look(), this.#lookMs);
      const answered = (reply: unknown) => {
        if (isAnswer(reply)) {
          this.#waiting.delete(waiting);
          resolve(reply);
        } else {
          this.#end(new Error('an answer that Redis does not give'));
        }
      };
      const refused = (error: Error) => this.#end(error);
      this.#connection!.send(['EVALSHA', script.sha, ...tail]).then(answered, (error: Error) =>
        // A Redis that has started anew, or was told to forget its scripts.
        error.message.startsWith('NOSCRIPT')
          ? this.#connection!.send(['EVAL', script.text, ...tail]).then(answered, refused)
          : refused(error),
      );
    });
  }

  /**
   * Ends it where a command has waited for a whole budget. That is counted in looks rather than in
   * milliseconds: when our own thread was busy, the answer may lie there unread, and is read before
   * the next look.
   */
  #look(): void {
    this.#timer = undefined;
    const [oldest] = this.#waiting;
    if (oldest === undefined) {
      return;
    }
    this.#looks++;
    if (this.#looks - oldest.since >= LOOKS) {
      this.#end(new Error(`no answer within ${LOOKS * this.#lookMs} ms`));
      return;
    }
    this.#timer = setTimeout(() => this.#look(), this.#lookMs);
  }

  #end(error: Error): void {
    if (this.#fault !== undefined) {
      return;
    }
    this.#fault = error;
    clearTimeout(this.#timer);
    for (const { reject } of this.#waiting) {
      reject(error);
    }
    this.#waiting.clear();
    this.#connection?.close();
    this.#lost.resolve(error);
  }
}

/** Both scripts answer with three numbers: anything else is not Redis, or not ours. */
function isAnswer(reply: unknown): reply is SharedCount {
  return (
    Array.isArray(reply) && reply.length === 3 && reply.every((part) => typeof part === 'number')
  );
}
