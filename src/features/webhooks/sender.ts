import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../common/clock.ts';
import { SERVICE_VERSION } from '../../common/version.ts';
import { grouped } from '../../common/work/limited.ts';
import type { Deliverer } from '../../engines/net/deliver.ts';
import { signedHeaders } from '../../engines/net/signature.ts';
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
/** While this many are open in all, each endpoint gets one, as if it failed, so that slow endpoints leave room for others. */
const MAX_OPEN_SHARED = MAX_OPEN / 2;
/** How long a claim of a message lasts: longer than an attempt. If this process ends, another one sends it after that. */
const CLAIM_MS = 25_000;
/** The interval of the searches for due messages. */
const POLL_MS = 250;
/** The pause after a result could not be stored. */
const STORE_AGAIN_MS = 1_000;

interface SenderOptions {
  store: SenderStore;
  clock: Clock;
  deliverer: Deliverer;
  /** Returns a number from 0 to 1. */
  random(): number;
  /** Called after the result of an attempt is stored. */
  onAttempt(result: AttemptResult): void;
  onError(error: unknown, what: string): void;
}

/** An endpoint with due messages or open requests. */
interface Receiver {
  endpoint: DueEndpoint;
  /** The row ids of the messages of open requests, until the results are stored. */
  open: Set<number>;
  /** Whether the last attempt failed. */
  isFailing: boolean;
  /** Whether there may be due messages that are not claimed. */
  hasMore: boolean;
}

/**
 * Sends the messages that are due. A message without a stored result is sent again. The lease of the task lets one node
 * send at a time. The sender also claims each message in the store, so that a node that was suspended and the new holder
 * of the lease do not send it both.
 */
export class Sender {
  readonly #options: SenderOptions;
  /** By row id of the endpoint. */
  readonly #receivers = new Map<number, Receiver>();
  /** Stores a result. Returns whether it disabled the endpoint. */
  readonly #record: (result: AttemptResult) => Promise<boolean>;
  #open = 0;
  /** The row ids of the messages whose attempts the signal ended. */
  readonly #interrupted: number[] = [];
  /** Ends the current pause. */
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
        const due = await store.dueEndpoints(clock.now());
        const readable = due.filter(({ authorization }) => authorization !== undefined);
        if (readable.length < due.length) {
          onError(new Error('the Authorization of a webhook is damaged'), 'sending its messages');
        }
        this.#updateReceivers(readable);
        await this.#sendDue(signal);
      } catch (error) {
        onError(error, 'looking for messages to send');
      }
      await this.#pause(POLL_MS);
    }
    while (this.#open > 0) await this.#pause(POLL_MS);
    if (this.#interrupted.length === 0) return;
    // The next sender need not wait for the end of the claims then.
    await store
      .release(this.#interrupted)
      .catch((error: unknown) => onError(error, 'giving back messages'));
  }

  #updateReceivers(endpoints: readonly DueEndpoint[]): void {
    const due = new Map(endpoints.map((endpoint) => [endpoint.rowId, endpoint]));
    for (const [rowId, receiver] of this.#receivers) {
      receiver.hasMore = due.has(rowId);
      if (!receiver.hasMore && receiver.open.size === 0) this.#receivers.delete(rowId);
    }
    for (const endpoint of endpoints) {
      const { rowId, isFailing } = endpoint;
      const receiver = this.#receivers.get(rowId);
      if (receiver !== undefined) receiver.endpoint = endpoint;
      else this.#receivers.set(rowId, { endpoint, open: new Set(), isFailing, hasMore: true });
    }
  }

  /** Sends to the endpoints in turn for POLL_MS, or until no message is left. */
  async #sendDue(signal: AbortSignal): Promise<void> {
    const until = performance.now() + POLL_MS;
    while (!signal.aborted && performance.now() < until) {
      let isIdle = true;
      for (const [rowId, receiver] of [...this.#receivers]) {
        const limit = this.#requestsLeft(receiver);
        if (limit <= 0 || !receiver.hasMore || signal.aborted) continue;
        const messages = await this.#claim(receiver, limit);
        // SQLite runs in this thread, and would let nothing else run in between.
        await nextTurn();
        for (const message of messages) void this.#send(receiver, message, signal);
        if (messages.length === 0) continue;
        isIdle = false;
        // It is the last one next time, so that many endpoints do not keep the others waiting.
        this.#receivers.delete(rowId);
        this.#receivers.set(rowId, receiver);
      }
      if (isIdle) {
        const hasMore = [...this.#receivers.values()].some((receiver) => receiver.hasMore);
        if (this.#open === 0 && !hasMore) return;
        await this.#pause(until - performance.now());
      }
    }
  }

  async #claim(receiver: Receiver, limit: number): Promise<DueMessage[]> {
    const { store, clock } = this.#options;
    const request = { limit, ms: CLAIM_MS };
    const messages = await store.claim(receiver.endpoint.rowId, clock.now(), request);
    receiver.hasMore = messages.length === limit;
    // The claim of a message may end before its result can be stored.
    return messages.filter(({ rowId }) => !receiver.open.has(rowId));
  }

  async #send(receiver: Receiver, message: DueMessage, signal: AbortSignal): Promise<void> {
    receiver.open.add(message.rowId);
    this.#open++;
    try {
      const result = await this.#attempt(receiver.endpoint, message, signal);
      if (result === undefined) {
        this.#interrupted.push(message.rowId);
        return;
      }
      receiver.isFailing = result.outcome !== 'delivered';
      const isDisabled = await this.#storeResult(result, signal);
      if (isDisabled) await this.#options.store.discardStray(undefined, [result.webhookRowId]);
    } catch (error) {
      this.#options.onError(error, 'sending a message');
    } finally {
      receiver.open.delete(message.rowId);
      this.#open--;
      this.#wake();
    }
  }

  /** Returns undefined if the signal ended the request. */
  async #attempt(
    { rowId: webhookRowId, url, mode, secrets, authorization }: DueEndpoint,
    { rowId: deliveryRowId, id: deliveryId, body: text, scheduleAttempts }: DueMessage,
    signal: AbortSignal,
  ): Promise<AttemptResult | undefined> {
    const { clock, deliverer, random } = this.#options;
    const at = clock.now();
    const body = Buffer.from(text);
    // The id is the same in all attempts, and contains no dot.
    const id = `msg_${deliveryId.replaceAll('-', '')}`;
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': `Stave/${SERVICE_VERSION}`,
      ...(authorization && { Authorization: authorization }),
      ...signedHeaders(id, at, body, secrets),
    };
    const request = { url, headers, body };
    const { delivered, retryAfterMs, ...attempt } = await deliverer.deliver(request, signal);
    if (signal.aborted && !delivered) return undefined;
    const endedAt = clock.now();
    const isLast = delivered || attempt.httpStatus === 410;
    const nextAt = isLast
      ? null
      : nextAttemptAt(mode, scheduleAttempts + 1, { now: endedAt, retryAfterMs, random: random() });
    const outcome = delivered ? 'delivered' : nextAt === null ? 'failed' : 'pending';
    return { deliveryRowId, webhookRowId, at, ...attempt, outcome, nextAt, endedAt };
  }

  /**
   * Stores a result, and tries again while the store fails, because the message would be sent again otherwise. Returns
   * whether the result disabled the endpoint.
   */
  async #storeResult(result: AttemptResult, signal: AbortSignal): Promise<boolean> {
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

  /** The number of requests to an endpoint that may begin now. */
  #requestsLeft({ open, isFailing }: Receiver): number {
    const left = MAX_OPEN - this.#open;
    const shared = MAX_OPEN_SHARED - this.#open;
    if (isFailing || shared <= 0) return Math.min(MAX_OPEN_TO_FAILING - open.size, left);
    return Math.min(MAX_OPEN_TO_ONE - open.size, shared);
  }

  /** Waits until a request ends, but no longer than `ms`. */
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
