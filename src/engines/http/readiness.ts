/**
 * Whether the node serves. Its state changes from starting to serving to draining, and never back. A serving
 * node refuses requests while its data are stale.
 */
export class Readiness {
  readonly #isStale: () => boolean;
  readonly #drainListeners = new Set<() => void>();
  #state: 'starting' | 'serving' | 'draining' = 'starting';

  /** @param deps.isStale whether the data of the node are too old to be served. */
  constructor({ isStale = () => false }: { isStale?: () => boolean } = {}) {
    this.#isStale = isStale;
  }

  /** Whether the node accepts requests; the health check reports it. */
  accepting(): boolean {
    return this.#state === 'serving' && !this.#isStale();
  }

  /** Returns the message of the 503 of a node that does not accept requests. */
  reason(): string {
    return this.#state === 'serving'
      ? 'This node has not reached its database for too long; try another one.'
      : 'This node is starting or draining; try again, or another node.';
  }

  draining(): boolean {
    return this.#state === 'draining';
  }

  /** Begins to serve, once everything is loaded. */
  serve(): void {
    if (this.#state === 'starting') {
      this.#state = 'serving';
    }
  }

  /** Called by the server when it begins to close. */
  drain(): void {
    if (this.#state === 'draining') return;
    this.#state = 'draining';
    for (const listener of this.#drainListeners) listener();
    this.#drainListeners.clear();
  }

  /**
   * Calls back when the node begins to drain, or at once if it has begun: requests that wait must end. Returns a
   * function that removes the listener.
   */
  onDrain(listener: () => void): () => void {
    if (this.#state === 'draining') listener();
    else this.#drainListeners.add(listener);
    return () => this.#drainListeners.delete(listener);
  }
}
