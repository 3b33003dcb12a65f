import type { Change } from './change-log.ts';

/** A request that waits for a change. */
interface Waiting {
  wants(change: Change): boolean;
  wake(): void;
}

/**
 * Wakes the requests of a node that wait for changes. The follower of the catalog rings it, so that waiting
 * costs no reads of the log, however many requests wait, and a request that wakes finds the changes in the
 * catalog.
 */
export class LogBell {
  readonly #waiting = new Set<Waiting>();
  #position = 0;
  #isEnded = false;

  /** The `seq` up to which it has rung. */
  get position(): number {
    return this.#position;
  }

  /** The number of requests that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Wakes the requests that wait for one of the changes up to `position`. Without the changes, it wakes every
   * request.
   */
  ring(position: number, changes?: readonly Change[]): void {
    if (position <= this.#position) return;
    this.#position = position;
    for (const waiting of this.#waiting) {
      if (changes === undefined || changes.some(waiting.wants)) waiting.wake();
    }
  }

  /** Wakes every request, because what decides whether it may wait has changed. */
  wakeAll(): void {
    for (const waiting of this.#waiting) waiting.wake();
  }

  /** Wakes every request, and lets none wait from now on, because the node drains. */
  end(): void {
    this.#isEnded = true;
    this.wakeAll();
  }

  /**
   * Resolves when a change after `position` that the request wants may be in the catalog, the signal aborts,
   * or another reason wakes it. The caller looks for the reason, and may wait again.
   */
  wait(position: number, wants: (change: Change) => boolean, signal: AbortSignal): Promise<void> {
    if (this.#isEnded || signal.aborted || this.#position > position) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting: Waiting = {
        wants,
        wake: () => {
          this.#waiting.delete(waiting);
          signal.removeEventListener('abort', waiting.wake);
          resolve();
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', waiting.wake);
    });
  }
}
