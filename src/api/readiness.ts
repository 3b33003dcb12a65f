/**
 * Whether the node serves: it starts, it serves, and one day it drains; never back. While it serves,
 * it may be stale, and no longer.
 */
export class Readiness {
  readonly #isStale: () => boolean;
  #state: 'starting' | 'serving' | 'draining' = 'starting';

  /** @param deps.isStale whether what the node knows is too old to be served. */
  constructor({ isStale = () => false }: { isStale?: () => boolean } = {}) {
    this.#isStale = isStale;
  }

  /** True while the node can serve; the health check reports it. */
  accepting(): boolean {
    return this.#state === 'serving' && !this.#isStale();
  }

  /** Why it does not accept, in a sentence for whoever asked. */
  reason(): string {
    return this.#state === 'serving'
      ? 'This node has not reached its database for too long; try another one.'
      : 'This node is starting or draining; try again, or another node.';
  }

  draining(): boolean {
    return this.#state === 'draining';
  }

  /** Called once, when all that a request needs is there. */
  serve(): void {
    if (this.#state === 'starting') {
      this.#state = 'serving';
    }
  }

  /** The server calls it when it begins to close. */
  drain(): void {
    this.#state = 'draining';
  }
}
