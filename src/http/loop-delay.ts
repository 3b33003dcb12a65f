import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often the delay is sampled, and how long samples are collected for one decision. */
const RESOLUTION_MS = 20;
const WINDOW_MS = 500;

/**
 * The median delay above which the node refuses requests, since more of them would delay all of them. The
 * median ignores a single long pause.
 */
const OVERLOAD_MS = 250;

/** Delays of the event loop in the last full window, in milliseconds beyond the sampling interval. */
export interface LoopDelays {
  medianMs: number;
  maxMs: number;
}

/** Measures the delay of the event loop, for the metrics and to detect overload. */
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

  /** Whether the node is overloaded. */
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
