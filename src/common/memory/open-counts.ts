import { hash } from 'node:crypto';

/** The number of slots: far more than the requests that a node can have open. A power of two. */
const SLOTS = 1 << 16;

/** A key is stored in one of this many consecutive slots. Its hash determines the first. */
const PROBES = 64;

/** Offsets within a slot, in words of 32 bits. */
const SLOT = { hashHigh: 0, hashLow: 1, count: 2, length: 3 };

/** The words before the slots: the lock. */
const HEADER_LENGTH = 1;

/** The counts of an OpenCounts. Threads that share the memory share the counts. */
export type OpenCountsMemory = SharedArrayBuffer;

/** Memory without counts, of 0.8 MB. */
export function createOpenCountsMemory(): OpenCountsMemory {
  return new SharedArrayBuffer((HEADER_LENGTH + SLOTS * SLOT.length) * 4);
}

/**
 * Counts what is open by key, over all threads that share its memory. A thread that ends without closing what
 * it has opened leaves its counts behind: the process must then end. Keys must not be chosen by strangers,
 * because the hash has no secret.
 */
export class OpenCounts {
  readonly #lock: SharedLock;
  readonly #words: Int32Array;

  /** @param memory the counts; by default, counts of this object alone. */
  constructor(memory = createOpenCountsMemory()) {
    this.#lock = new SharedLock(new Int32Array(memory, 0, HEADER_LENGTH));
    this.#words = new Int32Array(memory);
  }

  /** Counts one more. Returns false if the key has `most` already, or if the slots for it are full. */
  enter(key: string, most: number): boolean {
    const [high, low] = hashOf(key);
    return this.#lock.hold(() => {
      const slot = this.#find(high, low) ?? this.#find(high, undefined);
      if (slot === undefined || this.#words[slot + SLOT.count]! >= most) {
        return false;
      }
      this.#words[slot + SLOT.hashHigh] = high;
      this.#words[slot + SLOT.hashLow] = low;
      this.#words[slot + SLOT.count]!++;
      return true;
    });
  }

  /** Counts one less, after an `enter` that returned true. */
  leave(key: string): void {
    const [high, low] = hashOf(key);
    this.#lock.hold(() => {
      this.#words[this.#find(high, low)! + SLOT.count]!--;
    });
  }

  /** Returns the slot of a key; without `low`, a free slot for it. */
  #find(high: number, low: number | undefined): number | undefined {
    const words = this.#words;
    for (let probe = 0; probe < PROBES; probe++) {
      const slot = HEADER_LENGTH + ((high + probe) & (SLOTS - 1)) * SLOT.length;
      const isFree = words[slot + SLOT.count] === 0;
      const holds = words[slot + SLOT.hashHigh] === high && words[slot + SLOT.hashLow] === low;
      if (low === undefined ? isFree : !isFree && holds) {
        return slot;
      }
    }
    return undefined;
  }
}

function hashOf(key: string): readonly [high: number, low: number] {
  const bytes = hash('sha256', key, 'buffer');
  return [bytes.readInt32LE(0), bytes.readInt32LE(4)];
}

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
