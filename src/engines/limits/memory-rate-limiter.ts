import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../common/clock.ts';
import { BoundedMap, keptIn } from '../../common/memory/caches.ts';
import { SharedLock } from '../../common/memory/open-counts.ts';
import { type AttemptLimiter, type RateDecision, WINDOW_SECONDS } from './rate-limiter.ts';

/** The number of slots of a table: one for each key with a window. A power of two. */
const SLOTS = 1 << 16;

/** A key is stored in one of this many consecutive slots. Its hash determines the first. */
const PROBES = 256;

/** Offsets within a slot, in 64-bit floats; the key's hash takes two of 48 bits. */
const SLOT = { hashHigh: 0, hashLow: 1, endsAt: 2, count: 3, length: 4 };

/** Offsets from the start of the memory, in 64-bit floats; the lock takes half of one, the seed four. */
const HEADER = { lock: 0, lastRead: 1, now: 2, seed: 3, length: 7 };
const SEED_BYTES = 32;

/** The greatest number of cached key hashes, of some hundred bytes each. */
const MAX_CACHED_HASHES = 4_096;

type KeyHash = readonly [high: number, low: number];

/** The counts of a MemoryRateLimiter. Threads that share the memory share the counts. */
export type RateLimitMemory = SharedArrayBuffer;

/** Memory without counts: 2 MB by default. `slots` is a power of two. */
export function createRateLimitMemory(clock: Clock, slots = SLOTS): RateLimitMemory {
  const memory = new SharedArrayBuffer((HEADER.length + slots * SLOT.length) * 8);
  const values = new Float64Array(memory);
  values[HEADER.lastRead] = clock.now();
  values[HEADER.now] = clock.now();
  new Uint8Array(memory, HEADER.seed * 8, SEED_BYTES).set(randomBytes(SEED_BYTES));
  return memory;
}

/**
 * Counts in a hash table of fixed size, exactly over all threads that share its memory. The hash is
 * seeded with a secret, so that callers cannot choose keys that collide. Where all slots of a key
 * hold running windows of other keys, the one of these that ends first is dropped.
 */
export class MemoryRateLimiter implements AttemptLimiter {
  readonly #clock: Clock;
  readonly #windowSeconds: number;
  readonly #lock: SharedLock;
  readonly #values: Float64Array;
  readonly #seed: string;
  readonly #mask: number;
  readonly #hashes = new BoundedMap<string, KeyHash>(MAX_CACHED_HASHES);

  /**
   * @param deps.memory the counts; by default, counts of this limiter alone.
   * @param deps.windowSeconds for tests that cannot wait a minute.
   */
  constructor(deps: {
    clock: Clock;
    memory?: RateLimitMemory | undefined;
    windowSeconds?: number;
  }) {
    const memory = deps.memory ?? createRateLimitMemory(deps.clock);
    this.#clock = deps.clock;
    this.#windowSeconds = deps.windowSeconds ?? WINDOW_SECONDS;
    this.#lock = new SharedLock(new Int32Array(memory, HEADER.lock * 8, 1));
    this.#values = new Float64Array(memory);
    // A copy, because a shared buffer cannot be decoded.
    this.#seed = Buffer.from(new Uint8Array(memory, HEADER.seed * 8, SEED_BYTES)).toString('hex');
    this.#mask = (this.#values.length - HEADER.length) / SLOT.length - 1;
  }

  take(key: string, limit: number, windowSeconds?: number): RateDecision {
    return this.#decide(key, limit, { cost: 1, windowSeconds });
  }

  /** What `take` would decide, without counting. */
  peek(key: string, limit: number): RateDecision {
    return this.#decide(key, limit, { cost: 0 });
  }

  giveBack(key: string, { resetSeconds }: RateDecision): void {
    const keyHash = this.#hash(key);
    this.#lock.hold(() => {
      const values = this.#values;
      const slot = this.#find(keyHash);
      const leftMs = this.#holds(slot, keyHash) ? values[slot + SLOT.endsAt]! - this.#now() : 0;
      // A window that began later ends later.
      if (leftMs <= 0 || Math.ceil(leftMs / 1000) > resetSeconds) return;
      values[slot + SLOT.count]! -= 1;
      if (values[slot + SLOT.count] === 0) values[slot + SLOT.endsAt] = 0;
    });
  }

  #decide(
    key: string,
    limit: number,
    {
      cost,
      windowSeconds = this.#windowSeconds,
    }: { cost: 0 | 1; windowSeconds?: number | undefined },
  ): RateDecision {
    const keyHash = this.#hash(key);
    return this.#lock.hold(() => {
      const values = this.#values;
      const now = this.#now();
      const slot = this.#find(keyHash);
      const isRunning = this.#holds(slot, keyHash) && now < values[slot + SLOT.endsAt]!;
      const endsAt = isRunning ? values[slot + SLOT.endsAt]! : now + windowSeconds * 1000;
      const used = isRunning ? values[slot + SLOT.count]! : 0;
      const allowed = used < limit;
      const count = allowed ? used + cost : used;
      if (count !== used) {
        values[slot + SLOT.hashHigh] = keyHash[0];
        values[slot + SLOT.hashLow] = keyHash[1];
        values[slot + SLOT.endsAt] = endsAt;
        values[slot + SLOT.count] = count;
      }
      return {
        allowed,
        limit,
        // A limit may be lowered during a window, below what was used of it.
        remaining: Math.max(0, limit - count),
        resetSeconds: Math.ceil((endsAt - now) / 1000),
      };
    });
  }

  /** The time of the windows: that of the clock, except that it stops while the clock is set back. */
  #now(): number {
    const read = this.#clock.now();
    this.#values[HEADER.now]! += Math.max(0, read - this.#values[HEADER.lastRead]!);
    this.#values[HEADER.lastRead] = read;
    return this.#values[HEADER.now]!;
  }

  /** The slot of the key. If no slot has it, the slot whose window ends first. */
  #find(keyHash: KeyHash): number {
    let first = this.#slotAt(keyHash, 0);
    for (let probe = 0; probe < PROBES; probe++) {
      const slot = this.#slotAt(keyHash, probe);
      if (this.#holds(slot, keyHash)) return slot;
      // An empty slot has the end 0, which is before every other.
      if (this.#values[slot + SLOT.endsAt]! < this.#values[first + SLOT.endsAt]!) {
        first = slot;
      }
    }
    return first;
  }

  #slotAt([high]: KeyHash, probe: number): number {
    return HEADER.length + ((high + probe) & this.#mask) * SLOT.length;
  }

  #holds(slot: number, [high, low]: KeyHash): boolean {
    return this.#values[slot + SLOT.hashHigh] === high && this.#values[slot + SLOT.hashLow] === low;
  }

  #hash(key: string): KeyHash {
    return keptIn(this.#hashes, key, () => {
      const bytes = hash('sha256', this.#seed + key, 'buffer');
      return [bytes.readUIntLE(0, 6), bytes.readUIntLE(6, 6)];
    });
  }
}
