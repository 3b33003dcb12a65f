import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../access/caller.ts';
import type { StaveError } from '../kernel/errors.ts';
import { requestIdFrom } from './request-id.ts';
import { BASE_HEADERS, type HeaderFields } from './versions.ts';

/** The operation of requests that belong to no route, in logs and metrics. */
const NO_OPERATION = 'none';

/** One request and the answer it will get, from its first check to the last byte. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** By the machine's monotonic clock. */
  readonly startedMs = performance.now();
  /** The target as sent, an absolute-form one included; `request.url` is brought into origin-form. */
  readonly rawUrl: string;

  operationId = NO_OPERATION;
  /** The headers that stand on every answer of the route; not to be changed in place. */
  standingHeaders: HeaderFields = BASE_HEADERS;
  /** The state of the caller's limit, once it is counted. */
  rateHeaders: HeaderFields | undefined;
  caller: Caller | undefined;
  /** The connection ends with this answer. */
  isLast = false;
  /** The client waits for `100 Continue` before it sends the body. */
  awaitsContinue = false;

  /** Why the rest of the body will not come; told to whoever reads it, now or later. */
  #bodyFailure: StaveError | undefined;
  #onBodyFailure: ((failure: StaveError) => void) | undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.response = response;
    this.rawUrl = request.url!;
    this.requestId = requestIdFrom(request.headers['x-request-id']);
    (request as Carrier)[EXCHANGE] = this;
  }

  /** The exchange that a request belongs to; every request that passed the front gate has one. */
  static of(request: IncomingMessage): Exchange {
    return (request as Carrier)[EXCHANGE]!;
  }

  /** The body broke off: bad framing or too slow. The answer says so, and ends the connection. */
  failBody(failure: StaveError): void {
    this.isLast = true;
    this.#bodyFailure = failure;
    this.#onBodyFailure?.(failure);
  }

  /** Calls back once if the body fails, at once if it has failed already. */
  onBodyFailure(listener: (failure: StaveError) => void): void {
    if (this.#bodyFailure === undefined) {
      this.#onBodyFailure = listener;
    } else {
      listener(this.#bodyFailure);
    }
  }
}

const EXCHANGE = Symbol('exchange');

interface Carrier extends IncomingMessage {
  [EXCHANGE]?: Exchange;
}
