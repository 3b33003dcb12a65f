const FREE = 0;
const HELD = 1;
/** Held, and somebody sleeps until it is let go. */
const AWAITED = 2;

/** Tries before sleeping: what is done under the lock takes less than a microsecond. */
const SPINS = 200;

const SLEEP_MS = 10;
/** Five seconds of running: however busy the machine, a holder that lives has had its turn by then. */
const SLEEPS = 500;

/** A lock among threads, in one word of shared memory that is 0 at first. For work that never waits. */
export class SharedLock {
  readonly #word: Int32Array;

  /** @param word one word of a SharedArrayBuffer. */
  constructor(word: Int32Array) {
    this.#word = word;
  }

  /**
   * Does the work while no other thread does theirs. Throws where the lock was held for seconds on
   * end, for then its holder is gone. Not to be nested.
   */
  hold<T>(work: () => T): T {
    if (Atomics.compareExchange(this.#word, 0, FREE, HELD) !== FREE) this.#wait();
    try {
      return work();
    } finally {
      if (Atomics.exchange(this.#word, 0, FREE) === AWAITED) Atomics.notify(this.#word, 0, 1);
    }
  }

  #wait(): void {
    for (let spin = 0; spin < SPINS; spin++) {
      if (Atomics.compareExchange(this.#word, 0, FREE, HELD) === FREE) return;
    }
    // Taken as awaited, though perhaps nobody else waits: one needless notice wakes no one.
    for (let sleep = 0; sleep < SLEEPS; sleep++) {
      if (Atomics.exchange(this.#word, 0, AWAITED) === FREE) return;
      Atomics.wait(this.#word, 0, AWAITED, SLEEP_MS);
    }
    throw new Error('A thread went away with a lock that others need');
  }
}
