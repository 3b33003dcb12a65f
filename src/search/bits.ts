/**
 * A set of ordinals, one bit each. All sets of one segment have the same length, and bits past the
 * segment's size are never set.
 */
export type Bits = Uint32Array;

/** The empty set, with room for the ordinals below `size`. */
export function emptyBits(size: number): Bits {
  return new Uint32Array((size + 31) >>> 5);
}

/** The set of all ordinals below `size`. */
export function fullBits(size: number): Bits {
  const bits = emptyBits(size).fill(0xffff_ffff);
  if ((size & 31) !== 0) {
    bits[bits.length - 1] = (1 << (size & 31)) - 1;
  }
  return bits;
}

export function addBit(bits: Bits, ordinal: number): void {
  bits[ordinal >>> 5]! |= 1 << (ordinal & 31);
}

export function removeBit(bits: Bits, ordinal: number): void {
  bits[ordinal >>> 5]! &= ~(1 << (ordinal & 31));
}

export function hasBit(bits: Bits, ordinal: number): boolean {
  return (bits[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0;
}

/** Leaves in the first set what is in both. */
export function intersect(bits: Bits, other: Bits): void {
  for (let i = 0; i < bits.length; i++) {
    bits[i]! &= other[i]!;
  }
}

/** Takes out of the first set what is in the other. */
export function subtract(bits: Bits, other: Bits): void {
  for (let i = 0; i < bits.length; i++) {
    bits[i]! &= ~other[i]!;
  }
}

export function isEmpty(bits: Bits): boolean {
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] !== 0) {
      return false;
    }
  }
  return true;
}

/** How many ordinals are in the set. */
export function countBits(bits: Bits): number {
  let count = 0;
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] !== 0) {
      count += ones(bits[i]!);
    }
  }
  return count;
}

/** How many ordinals of `from` to `to - 1` are in the set. */
export function countBetween(bits: Bits, from: number, to: number): number {
  if (from >= to) {
    return 0;
  }
  const first = from >>> 5;
  const last = (to - 1) >>> 5;
  let count = 0;
  for (let i = first; i <= last; i++) {
    count += ones(wordBetween(bits, i, from, to));
  }
  return count;
}

/**
 * Calls back for the ordinals of `from` to `to - 1` that are in the set, in order, but for the
 * first `skip` of them, until the callback returns true. Costs a pass over the words it skips.
 */
export function visitBits(
  bits: Bits,
  from: number,
  to: number,
  skip: number,
  visit: (ordinal: number) => boolean,
): void {
  if (from >= to) {
    return;
  }
  const last = (to - 1) >>> 5;
  let left = skip;
  for (let i = from >>> 5; i <= last; i++) {
    let word = wordBetween(bits, i, from, to);
    if (left > 0) {
      const count = ones(word);
      if (count <= left) {
        left -= count;
        continue;
      }
      for (; left > 0; left--) {
        word &= word - 1;
      }
    }
    for (; word !== 0; word &= word - 1) {
      if (visit((i << 5) + 31 - Math.clz32(word & -word))) {
        return;
      }
    }
  }
}

/** The set's word `i`, without the ordinals outside of `from` to `to - 1`. */
function wordBetween(bits: Bits, i: number, from: number, to: number): number {
  let word = bits[i]!;
  if (i === from >>> 5) {
    word &= -1 << (from & 31);
  }
  if (i === to >>> 5) {
    word &= (1 << (to & 31)) - 1;
  }
  return word;
}

/** How many bits of the 32 are set. */
function ones(word: number): number {
  let n = word - ((word >>> 1) & 0x5555_5555);
  n = (n & 0x3333_3333) + ((n >>> 2) & 0x3333_3333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
