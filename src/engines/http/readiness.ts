import { Server as NetServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Timeouts } from './connection/node-server.ts';
import { unavailable } from './response/errors.ts';
import type { RequestTracker } from './route/request-tracker.ts';

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

/** How long the last responses may take after the drain. */
const LAST_RESPONSES_MS = 250;

/**
 * Completes the open requests and work when the server closes, and then ends all connections. This takes at most
 * `drainMs`, and a moment for responses of 503 to the requests whose bodies are incomplete by then.
 */
export function drainBeforeClose(
  app: FastifyInstance,
  deps: { readiness: Readiness; tracker: RequestTracker; openWork: OpenWork; timeouts: Timeouts },
): void {
  const { readiness, tracker, openWork, timeouts } = deps;
  app.addHook('preClose', async () => {
    readiness.drain();
    const allClosed = new Promise<void>((resolve) => app.server.once('close', () => resolve()));
    // Only stops listening. The `close` of node:http would also close connections that count as idle while
    // their last response is still being sent.
    NetServer.prototype.close.call(app.server);
    const drained = async () => {
      await tracker.drained();
      // A request may have been on its way when the last response was sent. It still gets a response.
      await Promise.race([allClosed, deadline(timeouts.lingerMs)]);
      await tracker.drained();
      await openWork.ended();
    };
    await Promise.race([drained(), deadline(timeouts.drainMs)]);
    tracker.failBodies(unavailable('This node stops; send the request again.', 1));
    await Promise.race([tracker.drained(), deadline(LAST_RESPONSES_MS)]);
    app.server.closeAllConnections();
  });
}

function deadline(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** The work that must end before the service does, also if the callers have left that requested it. */
export class OpenWork {
  readonly #open = new Set<Promise<unknown>>();

  /** Returns the promise that it is given, and remembers it until it is settled. */
  add<Result>(work: Promise<Result>): Promise<Result> {
    this.#open.add(work);
    const forget = () => this.#open.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Resolves when all work that is open now has ended. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#open);
  }
}
