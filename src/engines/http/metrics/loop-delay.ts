/** How often the delay is sampled, and how long samples are collected for one figure. */
const RESOLUTION_MS = 20;
const WINDOW_MS = 500;

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
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs;
      const sorted = this.#samples.sort((a, b) => a - b);
      this.#last = { medianMs: sorted[sorted.length >> 1]!, maxMs: sorted.at(-1)! };
      this.#samples = [];
    }
    this.#onSample(nowMs);
  }
}
