import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { EndedCall } from '../../../common/caller.ts';
import type { NamedClient, StaveError } from '../../../common/errors.ts';
import type { Log } from '../../../common/log.ts';
import { withoutSecretText } from '../../../common/text/shown.ts';
import { traceContextOf } from '../../../common/trace-context.ts';
import { type Tracing, tracing } from '../../../common/tracing.ts';
import type { RefusedRequest } from '../connection/connections.ts';
import { METHODS } from '../connection/request-guard.ts';
import type { TrustedProxies } from '../connection/trusted-proxies.ts';
import type { Counter, Histogram, Metrics } from '../metrics/metrics.ts';
import { RequestContext } from './request-context.ts';

const MAX_LOGGED_PATH = 200;
const MAX_LOGGED_PROBLEM = 300;

export interface EndedCalls {
  ended(call: EndedCall): void;
}

/** Operations that probes call every few seconds; they are logged at level debug. */
const QUIET_OPERATIONS = new Set(['healthCheck', 'checkLiveness', 'checkReadiness']);
/** Their paths, which have no spans. */
const PROBES = new Set(['/health-check', '/livez', '/readyz']);

/**
 * Tracks the open requests, and writes the log line and the metrics of requests when one ends. A log line contains no
 * header. It contains the path without the query string, which may contain the signature of a stream URL. Of an error, it
 * says why, and from where the request came.
 */
export class RequestTracker {
  /**
   * The open requests by connection, so that all requests need not be searched when one connection closes.
   */
  readonly #open = new Map<Socket, Set<RequestContext>>();
  #openCount = 0;
  readonly #log: Log;
  readonly #proxies: TrustedProxies;
  readonly #calls: EndedCalls | undefined;
  readonly #requests: Counter;
  readonly #durations: Histogram;
  readonly #refused: Counter;
  #onDrained: (() => void) | undefined;
  /** One listener for all responses, which saves a closure for each. */
  readonly #onResponseClosed: (this: ServerResponse) => void;

  constructor({
    log,
    metrics,
    proxies,
    calls,
  }: {
    log: Log;
    metrics: Metrics;
    proxies: TrustedProxies;
    calls?: EndedCalls;
  }) {
    this.#log = log;
    this.#proxies = proxies;
    this.#calls = calls;
    this.#requests = metrics.counter(
      'stave_http_requests_total',
      'Responses by operation and status; the status is aborted if the caller did not wait for the response.',
      ['operation', 'status'],
    );
    this.#durations = metrics.histogram(
      'stave_http_request_duration_seconds',
      'Time from the head of a request to the end of its response, by operation.',
      'operation',
    );
    this.#refused = metrics.counter(
      'stave_http_malformed_total',
      'Refusals of what never became a request, by kind of error.',
      ['kind'],
    );
    metrics.gauge('stave_http_in_flight', 'Open requests.', () => this.#openCount);
    const ended = (context: RequestContext) => this.#ended(context);
    this.#onResponseClosed = function () {
      ended(RequestContext.of(this.req));
    };
  }

  began(context: RequestContext): void {
    const { socket } = context.request;
    const beside = this.#open.get(socket);
    if (beside === undefined) {
      this.#open.set(socket, new Set([context]));
    } else {
      beside.add(context);
    }
    this.#openCount++;
    if (tracing !== undefined) beginSpan(context, tracing);
    context.response.on('close', this.#onResponseClosed);
  }

  /** Called when a connection has closed: its requests get no response. */
  connectionClosed(socket: Socket): void {
    for (const context of this.#open.get(socket) ?? []) {
      this.#ended(context);
    }
    this.#open.delete(socket);
  }

  /** Counts and logs a response that belongs to no request context. */
  refused(
    error: StaveError,
    { requestId, socket }: Pick<RefusedRequest, 'requestId' | 'socket'>,
  ): void {
    const { kind, status } = error;
    this.#refused.increment([kind]);
    const caller = this.#proxies.callerOfRequest({ socket: socket as Socket, headers: {} });
    const why = { error: kind, problem: problemOf(error), caller: caller || undefined };
    this.#log.info({ requestId, status, ...why }, 'malformed request');
  }

  /** Resolves when every open request has ended. Each of them becomes the last of its connection. */
  drained(): Promise<void> {
    for (const context of [...this.#open.values()].flatMap((ofOne) => [...ofOne])) {
      context.isLast = true;
    }
    return this.#openCount === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#onDrained = resolve;
        });
  }

  /** Fails the bodies that have not arrived completely, so that their requests end with this error. */
  failBodies(failure: StaveError): void {
    for (const context of [...this.#open.values()].flatMap((ofOne) => [...ofOne])) {
      if (!context.request.complete && !context.response.headersSent) context.failBody(failure);
    }
  }

  #ended(context: RequestContext): void {
    if (!this.#open.get(context.request.socket)?.delete(context)) {
      return;
    }
    this.#openCount--;
    const { request, response, operationId, failure, noted } = context;
    const { clientId, secretId }: Partial<NamedClient> =
      context.caller ?? failure?.client ?? noted ?? {};
    const ms = performance.now() - context.startedMs;
    const aborted = !response.writableFinished;
    // A response that was not sent completely has no status for the log.
    const status = aborted ? undefined : response.statusCode;
    this.#requests.increment([operationId, String(status ?? 'aborted')]);
    this.#durations.observe(operationId, ms / 1000);
    const why = failure && { error: failure.kind, problem: problemOf(failure) };
    const isOfClient = clientId !== undefined && (secretId ?? why) !== undefined;
    const caller = why || isOfClient ? this.#proxies.callerOfRequest(request) : '';
    const line = { method: request.method!, path: loggedPath(context.rawUrl, why !== undefined) };
    const level = QUIET_OPERATIONS.has(operationId) ? 'debug' : 'info';
    this.#log[level](
      {
        requestId: context.requestId,
        ...context.traceFields,
        operationId,
        ...line,
        aborted: aborted || undefined,
        status,
        ms: Math.round(ms * 100) / 100,
        clientId,
        secretId,
        ...noted,
        ...(why && { ...why, caller: caller || undefined }),
      },
      'request',
    );
    if (isOfClient) {
      const { requestId } = context;
      const call = { clientId, secretId, requestId, operationId, ...line, status, ms, caller };
      this.#calls?.ended({ ...call, error: why?.error, problem: why?.problem });
    }
    if (context.span !== undefined) endSpan(context, status, clientId);
    if (this.#openCount === 0) {
      this.#onDrained?.();
    }
  }
}

/** The attributes are those of the semantic conventions of OpenTelemetry for HTTP. */
function beginSpan(context: RequestContext, by: Tracing): void {
  const { request, rawUrl, requestId } = context;
  if (PROBES.has(rawUrl)) return;
  const { encrypted } = request.socket as Socket & { encrypted?: boolean };
  context.span = by.request(traceContextOf(request.headers), {
    'http.request.method': METHODS.some((one) => one === request.method)
      ? request.method!
      : '_OTHER',
    'url.scheme': encrypted ? 'https' : 'http',
    'url.path': loggedPath(rawUrl, true),
    'network.protocol.version': request.httpVersion,
    'stave.request.id': requestId,
  });
}

function endSpan(
  { span, operationId, failure }: RequestContext,
  status: number | undefined,
  clientId: string | undefined,
): void {
  const isOwn = status === undefined ? failure !== undefined : status >= 500;
  span!.end(
    {
      'stave.operation.id': operationId,
      ...(status === undefined
        ? { 'stave.aborted': true }
        : { 'http.response.status_code': status }),
      ...(clientId !== undefined && { 'stave.client.id': clientId }),
      ...(failure !== undefined && { 'stave.error.kind': failure.kind }),
    },
    isOwn ? (failure?.kind ?? String(status)) : undefined,
  );
}

/** Returns the first field problem of an error, otherwise its message. */
function problemOf({ details, message }: StaveError): string {
  const [first] = details ?? [];
  const problem =
    first === undefined || first.message.includes(first.field)
      ? (first?.message ?? message)
      : `${first.field}: ${first.message}`;
  return withoutSecretText(problem.slice(0, MAX_LOGGED_PROBLEM).toWellFormed());
}

/** The path of a link to a collection, whose token is a secret. */
const LINK_PATH = /^(\/(?:s|v1\/shared)\/)[^/]+/;

function loggedPath(url: string, isFailure: boolean): string {
  // An encoded mark ends the path too, because some clients encode a stream URL a second time.
  const mark = url.search(/[?#]|%3f|%23/i);
  const path = (mark < 0 ? url : url.slice(0, mark)).replace(LINK_PATH, '$1…');
  // The path of a failure is stored. A secret that is cut off would not be found.
  return (isFailure ? withoutSecretText(path) : path).slice(0, MAX_LOGGED_PATH);
}
