import type { Change } from './change-log.ts';

interface Waiting {
  wants(change: Change): boolean;
  wake(isForChange: boolean): void;
}

export interface Wake {
  /** Whether a change that it wants may be in the catalog; otherwise it was woken for another reason. */
  isForChange: boolean;
  /** The `seq` up to which the bell has rung. Without a change, the log has none up to here that the request wants. */
  position: number;
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

  get position(): number {
    return this.#position;
  }

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
      if (changes === undefined || changes.some(waiting.wants)) waiting.wake(true);
    }
  }

  /** Wakes every request, because what decides whether it may wait has changed. */
  wakeAll(): void {
    for (const waiting of this.#waiting) waiting.wake(false);
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
  wait(position: number, wants: (change: Change) => boolean, signal: AbortSignal): Promise<Wake> {
    const isForChange = this.#position > position;
    if (this.#isEnded || signal.aborted || isForChange) {
      return Promise.resolve({ isForChange, position: this.#position });
    }
    return new Promise((resolve) => {
      const stop = () => waiting.wake(false);
      const waiting: Waiting = {
        wants,
        wake: (isForChange) => {
          this.#waiting.delete(waiting);
          signal.removeEventListener('abort', stop);
          resolve({ isForChange, position: this.#position });
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', stop);
    });
  }
}
