import type { BitKernel } from './bit-kernel.ts';
import { BLOCK_SHIFT, lowestBit, maskBetween, ones, WORDS_A_BLOCK_SHIFT } from './bits.ts';
import { BlockMap, TRACKS_A_MAP_WORD_SHIFT } from './block-map.ts';
import type { Gathered, Matches } from './matches.ts';
import { WordVisitor } from './word-visitor.ts';

/** Going to the block of one member costs as much as so many words side by side; emptying it, as so many. */
const WORDS_A_MEMBER = 128;
const WORDS_EMPTIED_A_MEMBER = 32;

/**
 * A set of tracks that is used again and again: a bit for each ordinal, and a bit for each block of
 * 512 that holds any, so that emptying it and going through it costs what is in it and not what the
 * catalog holds.
 */
export class TrackSet implements Matches {
  readonly #bits: Uint32Array;
  readonly #blocks: BlockMap;
  readonly #kernel: BitKernel;
  #count = 0;

  /** @param bits an empty set that it makes its own, such as the kernel can work on. */
  constructor(bits: Uint32Array, kernel: BitKernel) {
    this.#bits = bits;
    this.#blocks = new BlockMap(bits.length);
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
      this.#blocks.mark(i);
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
    const blocks = this.#blocks.words;
    let added = 0;
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i]!;
      const before = bits[ordinal >>> 5]! | 0;
      const after = before | (1 << (ordinal & 31));
      if (after !== before) {
        bits[ordinal >>> 5] = after;
        blocks[ordinal >>> TRACKS_A_MAP_WORD_SHIFT]! |= 1 << ((ordinal >>> BLOCK_SHIFT) & 31);
        added++;
      }
    }
    this.#count += added;
  }

  /** Adds those that are in another set too. */
  addAllIn(ordinals: Uint32Array, other: TrackSet): void {
    this.addCommon(ordinals, other.#bits);
  }

  /** Adds those that are in one or two bitsets too. */
  addCommon(ordinals: Uint32Array, one: Uint32Array, other = one): void {
    const bits = this.#bits;
    const blocks = this.#blocks.words;
    let added = 0;
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i]!;
      const mask = 1 << (ordinal & 31);
      if ((one[ordinal >>> 5]! & other[ordinal >>> 5]! & mask) === 0) continue;
      const before = bits[ordinal >>> 5]! | 0;
      if ((before & mask) === 0) {
        bits[ordinal >>> 5] = before | mask;
        blocks[ordinal >>> TRACKS_A_MAP_WORD_SHIFT]! |= 1 << ((ordinal >>> BLOCK_SHIFT) & 31);
        added++;
      }
    }
    this.#count += added;
  }

  /** Moves those of the ordinals that are in this set to another. */
  moveAll(ordinals: Uint32Array, to: TrackSet): void {
    const from = this.#bits;
    const bits = to.#bits;
    const blocks = to.#blocks.words;
    let moved = 0;
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i]!;
      const at = ordinal >>> 5;
      const mask = 1 << (ordinal & 31);
      const before = from[at]! | 0;
      if ((before & mask) !== 0) {
        from[at] = before ^ mask;
        bits[at]! |= mask;
        blocks[ordinal >>> TRACKS_A_MAP_WORD_SHIFT]! |= 1 << ((ordinal >>> BLOCK_SHIFT) & 31);
        moved++;
      }
    }
    this.#count -= moved;
    to.#count += moved;
  }

  /** Moves the members that are in the bitset too to another set, which has none of them. */
  moveCommon(bitset: Uint32Array, to: TrackSet): void {
    let moved = 0;
    this.#blocks.each((first, end) => {
      for (let i = first; i < end; i++) {
        const common = this.#bits[i]! & bitset[i]!;
        if (common !== 0) {
          this.#bits[i]! ^= common;
          to.#bits[i]! |= common;
          to.#blocks.mark(i);
          moved += ones(common);
        }
      }
    });
    this.#count -= moved;
    to.#count += moved;
  }

  /** Takes over all members of another set, which has none of this one's. */
  absorb(other: TrackSet): void {
    other.#blocks.each((first, end) => {
      for (let i = first; i < end; i++) {
        this.#bits[i]! |= other.#bits[i]!;
      }
      this.#blocks.mark(first);
    });
    this.#count += other.#count;
    other.clear();
  }

  /** Leaves only what is in the other set too. */
  keepAll(other: TrackSet): void {
    this.keep(other.#bits);
  }

  clear(): void {
    if (this.#count > this.#bits.length / WORDS_EMPTIED_A_MEMBER) {
      this.#kernel.clear(this.#bits);
    } else if (this.#count > 0) {
      const bits = this.#bits;
      this.#blocks.each((first, end) => {
        for (let i = first; i < end; i++) bits[i] = 0;
      });
    }
    this.#blocks.clear();
    this.#count = 0;
  }

  /** Makes this set the ordinals of `from` to `to - 1` that are in every one of the bitsets. */
  become(bitsets: readonly Uint32Array[], from: number, to: number): void {
    this.clear();
    if (from >= to) return;
    const first = from >>> BLOCK_SHIFT;
    const last = (to - 1) >>> BLOCK_SHIFT;
    const part = (bits: Uint32Array) =>
      bits.subarray(first << WORDS_A_BLOCK_SHIFT, (last + 1) << WORDS_A_BLOCK_SHIFT);
    const bits = part(this.#bits);
    const [one, other = one, third, ...others] = bitsets;
    if (one === undefined) {
      bits.fill(0xffff_ffff);
      this.#count = bits.length * 32;
    } else if (third === undefined) {
      this.#count = this.#kernel.intersect(bits, part(one), part(other!));
    } else {
      this.#count = this.#kernel.intersectThree(bits, part(one), part(other!), part(third));
    }
    for (const bitset of others) {
      if (this.#count === 0) return;
      this.#count = this.#kernel.intersect(bits, bits, part(bitset));
    }
    if (this.#count === 0) return;
    for (let block = first; block <= last; block++) {
      this.#blocks.mark(block << WORDS_A_BLOCK_SHIFT);
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
    this.#blocks.each((first, end) => {
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

  /** How many of the members are in the bitset too. */
  countIn(bitset: Uint32Array): number {
    if (this.#isDense) {
      return this.#kernel.countCommon(this.#bits, bitset);
    }
    let count = 0;
    this.#blocks.each((first, end) => {
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
    this.#blocks.each((first, end) => {
      for (let i = first; i < end; i++) {
        for (let word = this.#bits[i]!; word !== 0; word &= word - 1) {
          visit((i << 5) + lowestBit(word));
        }
      }
    });
  }

  /** Calls back with the members in order, up to `batch.length` at a time, in `batch`. */
  eachBatch(batch: Uint32Array, visit: (count: number) => void): void {
    let count = 0;
    this.each((ordinal) => {
      batch[count++] = ordinal;
      if (count === batch.length) {
        visit(count);
        count = 0;
      }
    });
    if (count > 0) visit(count);
  }

  countBetween(from: number, to: number): number {
    let count = 0;
    this.#blocks.eachWord(this.#bits, from, to, (_, word) => {
      count += ones(word);
      return false;
    });
    return count;
  }

  visit(from: number, to: number, skip: number, visit: (ordinal: number) => boolean): void {
    const visitor = new WordVisitor(skip, visit);
    this.#blocks.eachWord(this.#bits, from, to, (i, word) => visitor.takeWord(i, word));
  }

  copyTo(set: Gathered): void {
    this.each((ordinal) => set.add(ordinal));
  }
}
