import type { BitKernel } from './bit-kernel.ts';
import { BLOCK_SHIFT, lowestBit, maskBetween, ones, WORDS_A_BLOCK_SHIFT } from './bits.ts';
import type { Gathered, Matches } from './matches.ts';

/** Going to the block of one member costs as much as so many words side by side. */
const WORDS_A_MEMBER = 128;

/**
 * A set of tracks that is used again and again: a bit for each ordinal, and a bit for each block of
 * 512 that holds any, so that emptying it and going through it costs what is in it and not what the
 * catalog holds.
 */
export class TrackSet implements Matches {
  readonly #bits: Uint32Array;
  /** One bit for each block that may hold any. */
  readonly #blocks: Uint32Array;
  readonly #kernel: BitKernel;
  #count = 0;

  /** @param bits an empty set that it makes its own, such as the kernel can work on. */
  constructor(bits: Uint32Array, kernel: BitKernel) {
    this.#bits = bits;
    this.#blocks = new Uint32Array((bits.length >>> (WORDS_A_BLOCK_SHIFT + 5)) + 1);
    this.#kernel = kernel;
  }

  get count(): number {
    return this.#count;
  }

  has(ordinal: number): boolean {
    return (this.#bits[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0;
  }

  add(ordinal: number): void {
    const i = ordinal >>> 5;
    const before = this.#bits[i]!;
    const after = before | (1 << (ordinal & 31));
    if (after !== (before | 0)) {
      this.#bits[i] = after;
      this.#blocks[ordinal >>> 14]! |= 1 << ((ordinal >>> BLOCK_SHIFT) & 31);
      this.#count++;
    }
  }

  /** Takes a member out. */
  remove(ordinal: number): void {
    this.#bits[ordinal >>> 5]! &= ~(1 << (ordinal & 31));
    this.#count--;
  }

  /** Adds them all. */
  addAll(ordinals: Uint32Array): void {
    const bits = this.#bits;
    const blocks = this.#blocks;
    let added = 0;
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i]!;
      const before = bits[ordinal >>> 5]! | 0;
      const after = before | (1 << (ordinal & 31));
      if (after !== before) {
        bits[ordinal >>> 5] = after;
        blocks[ordinal >>> 14]! |= 1 << ((ordinal >>> BLOCK_SHIFT) & 31);
        added++;
      }
    }
    this.#count += added;
  }

  /** Adds those that are in another set too. */
  addAllIn(ordinals: Uint32Array, other: TrackSet): void {
    const bits = other.#bits;
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i]!;
      if ((bits[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0) {
        this.add(ordinal);
      }
    }
  }

  clear(): void {
    if (this.#isDense) {
      this.#bits.fill(0);
    } else if (this.#count > 0) {
      this.#eachBlock((first, end) => {
        this.#bits.fill(0, first, end);
      });
    }
    this.#blocks.fill(0);
    this.#count = 0;
  }

  /** Makes this set the ordinals of `from` to `to - 1` that are in every one of the bitsets. */
  become(bitsets: readonly Uint32Array[], from: number, to: number): void {
    this.clear();
    if (from >= to) {
      return;
    }
    const first = from >>> BLOCK_SHIFT;
    const last = (to - 1) >>> BLOCK_SHIFT;
    const part = (bits: Uint32Array) =>
      bits.subarray(first << WORDS_A_BLOCK_SHIFT, (last + 1) << WORDS_A_BLOCK_SHIFT);
    const bits = part(this.#bits);
    const [one, other = one, ...others] = bitsets;
    if (one === undefined) {
      bits.fill(0xffff_ffff);
      this.#count = bits.length * 32;
    } else {
      this.#count = this.#kernel.intersect(bits, part(one), part(other!));
    }
    for (const bitset of others) {
      if (this.#count === 0) return;
      this.#count = this.#kernel.intersect(bits, bits, part(bitset));
    }
    if (this.#count === 0) return;
    for (let block = first; block <= last; block++) {
      this.#blocks[block >>> 5]! |= 1 << (block & 31);
    }
    this.#trim(first, from, to);
    if (last !== first) this.#trim(last, from, to);
  }

  /** Takes out what lies in a block, but not in `from` to `to - 1`. */
  #trim(block: number, from: number, to: number): void {
    const start = block << WORDS_A_BLOCK_SHIFT;
    for (let i = start; i < start + (1 << WORDS_A_BLOCK_SHIFT); i++) {
      const before = this.#bits[i]!;
      const isOutside = (i + 1) << 5 <= from || i << 5 >= to;
      const kept = isOutside ? 0 : before & maskBetween(i, from, to);
      this.#bits[i] = kept;
      this.#count -= ones(before) - ones(kept);
    }
  }

  /** Leaves only what is in the bitset too. */
  keep(bitset: Uint32Array): void {
    if (this.#isDense) {
      this.#count = this.#kernel.intersect(this.#bits, this.#bits, bitset);
      return;
    }
    let count = 0;
    this.#eachBlock((first, end) => {
      for (let i = first; i < end; i++) {
        const word = this.#bits[i]!;
        if (word !== 0) {
          const kept = word & bitset[i]!;
          this.#bits[i] = kept;
          count += ones(kept);
        }
      }
    });
    this.#count = count;
  }

  /** Leaves only those for which `holds`. */
  keepWhere(holds: (ordinal: number) => boolean): void {
    this.each((ordinal) => {
      if (!holds(ordinal)) {
        this.remove(ordinal);
      }
    });
  }

  /** Leaves only those whose number in the column lies in `min` to `max`. */
  keepInRange(column: Uint32Array, min: number, max: number): void {
    this.#eachBlock((first, end) => {
      for (let i = first; i < end; i++) {
        let kept = this.#bits[i]!;
        if (kept === 0) {
          continue;
        }
        const before = kept;
        for (let word = kept; word !== 0; word &= word - 1) {
          const bit = word & -word;
          const number = column[(i << 5) + 31 - Math.clz32(bit)]!;
          if (number < min || number > max) {
            kept ^= bit;
          }
        }
        this.#bits[i] = kept;
        this.#count -= ones(before ^ kept);
      }
    });
  }

  /** How many of the members are in the bitset too. */
  countIn(bitset: Uint32Array): number {
    if (this.#isDense) {
      return this.#kernel.countCommon(this.#bits, bitset);
    }
    let count = 0;
    this.#eachBlock((first, end) => {
      for (let i = first; i < end; i++) {
        const word = this.#bits[i]!;
        if (word !== 0) {
          count += ones(word & bitset[i]!);
        }
      }
    });
    return count;
  }

  /** Whether going through all words at once costs less than going to those of the members. */
  get #isDense(): boolean {
    return this.#count > this.#bits.length / WORDS_A_MEMBER;
  }

  /** Members may be removed meanwhile, not added. */
  each(visit: (ordinal: number) => void): void {
    this.#eachBlock((first, end) => {
      for (let i = first; i < end; i++) {
        for (let word = this.#bits[i]!; word !== 0; word &= word - 1) {
          visit((i << 5) + lowestBit(word));
        }
      }
    });
  }

  countBetween(from: number, to: number): number {
    let count = 0;
    this.#eachWord(from, to, (_, word) => {
      count += ones(word);
      return false;
    });
    return count;
  }

  visit(from: number, to: number, skip: number, visit: (ordinal: number) => boolean): void {
    let left = skip;
    this.#eachWord(from, to, (i, bits) => {
      let word = bits;
      if (left > 0) {
        const count = ones(word);
        if (count <= left) {
          left -= count;
          return false;
        }
        for (; left > 0; left--) {
          word &= word - 1;
        }
      }
      for (; word !== 0; word &= word - 1) {
        if (visit((i << 5) + lowestBit(word))) {
          return true;
        }
      }
      return false;
    });
  }

  copyTo(set: Gathered): void {
    this.each((ordinal) => set.add(ordinal));
  }

  /** Calls back with the words of each block that may hold any. */
  #eachBlock(visit: (firstWord: number, endWord: number) => void): void {
    for (let i = 0; i < this.#blocks.length; i++) {
      for (let blocks = this.#blocks[i]!; blocks !== 0; blocks &= blocks - 1) {
        const first = ((i << 5) + lowestBit(blocks)) << WORDS_A_BLOCK_SHIFT;
        visit(first, first + (1 << WORDS_A_BLOCK_SHIFT));
      }
    }
  }

  /** Calls back for each word with members in `from` to `to - 1`, until that returns true. */
  #eachWord(from: number, to: number, visit: (i: number, word: number) => boolean): void {
    if (from >= to) {
      return;
    }
    const lastBlock = (to - 1) >>> BLOCK_SHIFT;
    for (let block = from >>> BLOCK_SHIFT; block <= lastBlock; block++) {
      const blocks = this.#blocks[block >>> 5]! >>> (block & 31);
      if (blocks === 0) {
        // No more in this word of blocks.
        block |= 31;
        continue;
      }
      if ((blocks & 1) === 0) {
        continue;
      }
      const first = Math.max(from >>> 5, block << WORDS_A_BLOCK_SHIFT);
      const last = Math.min((to - 1) >>> 5, (block << WORDS_A_BLOCK_SHIFT) + 15);
      for (let i = first; i <= last; i++) {
        const word = this.#bits[i]! & maskBetween(i, from, to);
        if (word !== 0 && visit(i, word)) {
          return;
        }
      }
    }
  }
}
