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

/** The 32-bit FNV-1a hash. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
