const FREE = 0;
const HELD = 1;
/** Held, and another thread may sleep until it is released. */
const HELD_WITH_WAITERS = 2;

/** Attempts before a thread sleeps. Work under the lock takes less than a microsecond. */
const SPINS = 200;

const SLEEP_MS = 10;
/** Five seconds in all: within that time even a busy machine has run a holder that is alive. */
const SLEEPS = 500;

/** A lock between threads, in one word of shared memory. For short, synchronous work. */
export class SharedLock {
  readonly #word: Int32Array;

  /** @param word one word of a SharedArrayBuffer, initially 0. */
  constructor(word: Int32Array) {
    this.#word = word;
  }

  /**
   * Does the work while no other thread holds the lock. Throws if the lock stays held for seconds,
   * because its holder is gone then. Calls must not be nested.
   */
  hold<T>(work: () => T): T {
    if (Atomics.compareExchange(this.#word, 0, FREE, HELD) !== FREE) this.#wait();
    try {
      return work();
    } finally {
      if (Atomics.exchange(this.#word, 0, FREE) === HELD_WITH_WAITERS)
        Atomics.notify(this.#word, 0, 1);
    }
  }

  #wait(): void {
    for (let spin = 0; spin < SPINS; spin++) {
      if (Atomics.compareExchange(this.#word, 0, FREE, HELD) === FREE) return;
    }
    // Marks waiters even if there are no others: a needless notification does no harm.
    for (let sleep = 0; sleep < SLEEPS; sleep++) {
      if (Atomics.exchange(this.#word, 0, HELD_WITH_WAITERS) === FREE) return;
      Atomics.wait(this.#word, 0, HELD_WITH_WAITERS, SLEEP_MS);
    }
    throw new Error('A thread ended while it held a lock');
  }
}
