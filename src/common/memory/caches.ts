/**
 * Remembers recent keys in a fixed amount of memory, so that a cache stores only what is requested a
 * second time: values that are requested once would evict the others and burden the garbage collector.
 * Each slot holds the last two keys, so that old keys are forgotten. Two texts with the same hash count
 * as one key. Both only make a cache slightly less effective.
 */
export class RecentKeys {
  readonly #seen: Uint32Array;

  /** @param slots a power of two. Each slot takes eight bytes. */
  constructor(slots: number) {
    this.#seen = new Uint32Array(slots * 2);
  }

  /** Remembers a key, a positive integer of 32 bits, and returns whether it was remembered before. */
  remember(key: number): boolean {
    const seen = this.#seen;
    const last = (key & (seen.length / 2 - 1)) * 2;
    if (seen[last] === key) return true;
    // The slot keeps the older key, too, so that two alternating keys do not evict each other.
    const wasKnown = seen[last + 1] === key;
    seen[last + 1] = seen[last]!;
    seen[last] = key;
    return wasKnown;
  }

  /** Remembers a text by its hash, and returns whether it was remembered before. */
  rememberText(text: string): boolean {
    return this.remember(hashOf(text));
  }

  clear(): void {
    this.#seen.fill(0);
  }
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * A map for what can be found again. It is emptied when it is full, which costs less than ordering the entries
 * by use, as long as most keys of an import recur soon or all of them fit.
 */
export class BoundedMap<Key, Value> {
  readonly #max: number;
  readonly #entries = new Map<Key, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.#max) this.#entries.clear();
    this.#entries.set(key, value);
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** Returns the value of the key. If the map lacks it, makes and adds it. */
export function keptIn<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Several responses are made before the first of them is sent. */
const MAX_SPARE_BUFFERS = 8;
const MAX_KEPT_BYTES = 256 * 1024;
/** The lengths of buffers are multiples of this, so that most fit most users. */
const UNIT_BYTES = 16 * 1024;

export interface TakenBytes {
  bytes: Buffer;
  /** Gives the bytes back. Must be called at most once, when nothing uses them any more. */
  release(): void;
}

/**
 * Gives out buffers, and keeps those that were given back for the next users. V8 collects garbage each time that some
 * megabytes of new buffers have been allocated, which costs more than filling them.
 */
export class SpareBuffers {
  readonly #spare: Buffer[] = [];

  /** Returns bytes with any content. They belong to the caller until `release`, or for ever. */
  take(size: number): TakenBytes {
    const spare = this.#spare.pop();
    // One that is too small is left to the garbage collector, so that those that are kept suit the latest users.
    const whole =
      spare !== undefined && spare.length >= size
        ? spare
        : Buffer.allocUnsafeSlow(Math.ceil(size / UNIT_BYTES) * UNIT_BYTES);
    return {
      bytes: whole.subarray(0, size),
      release: () => {
        if (whole.length <= MAX_KEPT_BYTES && this.#spare.length < MAX_SPARE_BUFFERS) {
          this.#spare.push(whole);
        }
      },
    };
  }
}
