import type { Clock } from '../../src/common/clock.ts';

/** A clock that a test controls: it shows a fixed time, or runs with the machine's clock at an offset. */
export class TestClock implements Clock {
  readonly #runs: boolean;
  /** Epoch milliseconds. If the clock runs, the milliseconds that it is ahead of the machine's clock. */
  #time: number;

  constructor(time = Date.UTC(2026, 10, 21, 8, 0, 0, 250), runs = false) {
    this.#time = time;
    this.#runs = runs;
  }

  /** A clock that starts at the machine's time and runs. */
  static running(): TestClock {
    return new TestClock(0, true);
  }

  now(): number {
    return this.#runs ? Date.now() + this.#time : this.#time;
  }

  /** Advances the clock; fractions of a millisecond are rounded. */
  advance(seconds: number): void {
    this.#time += Math.round(seconds * 1_000);
  }
}
