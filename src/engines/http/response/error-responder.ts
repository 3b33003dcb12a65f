import type { Clock } from '../../../common/clock.ts';
import type { StaveError } from '../../../common/errors.ts';
import { OperatorError } from '../../../common/errors.ts';
import type { Log } from '../../../common/log.ts';
import type { RefusedRequest } from '../connection/connections.ts';
import { rawResponse } from '../connection/connections.ts';
import { decodedPathOf, type RequestContext } from '../route/request-context.ts';
import type { Route } from '../route/route.ts';
import { ENVELOPE_TYPE, errorEnvelope } from './envelope.ts';
import { asStaveError, CallerGone } from './errors.ts';
import { BASE_HEADERS } from './headers.ts';
import { sendError } from './response.ts';

interface Dependencies {
  log: Log;
  clock: Clock;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl(): string;
}

/** Sends the errors of all requests, and logs those that have a cause. */
export class ErrorResponder {
  readonly #deps: Dependencies;
  /** Errors at these paths have no envelope, even before their route is reached. */
  readonly #pathsWithoutEnvelope: ReadonlySet<string>;

  constructor(deps: Dependencies & { routes: readonly Route[] }) {
    this.#deps = deps;
    this.#pathsWithoutEnvelope = new Set(
      deps.routes.filter((route) => route.withoutEnvelope).map(({ path }) => path),
    );
  }

  /** Responds to a request that failed, with the error that `asStaveError` makes of the thrown value. */
  fail(context: RequestContext, thrown: unknown): void {
    if (thrown instanceof CallerGone || isPrematureClose(thrown)) {
      return;
    }
    const { response, requestId, operationId } = context;
    const error = asStaveError(thrown);
    context.failure = error;
    // Only the log shows the operator that the disk is full, for example.
    const isForOperator = error.kind === 'internal_error' || thrown instanceof OperatorError;
    const level = isForOperator ? 'error' : 'debug';
    // Errors without a cause are not logged: every probe of a starting node gets such an `unavailable`.
    if (error.cause !== undefined || level === 'error') {
      const fields = { requestId, operationId, ...context.traceFields };
      this.#deps.log[level]({ ...fields, err: error.cause ?? error }, error.message);
    }
    if (response.headersSent) {
      // An incomplete response must not look complete.
      response.destroy();
    } else {
      this.refuse(context, error);
    }
  }

  /** Sends the error, without logging it. */
  refuse(context: RequestContext, error: StaveError): void {
    context.failure = error;
    context.withoutEnvelope ||= this.#pathsWithoutEnvelope.has(decodedPathOf(context.request));
    sendError(context, error, this.#deps.publicUrl());
  }

  /**
   * Returns the response to something that Node's parser did not accept as a request, with the usual envelope and
   * headers.
   */
  raw(error: StaveError, { requestId, isHead, socket }: RefusedRequest): Buffer {
    return rawResponse({
      status: error.status,
      headers: {
        ...BASE_HEADERS,
        'X-Request-Id': requestId,
        'Cache-Control': 'no-store',
        ...error.headers,
        'Content-Type': ENVELOPE_TYPE,
        Date: new Date(this.#deps.clock.now()).toUTCString(),
      },
      body: errorEnvelope(error, { requestId, publicUrl: this.#deps.publicUrl() }),
      isHead,
      socket,
    });
  }
}

/** Whether a stream failed because the caller closed the connection. */
function isPrematureClose(thrown: unknown): boolean {
  return (thrown as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
