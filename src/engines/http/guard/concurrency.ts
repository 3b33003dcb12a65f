import { StaveError } from '../../../common/errors.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import { CallerGone } from '../input/body.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { Route } from '../route/route.ts';

/** The default value of `Retry-After`: a long response takes about as long. */
const RETRY_SECONDS = 60;

/** Limits how many responses of an operation a client receives at the same time from this node. */
export class Concurrency {
  readonly #operationId: string;
  readonly #max: number;
  readonly #retrySeconds: number;
  readonly #open: OpenCounts;

  /** Returns undefined for an operation without a limit. */
  static of(route: Route, open: OpenCounts): Concurrency | undefined {
    const { operationId, maxConcurrent, retrySeconds = RETRY_SECONDS } = route;
    return maxConcurrent === undefined
      ? undefined
      : new Concurrency(operationId, maxConcurrent, retrySeconds, open);
  }

  private constructor(operationId: string, max: number, retrySeconds: number, open: OpenCounts) {
    this.#operationId = operationId;
    this.#max = max;
    this.#retrySeconds = retrySeconds;
    this.#open = open;
  }

  /**
   * Counts a request until its response has closed. Throws `rate_limited` if the client has too many already,
   * and CallerGone if the connection has closed, because such a response does not close again.
   */
  enter({ caller, response }: RequestContext): void {
    const key = `${this.#operationId} ${caller!.clientId}`;
    if (response.closed) {
      throw new CallerGone();
    }
    if (!this.#open.enter(key, this.#max)) {
      throw new StaveError(
        'rate_limited',
        `A client may receive ${this.#max} of these responses at a time; retry when one has ended.`,
        { headers: { 'Retry-After': String(this.#retrySeconds) } },
      );
    }
    response.once('close', () => this.#open.leave(key));
  }
}
