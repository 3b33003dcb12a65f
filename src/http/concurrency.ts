import { StaveError } from '../common/errors.ts';
import { CallerGone } from './body.ts';
import type { RequestContext } from './request-context.ts';

/** The value of `Retry-After`: such a response takes about as long. */
const RETRY_SECONDS = 60;

/** Limits how many responses of an operation a client receives at the same time from this node. */
export class Concurrency {
  readonly #max: number;
  /** The open requests by client. */
  readonly #open = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Counts a request until its response has closed. Throws `rate_limited` if the client has too many already,
   * and CallerGone if the connection has closed, because such a response does not close again.
   */
  enter({ caller, response }: RequestContext): void {
    const { clientId } = caller!;
    const open = this.#open.get(clientId) ?? 0;
    if (response.closed) {
      throw new CallerGone();
    }
    if (open >= this.#max) {
      throw new StaveError(
        'rate_limited',
        `A client may receive ${this.#max} of these responses at a time; retry when one has ended.`,
        { headers: { 'Retry-After': String(RETRY_SECONDS) } },
      );
    }
    this.#open.set(clientId, open + 1);
    response.once('close', () => this.#leave(clientId));
  }

  #leave(clientId: string): void {
    const open = this.#open.get(clientId)! - 1;
    if (open === 0) {
      this.#open.delete(clientId);
    } else {
      this.#open.set(clientId, open);
    }
  }
}
