import { Server as NetServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type StaveError, unavailable } from '../../common/errors.ts';
import type { Timeouts } from './connection/node-server.ts';
import { CROWD } from './connection/turns.ts';
import type { RequestContext } from './route/request-context.ts';
import type { RequestTracker } from './route/request-tracker.ts';

/**
 * Whether the node serves. Its state changes from starting to serving to draining, and never back. A serving
 * node refuses requests while its data are stale.
 */
export class Readiness {
  readonly #isStale: () => boolean;
  readonly #drain = new AbortController();
  /** Aborts when the node begins to drain: requests that wait must end. */
  readonly drained = this.#drain.signal;
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
    this.#state = 'draining';
    this.#drain.abort();
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

  /** Returns the given promise, and keeps it until it settles. */
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

/** The time for which one round of the event loop may serve requests, in milliseconds. */
const LATE_MS = 250;

/** How long requests are counted for one estimate, in milliseconds. */
const WINDOW_MS = 500;
const MAX_RETRY_SECONDS = 30;

/**
 * Decides which requests the node refuses because it cannot serve them in time. The requests that one round of
 * the event loop reads have waited together, so they are the queue of the node. The first one is always served. When
 * serving them has taken LATE_MS, the rest is refused. Refusing takes at most as much time as serving, so that callers
 * who repeat their requests at once cannot occupy the node with refusals.
 *
 * The delay of the event loop alone says nothing: it rises too when other programs use the processors, and when a
 * single task of this node takes long. Refusing requests would shorten neither.
 */
export class Overload {
  readonly #lateMs: number;
  readonly #onRefused: () => void;
  /** The requests of the round, and when its first and its latest one began. */
  #begun = 0;
  #firstMs = 0;
  #latestMs = 0;
  /** The processor time of this thread when the first one began, in milliseconds. */
  #firstCpuMs = 0;
  #isLatestServed = true;
  /** The time that refusing took, minus the time that serving took. */
  #refusingMs = 0;
  /** Requests in the last full window and in the present one, and when these windows began. */
  #before = { served: 0, refused: 0, sinceMs: performance.now() };
  #window = { ...this.#before };

  /** @param deps.onRefused called for each request that is refused because of overload. */
  constructor({ lateMs = LATE_MS, onRefused }: { lateMs?: number; onRefused: () => void }) {
    this.#lateMs = lateMs;
    this.#onRefused = onRefused;
  }

  /** Begins a new window if the present one is full. To be called at least every half second. */
  tick(nowMs: number): void {
    if (nowMs - this.#window.sinceMs >= WINDOW_MS) {
      this.#before = this.#window;
      this.#window = { served: 0, refused: 0, sinceMs: nowMs };
    }
  }

  /** Counts a request that begins. Returns whether it may be served; otherwise it is to be refused. */
  admits({ startedMs, isLate }: RequestContext): boolean {
    if (this.#begun++ === 0) {
      this.#firstMs = startedMs;
      this.#firstCpuMs = threadCpuMs();
      // Runs when all sockets have been read that were ready.
      setImmediate(() => {
        this.#begun = 0;
      });
    } else {
      const ms = startedMs - this.#latestMs;
      const refusingMs = this.#refusingMs + (this.#isLatestServed ? -ms : ms);
      this.#refusingMs = Math.max(refusingMs, -this.#lateMs);
    }
    this.#latestMs = startedMs;
    const isTooLate = isLate || (startedMs - this.#firstMs > this.#lateMs && this.#hasQueue());
    this.#isLatestServed = !isTooLate || this.#refusingMs > 0;
    if (this.#isLatestServed) {
      this.#window.served++;
    }
    return this.#isLatestServed;
  }

  refusal(): StaveError {
    this.#window.refused++;
    this.#onRefused();
    const seconds = this.#retrySeconds();
    return unavailable(`This node has too much to do; try again in ${seconds} s.`, seconds);
  }

  /** Whether the requests of this round are so many, or so expensive, that they delay each other. */
  #hasQueue(): boolean {
    return this.#begun > CROWD || threadCpuMs() - this.#firstCpuMs > this.#lateMs;
  }

  /** The time that the node needs for what it has refused in the last half second to second. */
  #retrySeconds(): number {
    const { served, refused, sinceMs } = this.#before;
    const seconds = (performance.now() - sinceMs) / 1000;
    // Requests that still wait are served next. Without them, the estimate would be wrong after a pause.
    const servedSoon = served + this.#window.served + CROWD;
    const needed = ((refused + this.#window.refused) * seconds) / servedSoon;
    return Math.min(Math.max(Math.ceil(needed), 1), MAX_RETRY_SECONDS);
  }
}

/** The time for which this thread has used a processor, in milliseconds. A system call of 2 µs. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** How often the delay is sampled, and how long samples are collected for one figure. */
const RESOLUTION_MS = 20;
const DELAY_WINDOW_MS = 500;

/** Delays of the event loop in the last full window, in milliseconds beyond the sampling interval. */
export interface LoopDelays {
  medianMs: number;
  maxMs: number;
}

/** Measures the delay of the event loop for the metrics. */
export class LoopDelay {
  readonly #onSample: (nowMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #sampledMs = 0;
  #windowMs = 0;
  #samples: number[] = [];
  #last: LoopDelays = { medianMs: 0, maxMs: 0 };

  /** @param onSample called at every sample: every 20 ms, and after each round of the event loop that takes longer. */
  constructor(onSample: (nowMs: number) => void = () => {}) {
    this.#onSample = onSample;
  }

  start(): void {
    this.#sampledMs = this.#windowMs = performance.now();
    this.#timer = setInterval(() => this.#sample(), RESOLUTION_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get last(): LoopDelays {
    return this.#last;
  }

  #sample(): void {
    const nowMs = performance.now();
    this.#samples.push(Math.max(0, nowMs - this.#sampledMs - RESOLUTION_MS));
    this.#sampledMs = nowMs;
    if (nowMs - this.#windowMs >= DELAY_WINDOW_MS) {
      this.#windowMs = nowMs;
      const sorted = this.#samples.sort((a, b) => a - b);
      this.#last = { medianMs: sorted[sorted.length >> 1]!, maxMs: sorted.at(-1)! };
      this.#samples = [];
    }
    this.#onSample(nowMs);
  }
}
