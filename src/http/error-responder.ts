import type { StaveError } from '../common/errors.ts';
import type { Log } from '../common/log.ts';
import { OperatorError } from '../common/operator-error.ts';
import { CallerGone } from './body.ts';
import { asStaveError } from './errors.ts';
import { decodedPathOf, type RequestContext } from './request-context.ts';
import { sendError } from './response.ts';
import type { Route } from './route.ts';

/** Sends the errors of all requests, and logs those that have a cause. */
export class ErrorResponder {
  readonly #log: Log;
  readonly #publicUrl: () => string;
  /** Errors at these paths have no envelope, even before their route is reached. */
  readonly #pathsWithoutEnvelope: ReadonlySet<string>;

  constructor({
    log,
    routes,
    publicUrl,
  }: {
    log: Log;
    routes: readonly Route[];
    /** The base of the service's own URLs, without a trailing slash. */
    publicUrl(): string;
  }) {
    this.#log = log;
    this.#publicUrl = () => publicUrl();
    this.#pathsWithoutEnvelope = new Set(
      routes.filter((route) => route.withoutEnvelope).map(({ path }) => path),
    );
  }

  /** Responds to a request that failed, with the error that `asStaveError` makes of the thrown value. */
  fail(context: RequestContext, thrown: unknown): void {
    if (thrown instanceof CallerGone || isPrematureClose(thrown)) {
      return;
    }
    const { response, requestId, operationId } = context;
    const error = asStaveError(thrown);
    // Nobody else tells the operator that the disk is full, for example.
    const isForOperator = error.kind === 'internal_error' || thrown instanceof OperatorError;
    const level = isForOperator ? 'error' : 'debug';
    // Errors without a cause are not logged: every probe of a starting node gets such an `unavailable`.
    if (error.cause !== undefined || level === 'error') {
      this.#log[level]({ requestId, operationId, err: error.cause ?? error }, error.message);
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
    context.withoutEnvelope ||= this.#pathsWithoutEnvelope.has(decodedPathOf(context.request));
    sendError(context, error, this.#publicUrl());
  }
}

/** Whether a stream failed because the caller closed the connection. */
function isPrematureClose(thrown: unknown): boolean {
  return (thrown as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
