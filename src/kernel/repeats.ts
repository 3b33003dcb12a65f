/**
 * Tells what comes for the second time, so that a cache need not hold what never comes again: that
 * would push out the rest, and keep the garbage collector busy. Remembers the last two keys in each of
 * its places, so it forgets now and then, and two texts of one hash pass for one: both cost a cache
 * nothing but a little of its effect.
 */
export class Repeats {
  readonly #seen: Uint32Array;

  /** @param places a power of two; eight bytes each. */
  constructor(places: number) {
    this.#seen = new Uint32Array(places * 2);
  }

  /** Whether this key, a positive integer of 32 bits, came before; from now on it did. */
  has(key: number): boolean {
    const seen = this.#seen;
    const last = (key & (seen.length / 2 - 1)) * 2;
    if (seen[last] === key) return true;
    // Two that come by turns must not push each other out for ever.
    const came = seen[last + 1] === key;
    seen[last + 1] = seen[last]!;
    seen[last] = key;
    return came;
  }

  /** The same of a text. */
  hasText(text: string): boolean {
    return this.has(hashOf(text));
  }

  clear(): void {
    this.#seen.fill(0);
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
