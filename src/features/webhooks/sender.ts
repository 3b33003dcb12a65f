import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../common/clock.ts';
import { grouped } from '../../common/work/limited.ts';
import type { Deliverer } from '../../engines/net/deliver.ts';
import type { signedHeaders } from '../../engines/net/signature.ts';
import {
  type AttemptResult,
  type DueEndpoint,
  type DueMessage,
  nextAttemptAt,
} from './schedule.ts';
import type { SenderStore } from './store/sender-store.ts';

/** The most requests at the same time: in all, to one endpoint, and to one whose last attempt has failed. */
const MAX_OPEN = 64;
const MAX_OPEN_TO_ONE = 4;
const MAX_OPEN_TO_FAILING = 1;
/** With this many open in all, an endpoint gets one as if it failed, so that the slow ones of a client leave places to others. */
const MAX_OPEN_SHARED = MAX_OPEN / 2;
/** How long a message is taken: longer than an attempt. After the end of this process, another one sends it then. */
const CLAIM_MS = 25_000;
/** How often due messages are looked for, in milliseconds. */
const POLL_MS = 250;
/** The pause before results are stored again that could not be. */
const STORE_AGAIN_MS = 1_000;

/** Options of a sender. */
export interface SenderOptions {
  store: SenderStore;
  clock: Clock;
  /** Makes one request, which the signal ends. Never rejects. */
  deliver: Deliverer['deliver'];
  /** Returns the headers that sign a message. */
  sign: typeof signedHeaders;
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
  /** The messages of open requests, until the results are stored. */
  open: Set<number>;
  /** Whether the last attempt has failed. */
  isFailing: boolean;
  /** Whether there may be more due messages than were taken. */
  hasMore: boolean;
}

/**
 * Sends the messages that are due. A message without a stored result is sent again. The lease of the task lets one node
 * send at a time. A message is also taken in the store, so that a node that was stopped for a while and a new holder of
 * the lease do not send it together.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #lines = new Map<number, Line>();
  /** Stores a result. Returns whether that has disabled the endpoint. */
  readonly #record: (result: AttemptResult) => Promise<boolean>;
  #open = 0;
  /** The messages whose attempts the signal has ended. */
  readonly #interrupted: number[] = [];
  /** Resolves the present wait for something to do. */
  #wake = () => {};

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#record = grouped(async (results: readonly AttemptResult[]) => {
      const disabled = await options.store.record(results);
      return results.map(({ webhookRowId }) => disabled.has(webhookRowId));
    }, MAX_OPEN);
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
    await this.#release();
  }

  /** Gives back what was interrupted, so that the next sender need not wait. */
  async #release(): Promise<void> {
    if (this.#interrupted.length === 0) return;
    const { store, onError } = this.#options;
    await store
      .release(this.#interrupted)
      .catch((error: unknown) => onError(error, 'giving back messages'));
  }

  /** Takes in the endpoints that have due messages, as they are now. */
  #follow(endpoints: readonly DueEndpoint[]): void {
    const due = new Map(endpoints.map((endpoint) => [endpoint.rowId, endpoint]));
    for (const [rowId, line] of this.#lines) {
      line.hasMore = due.has(rowId);
      if (!line.hasMore && line.open.size === 0) this.#lines.delete(rowId);
    }
    for (const endpoint of endpoints) {
      const line = this.#lines.get(endpoint.rowId);
      if (line !== undefined) line.endpoint = endpoint;
      else {
        this.#lines.set(endpoint.rowId, {
          endpoint,
          open: new Set(),
          isFailing: endpoint.isFailing,
          hasMore: true,
        });
      }
    }
  }

  /** Sends to one endpoint after the other until nothing can be sent or the endpoints are to be read again. */
  async #sendDue(signal: AbortSignal): Promise<void> {
    const until = performance.now() + POLL_MS;
    while (!signal.aborted && performance.now() < until) {
      let isIdle = true;
      for (const [rowId, line] of [...this.#lines]) {
        const limit = this.#placesOf(line);
        if (limit <= 0 || !line.hasMore || signal.aborted) continue;
        const messages = await this.#claim(line, limit);
        // A store in this thread would not let requests of partners have a turn.
        await nextTurn();
        for (const message of messages) void this.#send(line, message, signal);
        if (messages.length === 0) continue;
        isIdle = false;
        // It is the last one next time, so that many endpoints do not keep the others waiting.
        this.#lines.delete(rowId);
        this.#lines.set(rowId, line);
      }
      if (isIdle) {
        const isDone = this.#open === 0 && [...this.#lines.values()].every((one) => !one.hasMore);
        if (isDone) return;
        await this.#pause(until - performance.now());
      }
    }
  }

  async #claim(line: Line, limit: number): Promise<DueMessage[]> {
    const { store, clock } = this.#options;
    const request = { limit, ms: CLAIM_MS };
    const messages = await store.claim(line.endpoint.rowId, clock.now(), request);
    line.hasMore = messages.length === limit;
    // A result that could not be stored yet may last longer than a claim.
    return messages.filter(({ rowId }) => !line.open.has(rowId));
  }

  async #send(line: Line, message: DueMessage, signal: AbortSignal): Promise<void> {
    line.open.add(message.rowId);
    this.#open++;
    try {
      const result = await this.#attempt(line.endpoint, message, signal);
      if (result === undefined) {
        this.#interrupted.push(message.rowId);
        return;
      }
      line.isFailing = result.outcome !== 'delivered';
      const isDisabled = await this.#keep(result, signal);
      if (isDisabled) await this.#options.store.discardStray(undefined, [result.webhookRowId]);
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

  /**
   * Stores a result, however long the store is away, because the message would be sent again without it. Returns whether
   * that has disabled the endpoint.
   */
  async #keep(result: AttemptResult, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      try {
        const isDisabled = await this.#record(result);
        this.#options.onAttempt(result);
        return isDisabled;
      } catch (error) {
        this.#options.onError(error, 'storing the result of a message');
        if (signal.aborted) return false;
        await sleep(STORE_AGAIN_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** The number of requests that may be opened to an endpoint now. */
  #placesOf({ open, isFailing }: Line): number {
    const left = MAX_OPEN - this.#open;
    const shared = MAX_OPEN_SHARED - this.#open;
    if (isFailing || shared <= 0) return Math.min(MAX_OPEN_TO_FAILING - open.size, left);
    return Math.min(MAX_OPEN_TO_ONE - open.size, shared);
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
