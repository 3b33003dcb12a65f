import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often a delay is sampled, and how long the samples are gathered that one judgement rests on. */
const RESOLUTION_MS = 20;
const WINDOW_MS = 500;

/**
 * When the median request waits so long for its turn, more of them would only make all of them
 * late. The median, for one long pause delays one sample only.
 */
const OVERLOAD_MS = 250;

/** Delays of the event loop in the last full window, in milliseconds beyond the sampling interval. */
export interface LoopDelays {
  medianMs: number;
  maxMs: number;
}

/** Watches how late the event loop is, for the metrics and to tell when the node has too much to do. */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #timer: NodeJS.Timeout | undefined;
  readonly #overloadMs: number;
  #last: LoopDelays = { medianMs: 0, maxMs: 0 };

  constructor(overloadMs = OVERLOAD_MS) {
    this.#overloadMs = overloadMs;
  }

  start(): void {
    this.#histogram.enable();
    this.#timer = setInterval(() => this.#turnWindow(), WINDOW_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }

  get last(): LoopDelays {
    return this.#last;
  }

  /** Whether the node has too much to do to take more. */
  overloaded(): boolean {
    return this.#last.medianMs > this.#overloadMs;
  }

  #turnWindow(): void {
    const delay = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    this.#last =
      this.#histogram.count === 0
        ? { medianMs: 0, maxMs: 0 }
        : { medianMs: delay(this.#histogram.percentile(50)), maxMs: delay(this.#histogram.max) };
    this.#histogram.reset();
  }
}
