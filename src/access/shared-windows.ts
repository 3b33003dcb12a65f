import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { SharedLock } from '../kernel/shared-lock.ts';
import { WINDOW_SECONDS, type Windows } from './fixed-windows.ts';
import type { RateDecision } from './rate-limiter.ts';

const WINDOW_MS = WINDOW_SECONDS * 1000;

/** How many keys one table has room for; a power of two. 2 MB. */
const PLACES = 1 << 16;

/** A key lies in one of so many places from its own on. */
const NEIGHBOURHOOD = 16;

/** Words of a place: four of the key's hash, one to spare, the count, two of the window's beginning. */
const PLACE_WORDS = 8;
const HASH_WORDS = 4;
const COUNT = 5;
const STARTED_AT = 6;

/** In 32-bit words, from the beginning: the lock, one to spare, two numbers of 64 bits, the seed. */
const HEAD = { lock: 0, lastRead: 2, elapsed: 4, seed: 6, length: 14 };

/** So many hashes are kept rather than made again: some hundred bytes each. */
const MAX_KNOWN = 4_096;

/** The memory of a table, for those who count in it. */
export type WindowsMemory = SharedArrayBuffer;

/** A new table without a key. */
export function windowsMemory(clock: Clock, places = PLACES): WindowsMemory {
  const memory = new SharedArrayBuffer((HEAD.length + places * PLACE_WORDS) * 4);
  new Float64Array(memory)[HEAD.lastRead / 2] = clock.now();
  new Uint8Array(memory, HEAD.seed * 4, 32).set(randomBytes(32));
  return memory;
}

/**
 * FixedWindows in memory that threads share: each call is exact among all of them. Keys are known by
 * 128 bits of a hash that only this table knows how to make, so no two meet, and nobody outside can
 * choose keys that crowd one another out. Memory is fixed: where a neighbourhood is full of windows
 * that are not over, the oldest of them is forgotten.
 */
export class SharedWindows implements Windows {
  readonly #clock: Clock;
  readonly #lock: SharedLock;
  readonly #words: Uint32Array;
  readonly #times: Float64Array;
  readonly #seed: string;
  readonly #mask: number;
  readonly #known = new Map<string, Uint32Array>();

  constructor(deps: { clock: Clock; memory: WindowsMemory }) {
    const { clock, memory } = deps;
    this.#clock = clock;
    this.#lock = new SharedLock(new Int32Array(memory, HEAD.lock * 4, 1));
    this.#words = new Uint32Array(memory);
    this.#times = new Float64Array(memory);
    // Decoding refuses shared memory, a copy it takes.
    this.#seed = Buffer.from(new Uint8Array(memory, HEAD.seed * 4, 32)).toString('hex');
    this.#mask = (this.#words.length - HEAD.length) / PLACE_WORDS - 1;
  }

  take(key: string, limit: number): RateDecision {
    const hashed = this.#hash(key);
    return this.#lock.hold(() => {
      const now = this.#now();
      let place = this.#find(hashed, now);
      const allowed = (place === undefined ? 0 : this.#words[place + COUNT]!) < limit;
      if (allowed) {
        place ??= this.#begin(hashed, now);
        this.#words[place + COUNT]! += 1;
      }
      const used = place === undefined ? 0 : this.#words[place + COUNT]!;
      return {
        allowed,
        limit,
        remaining: Math.max(0, limit - used),
        resetSeconds: this.#secondsLeft(place, now),
      };
    });
  }

  count(key: string): number {
    const hashed = this.#hash(key);
    return this.#lock.hold(() => {
      const place = this.#find(hashed, this.#now());
      return place === undefined ? 0 : this.#words[place + COUNT]!;
    });
  }

  resetSeconds(key: string): number {
    const hashed = this.#hash(key);
    return this.#lock.hold(() => {
      const now = this.#now();
      return this.#secondsLeft(this.#find(hashed, now), now);
    });
  }

  add(key: string): void {
    const hashed = this.#hash(key);
    this.#lock.hold(() => {
      const now = this.#now();
      const place = this.#find(hashed, now) ?? this.#begin(hashed, now);
      this.#words[place + COUNT]! += 1;
    });
  }

  release(key: string, count: number): void {
    const hashed = this.#hash(key);
    this.#lock.hold(() => {
      const place = this.#find(hashed, this.#now());
      if (place !== undefined) {
        this.#words[place + COUNT] = Math.max(0, this.#words[place + COUNT]! - count);
      }
    });
  }

  /** As in FixedWindows, of all threads: while the machine's clock is set back, it stands still. */
  #now(): number {
    const read = this.#clock.now();
    const since = read - this.#times[HEAD.lastRead / 2]!;
    this.#times[HEAD.elapsed / 2]! += Math.max(0, since);
    this.#times[HEAD.lastRead / 2] = read;
    return this.#times[HEAD.elapsed / 2]!;
  }

  /** Where the key's window lies; undefined where it has none that is not over. */
  #find(hashed: Uint32Array, now: number): number | undefined {
    const words = this.#words;
    for (let i = 0; i < NEIGHBOURHOOD; i++) {
      const place = this.#placeAt(hashed, i);
      if (
        words[place] === hashed[0] &&
        words[place + 1] === hashed[1] &&
        words[place + 2] === hashed[2] &&
        words[place + 3] === hashed[3]
      ) {
        return this.#isOver(place, now) ? undefined : place;
      }
    }
    return undefined;
  }

  /** Makes a window for a key: in its old place, else in one that is free or over, else in the oldest's. */
  #begin(hashed: Uint32Array, now: number): number {
    let chosen = this.#placeAt(hashed, 0);
    for (let i = 0; i < NEIGHBOURHOOD; i++) {
      const place = this.#placeAt(hashed, i);
      if (this.#isOf(place, hashed)) {
        chosen = place;
        break;
      }
      // A place that is free has begun at 0, and one that is over before any that is not.
      if (this.#startedAt(place) < this.#startedAt(chosen)) chosen = place;
    }
    this.#words.set(hashed, chosen);
    this.#words[chosen + COUNT] = 0;
    this.#times[(chosen + STARTED_AT) / 2] = now + 1;
    return chosen;
  }

  #placeAt(hashed: Uint32Array, i: number): number {
    return HEAD.length + ((hashed[0]! + i) & this.#mask) * PLACE_WORDS;
  }

  #isOf(place: number, hashed: Uint32Array): boolean {
    for (let i = 0; i < HASH_WORDS; i++) {
      if (this.#words[place + i] !== hashed[i]) return false;
    }
    return true;
  }

  /** Kept one more than it is, so that 0 says that a place is free. */
  #startedAt(place: number): number {
    return this.#times[(place + STARTED_AT) / 2]! - 1;
  }

  #isOver(place: number, now: number): boolean {
    return now >= this.#startedAt(place) + WINDOW_MS;
  }

  #secondsLeft(place: number | undefined, now: number): number {
    const startedAt = place === undefined ? now : this.#startedAt(place);
    return Math.ceil((startedAt + WINDOW_MS - now) / 1000);
  }

  #hash(key: string): Uint32Array {
    let hashed = this.#known.get(key);
    if (hashed === undefined) {
      const bytes = hash('sha256', this.#seed + key, 'buffer');
      hashed = Uint32Array.from({ length: HASH_WORDS }, (_, i) => bytes.readUInt32LE(i * 4));
      if (this.#known.size === MAX_KNOWN) this.#known.clear();
      this.#known.set(key, hashed);
    }
    return hashed;
  }
}
