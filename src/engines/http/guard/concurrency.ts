import { StaveError, unavailable } from '../../../common/errors.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import { CallerGone } from '../response/errors.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { Route } from '../route/route.ts';

/** The default value of `Retry-After`: a long response takes about as long. */
const RETRY_SECONDS = 60;

/**
 * Counts a request to an operation with `maxConcurrent` until its response has closed. Throws `rate_limited` if the
 * client receives too many of these responses from this node already, and CallerGone if the connection has closed,
 * because such a response does not close again.
 */
export function limitConcurrency(
  { operationId, maxConcurrent, retrySeconds = RETRY_SECONDS }: Route,
  { caller, response }: RequestContext,
  open: OpenCounts,
): void {
  const key = `${operationId} ${caller!.clientId}`;
  if (response.closed) {
    throw new CallerGone();
  }
  if (!open.enter(key, maxConcurrent!)) {
    throw new StaveError(
      'rate_limited',
      `A client may receive ${maxConcurrent} of these responses at a time; retry when one has ended.`,
      { headers: { 'Retry-After': String(retrySeconds) } },
    );
  }
  response.once('close', () => open.leave(key));
}

interface Taken {
  count: number;
  /** Each gives a place to a request that waits, in the order of their arrival. */
  waiting: Set<() => void>;
}

/**
 * Lets a limited number of requests of each client do long work at the same time in this thread. Further requests wait, so
 * that a client that sends many at once gets all responses, and the other clients theirs.
 */
export class Places {
  readonly #limits: { most: number; mostWaiting: number; waitMs: number };
  readonly #clients = new Map<string, Taken>();

  /**
   * @param limits.most the places of a client
   * @param limits.mostWaiting the requests of a client that wait
   * @param limits.waitMs how long a request waits, in milliseconds
   */
  constructor(limits: { most: number; mostWaiting: number; waitMs: number }) {
    this.#limits = limits;
  }

  /**
   * Does work at a place of a client, once one is free. Throws CallerGone, and does nothing, if the caller leaves before,
   * and `unavailable` if too many requests wait, or this one for too long.
   * @param whenGone returns a signal that aborts when the caller leaves
   */
  async at<T>(clientId: string, whenGone: () => AbortSignal, work: () => Promise<T>): Promise<T> {
    const taken = this.#clients.get(clientId) ?? { count: 0, waiting: new Set() };
    this.#clients.set(clientId, taken);
    if (taken.count < this.#limits.most) taken.count++;
    else await this.#wait(taken.waiting, whenGone());
    try {
      return await work();
    } finally {
      this.#leave(clientId, taken);
    }
  }

  async #wait(waiting: Taken['waiting'], gone: AbortSignal): Promise<void> {
    if (gone.aborted) throw new CallerGone();
    if (waiting.size >= this.#limits.mostWaiting) throw tooManyRequests();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const over = AbortSignal.any([gone, AbortSignal.timeout(this.#limits.waitMs)]);
    over.onabort = () => reject(gone.aborted ? new CallerGone() : tooManyRequests());
    waiting.add(resolve);
    try {
      await promise;
    } finally {
      waiting.delete(resolve);
      over.onabort = null;
    }
  }

  /** Gives a place to the request that has waited longest, or frees it. */
  #leave(clientId: string, taken: Taken): void {
    const [next] = taken.waiting;
    if (next !== undefined) {
      taken.waiting.delete(next);
      next();
      return;
    }
    taken.count--;
    if (taken.count === 0) this.#clients.delete(clientId);
  }
}

function tooManyRequests() {
  return unavailable('Too many of your requests are in progress; try again.', 1);
}
