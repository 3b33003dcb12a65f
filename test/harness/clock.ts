import type { Clock } from '../../src/common/clock.ts';

/** A clock that a test moves: it stands at one time, or runs with the machine's clock from an offset. */
export class TestClock implements Clock {
  readonly #runs: boolean;
  /** Epoch milliseconds, or where the clock runs, milliseconds ahead of the machine's clock. */
  #time: number;

  constructor(time = Date.UTC(2026, 10, 21, 8, 0, 0, 250), runs = false) {
    this.#time = time;
    this.#runs = runs;
  }

  /** A clock that starts at the machine's time and goes on by itself. */
  static running(): TestClock {
    return new TestClock(0, true);
  }

  now(): number {
    return this.#runs ? Date.now() + this.#time : this.#time;
  }

  /** Moves the clock forward; fractions of a second are rounded to milliseconds. */
  advance(seconds: number): void {
    this.#time += Math.round(seconds * 1_000);
  }
}
