export type SeededRandom = ReturnType<typeof seededRandom>;

/**
 * Returns pseudo-random numbers that are the same on every run and machine: Mulberry32, seeded with the FNV-1a hash of
 * the text. Sufficient for pictures and music; never use it for secrets.
 */
export function seededRandom(seed: string) {
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
    /** Uniform in [0, 1). */
    next,
    /** Uniform in [low, high). */
    between: (low: number, high: number) => low + next() * (high - low),
    /** An integer from low to high, both included. */
    integer: (low: number, high: number) => low + Math.floor(next() * (high - low + 1)),
    /** One item of a non-empty list. */
    pick: <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)]!,
  };
}
