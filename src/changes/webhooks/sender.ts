import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, DAY_MS } from '../../common/clock.ts';
import { grouped } from '../../common/grouped.ts';
import { nextAttemptAt } from './schedule.ts';
import type { AttemptResult, DueEndpoint, DueMessage, SenderStore } from './sender-store.ts';

/** The most requests at the same time: in all, to one endpoint, and to one whose last attempt has failed. */
const MOST_OPEN = 64;
const MOST_OPEN_TO_ONE = 4;
const MOST_OPEN_TO_FAILING = 1;
/** The messages that are read at once for an endpoint. They have up to 20 kB each. */
const READ_AHEAD = 16;
/** How often due messages are looked for, in milliseconds. */
const POLL_MS = 250;
/** The pause before results are stored again that could not be. */
const STORE_AGAIN_MS = 1_000;
/** An endpoint whose message has run out of attempts is disabled if it has failed for this long. */
const FAILING_MS = 3 * DAY_MS;

/** A request to a partner. */
interface OutgoingMessage {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

/** What a request to a partner has done. */
type DeliveryAttempt = Pick<AttemptResult, 'httpStatus' | 'error' | 'response' | 'durationMs'> & {
  delivered: boolean;
  /** The wait that the receiver asks for; null if it asks for none. */
  retryAfterMs: number | null;
};

/** Options of a sender. */
export interface SenderOptions {
  store: SenderStore;
  clock: Clock;
  /** Makes one request, which the signal ends. Never rejects. */
  deliver(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryAttempt>;
  /** Returns the headers that sign a message. */
  sign(
    id: string,
    now: number,
    body: Uint8Array,
    secrets: readonly Uint8Array[],
  ): Record<string, string>;
  userAgent: string;
  /** Returns a random number from 0 to 1. */
  random(): number;
  /** Called for each attempt that was stored. */
  onAttempt(result: AttemptResult): void;
  onError(error: unknown, what: string): void;
}

/** An endpoint to which messages are sent. */
interface Line {
  endpoint: DueEndpoint;
  /** Messages that were read and are not sent yet. */
  waiting: DueMessage[];
  /** The messages of open requests, until the results are stored. */
  open: Set<number>;
  /** Whether the last attempt has failed, or none was made yet. */
  isFailing: boolean;
  /** Whether there may be more due messages than were read. */
  hasMore: boolean;
}

/**
 * Sends the messages that are due. What is open is known only here: the lease of the task ensures that no other node
 * sends at the same time, and a message without a stored result is sent again.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #lines = new Map<number, Line>();
  readonly #record: (result: AttemptResult) => Promise<unknown>;
  #open = 0;
  /** Resolves the present wait for something to do. */
  #wake = () => {};

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#record = grouped(async (results: readonly AttemptResult[]) => {
      await options.store.record(results);
      return results;
    }, MOST_OPEN);
  }

  /** Sends until the signal aborts, which ends the open requests. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, onError } = this.#options;
    signal.addEventListener('abort', () => this.#wake());
    while (!signal.aborted) {
      try {
        this.#follow(await store.dueEndpoints(clock.now()));
        await this.#sendDue(signal);
      } catch (error) {
        onError(error, 'looking for messages to send');
      }
      await this.#pause(POLL_MS);
    }
    while (this.#open > 0) await this.#pause(POLL_MS);
  }

  /** Takes in the endpoints that have due messages, as they are now. */
  #follow(endpoints: readonly DueEndpoint[]): void {
    const due = new Map(endpoints.map((endpoint) => [endpoint.rowId, endpoint]));
    for (const [rowId, line] of this.#lines) {
      line.waiting = [];
      line.hasMore = due.has(rowId);
      if (!line.hasMore && line.open.size === 0) this.#lines.delete(rowId);
    }
    for (const endpoint of endpoints) {
      const line = this.#lines.get(endpoint.rowId);
      if (line !== undefined) line.endpoint = endpoint;
      else {
        this.#lines.set(endpoint.rowId, {
          endpoint,
          waiting: [],
          open: new Set(),
          isFailing: true,
          hasMore: true,
        });
      }
    }
  }

  /** Sends in turns of one message for each endpoint until nothing can be sent or the endpoints are to be read again. */
  async #sendDue(signal: AbortSignal): Promise<void> {
    const until = performance.now() + POLL_MS;
    while (!signal.aborted && performance.now() < until) {
      let isIdle = true;
      for (const line of this.#lines.values()) {
        if (this.#open >= MOST_OPEN) break;
        if (!hasPlace(line)) continue;
        if (line.waiting.length === 0) await this.#readAhead(line);
        const message = line.waiting.shift();
        if (message === undefined) continue;
        isIdle = false;
        void this.#send(line, message, signal);
      }
      if (isIdle) {
        const isDone = this.#open === 0 && [...this.#lines.values()].every((one) => !one.hasMore);
        if (isDone) return;
        await this.#pause(until - performance.now());
      }
    }
  }

  async #readAhead(line: Line): Promise<void> {
    if (!line.hasMore) return;
    const limit = line.open.size + READ_AHEAD;
    const now = this.#options.clock.now();
    const messages = await this.#options.store.dueMessages(line.endpoint.rowId, now, limit);
    line.waiting = messages.filter(({ rowId }) => !line.open.has(rowId));
    line.hasMore = messages.length === limit;
  }

  async #send(line: Line, message: DueMessage, signal: AbortSignal): Promise<void> {
    line.open.add(message.rowId);
    this.#open++;
    try {
      const result = await this.#attempt(line.endpoint, message, signal);
      if (result === undefined) return;
      line.isFailing = result.outcome !== 'delivered';
      await this.#keep(result, signal);
      if (result.outcome === 'failed') {
        await this.#disableAfter(result);
        // What was read ahead may be discarded now.
        line.waiting = [];
      }
    } catch (error) {
      this.#options.onError(error, 'sending a message');
    } finally {
      line.open.delete(message.rowId);
      this.#open--;
      this.#wake();
    }
  }

  /** Makes one request. Returns undefined if the signal ended it. */
  async #attempt(
    { rowId: webhookRowId, url, mode, secrets }: DueEndpoint,
    { rowId: deliveryRowId, id: deliveryId, body: text, scheduleAttempts }: DueMessage,
    signal: AbortSignal,
  ): Promise<AttemptResult | undefined> {
    const { clock, deliver, sign, userAgent, random } = this.#options;
    const at = clock.now();
    const body = Buffer.from(text);
    // The id is the same in all attempts, and contains no dot.
    const id = `msg_${deliveryId.replaceAll('-', '')}`;
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': userAgent,
      ...sign(id, at, body, secrets),
    };
    const { delivered, retryAfterMs, ...attempt } = await deliver({ url, headers, body }, signal);
    if (signal.aborted && !delivered) return undefined;
    const { httpStatus, error, response, durationMs } = attempt;
    const endedAt = clock.now();
    const isLast = delivered || httpStatus === 410;
    const nextAt = isLast
      ? null
      : nextAttemptAt(mode, scheduleAttempts + 1, { now: endedAt, retryAfterMs, random: random() });
    const outcome = delivered ? 'delivered' : nextAt === null ? 'failed' : 'pending';
    return {
      deliveryRowId,
      webhookRowId,
      at,
      durationMs,
      httpStatus,
      error,
      response,
      outcome,
      nextAt,
      endedAt,
    };
  }

  /** Stores a result, however long the store is away, because the message would be sent again without it. */
  async #keep(result: AttemptResult, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#record(result);
        this.#options.onAttempt(result);
        return;
      } catch (error) {
        this.#options.onError(error, 'storing the result of a message');
        if (signal.aborted) return;
        await sleep(STORE_AGAIN_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Disables an endpoint after a message that is not sent again, if it is gone or has failed for long. */
  async #disableAfter({ webhookRowId, httpStatus, endedAt }: AttemptResult): Promise<void> {
    const { store } = this.#options;
    if (httpStatus === 410) await store.disable(webhookRowId, 'gone');
    else await store.disable(webhookRowId, 'failing', endedAt - FAILING_MS);
  }

  /** Waits until a request has ended, but no longer than this. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, ms));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Whether one more request to an endpoint may be open. */
function hasPlace({ open, isFailing }: Line): boolean {
  return open.size < (isFailing ? MOST_OPEN_TO_FAILING : MOST_OPEN_TO_ONE);
}
