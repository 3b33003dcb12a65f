/**
 * A pseudorandom sequence, which is equal in every run and on every machine. `next()` is in [0, 1).
 */
export interface SeededRandom {
  next(): number;
  /** Uniform in [low, high). */
  between(low: number, high: number): number;
  /** One of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item;
}

/**
 * Mulberry32, seeded by FNV-1a of the text: good enough for music, never for secrets. The package has
 * its own copy, because every byte of the audio depends on it.
 */
export function seededRandom(seed: string): SeededRandom {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) {
    state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  }
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    pick: (items) => items[Math.floor(next() * items.length)]!,
  };
}
