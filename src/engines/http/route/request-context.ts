import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Caller } from '../../../common/caller.ts';
import type { StaveError } from '../../../common/errors.ts';
import { traceContextOf } from '../../../common/trace-context.ts';
import type { RequestSpan } from '../../../common/tracing.ts';
import type { RateDecision } from '../../limits/rate-limiter.ts';
import type { Exchange } from '../connection/request-guard.ts';
import { requestIdFrom } from '../connection/request-guard.ts';
import type { BodyReader } from '../input/body.ts';
import type { RawBody } from '../input/parse-body.ts';
import { BASE_HEADERS, type HeaderFields } from '../response/headers.ts';
import type { LoggedFields } from './route.ts';

/** Everything that is known about one request and its response, from the first check to the last byte. */
export class RequestContext implements Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** When the request began, by the monotonic clock, in milliseconds. */
  readonly startedMs = performance.now();
  /** The request target as sent. The request guard converts `request.url` into origin-form. */
  readonly rawUrl: string;

  /** `none` for a request without a route, in logs and metrics. */
  operationId = 'none';
  /** The default headers of the route; shared by all its requests, so never modified. */
  defaultHeaders: HeaderFields = BASE_HEADERS;
  /** What the caller's rate limit leaves, once the request is counted. */
  rate: RateDecision | undefined;
  caller: Caller | undefined;
  /** The language of the response to a caller with localization, once it is made. */
  contentLanguage: string | undefined;
  /** Whether the query or the body names the language. */
  namesLanguage = false;
  /** Whether the language depends on `Accept-Language`. */
  variesByLanguage = false;
  /** The time that a test request states, in milliseconds since the epoch. */
  statedNow: number | undefined;
  /** Whether a test request asks for its response to get lost. */
  losesResponse = false;
  /** The body before it is parsed, once it is read. */
  body: RawBody | undefined;
  /** Returns the memory of a long body to its budget. To be called when the response is made. */
  releaseBody: (() => void) | undefined;
  /** Gives back the memory of the body of the response. Called when the socket has taken all of it. */
  releaseResponse: (() => void) | undefined;
  noted: LoggedFields | undefined;
  /** The span of the request, if requests are traced. */
  span: RequestSpan | undefined;
  /** The error of the response. */
  failure: StaveError | undefined;
  /** Whether the response has no envelope, as the route's `withoutEnvelope`. */
  withoutEnvelope = false;
  isLast = false;
  awaitsContinue = false;
  requestLineBytes = 0;
  isLate = false;
  onBodyWanted: (() => void) | undefined;

  #bodyReader: BodyReader | undefined;
  /** The error of an incomplete body. Its reader gets it now or later. */
  #bodyFailure: StaveError | undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.response = response;
    this.rawUrl = request.url!;
    this.requestId = requestIdFrom(request.headers['x-request-id']);
    (request as Carrier)[CONTEXT] = this;
  }

  /** Returns the context of a request; every request that reached the server has one. */
  static of(request: IncomingMessage): RequestContext {
    return (request as Carrier)[CONTEXT]!;
  }

  /** Returns the context of a request; undefined before the request has reached the server. */
  static find(request: IncomingMessage): RequestContext | undefined {
    return (request as Carrier)[CONTEXT];
  }

  /**
   * The fields of the log that relate its lines to a trace: the span of the request, or without one, that of the caller.
   * Undefined if the caller states no trace.
   */
  get traceFields(): { trace_id: string; span_id: string } | undefined {
    const { headers } = this.request;
    if (this.span === undefined && headers.traceparent === undefined) return undefined;
    const place = this.span ?? traceContextOf(headers);
    return place && { trace_id: place.traceId, span_id: place.spanId };
  }

  get isAuthenticated(): boolean {
    return this.caller !== undefined;
  }

  /** The intake holds the body back until a route reads it. */
  get acceptsBody(): boolean {
    return this.#bodyReader !== undefined;
  }

  /** The reader of the body; undefined until the route reads one. */
  get bodyReader(): BodyReader | undefined {
    return this.#bodyReader;
  }

  /** Lets the body arrive, or ends or fails the reader. */
  readBody(reader: BodyReader): void {
    this.#bodyReader = reader;
    if (this.#bodyFailure !== undefined) {
      reader.fail(this.#bodyFailure);
    } else if (this.request.complete) {
      // An empty body has ended with the head, perhaps before the route reads it.
      reader.end();
    } else {
      this.onBodyWanted?.();
    }
  }

  /** Returns a signal that aborts when the response has closed: the caller has left, or has the response. */
  whenGone(): AbortSignal {
    const gone = new AbortController();
    if (this.response.closed) gone.abort();
    else this.response.once('close', () => gone.abort());
    return gone.signal;
  }

  failBody(failure: StaveError): void {
    this.isLast = true;
    this.#bodyFailure = failure;
    this.#bodyReader?.fail(failure);
  }
}

const CONTEXT = Symbol('context');

interface Carrier extends IncomingMessage {
  [CONTEXT]?: RequestContext;
}

/**
 * A request of Node's server that passes its body on to the reader of its context at once, and discards the body if
 * there is none. This saves the listeners, the promise and the ticks of reading a stream.
 */
export class IncomingRequest extends IncomingMessage {
  /** Node's parser calls this with each piece of the body, and with null at the end of each request. */
  override push(piece: Buffer | null): boolean {
    const reader = RequestContext.find(this)?.bodyReader;
    if (piece !== null) {
      reader?.add(piece);
      return true;
    }
    const mayContinue = super.push(null);
    reader?.end();
    return mayContinue;
  }

  /** Node calls this when the request is complete and its response sent, or the connection is gone. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    RequestContext.find(this)?.bodyReader?.leave();
    super._destroy(error, callback);
  }
}

/** Returns the path of a request, as it was sent. */
export function pathOf(request: IncomingMessage): string {
  return request.url!.split('?', 1)[0]!;
}

/** Returns the path of a request as the router compares it: decoded, and without scheme and host. */
export function decodedPathOf(request: IncomingMessage): string {
  const path = pathOf(request).replace(/^https?:\/\/[^/]*/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
