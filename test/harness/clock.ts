import type { Clock } from '../../src/kernel/clock.ts';

/** A clock that goes on by itself and that a test turns forward. */
export class TurnableClock implements Clock {
  #aheadMs = 0;

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  turn(seconds: number): void {
    this.#aheadMs += seconds * 1000;
  }
}
