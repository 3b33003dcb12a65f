import type { LogBounds } from './change-log.ts';

/**
 * Counts how often positions in the log became invalid, because changes expired or another epoch began. What is
 * cached by position is valid as long as the count is the same.
 */
export class ValidPositions {
  #seen: Pick<LogBounds, 'epoch' | 'floor'> | undefined;
  #version = 0;

  /** Incremented whenever positions became invalid. */
  get version(): number {
    return this.#version;
  }

  /** Takes the bounds that were read last. */
  observe({ epoch, floor }: Pick<LogBounds, 'epoch' | 'floor'>): void {
    if (this.#seen?.epoch === epoch && this.#seen.floor === floor) return;
    this.#seen = { epoch, floor };
    this.#version++;
  }
}
