import type { BitKernel } from './bit-kernel.ts';
import {
  BLOCK_SHIFT,
  BlockMap,
  eachCommon,
  hasBit,
  isLong,
  lowestBit,
  maskBetween,
  ones,
  TRACKS_A_MAP_WORD_SHIFT,
  WORDS_A_BLOCK_SHIFT,
} from './bits.ts';
import { type Matches, WordVisitor } from './matches.ts';
import type { Scores } from './scores.ts';

/**
 * The cost of reading and of clearing the block of one member, in adjacent words that are processed in the
 * same time.
 */
const WORDS_A_MEMBER = 128;
const WORDS_EMPTIED_A_MEMBER = 32;

/**
 * A reusable set of tracks: one bit for each ordinal, and one bit for each block of 512 that may have
 * members. Clearing the set and walking through it costs in proportion to its members, not to the catalog.
 */
export class TrackSet implements Matches {
  readonly #bits: Uint32Array;
  readonly #blocks: BlockMap;
  readonly #kernel: BitKernel;
  #count = 0;

  /** @param bits an empty bitset that the kernel can work on; it belongs to this object from now on */
  constructor(bits: Uint32Array, kernel: BitKernel) {
    this.#bits = bits;
    this.#blocks = new BlockMap(bits.length);
    this.#kernel = kernel;
  }

  get count(): number {
    return this.#count;
  }

  /** The members as a bitset, which must not be changed. */
  get bits(): Uint32Array {
    return this.#bits;
  }

  has(ordinal: number): boolean {
    return hasBit(this.#bits, ordinal);
  }

  add(ordinal: number): void {
    if (this.has(ordinal)) return;
    this.#bits[ordinal >>> 5]! |= 1 << (ordinal & 31);
    this.#blocks.mark(ordinal >>> 5);
    this.#count++;
  }

  remove(ordinal: number): void {
    this.#bits[ordinal >>> 5]! &= ~(1 << (ordinal & 31));
    this.#count--;
  }

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

  /** Adds the ordinals of an ascending list that are in another set. */
  addAllIn(ordinals: Uint32Array, other: TrackSet): void {
    if (isLong(ordinals, other)) eachCommon(ordinals, other, (ordinal) => this.add(ordinal));
    else this.addCommon(ordinals, other.#bits);
  }

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

  addIn(bitset: Uint32Array, other: TrackSet): void {
    other.#blocks.each((first, end) => {
      for (let i = first; i < end; i++) {
        const added = other.#bits[i]! & bitset[i]! & ~this.#bits[i]!;
        if (added !== 0) {
          this.#bits[i]! |= added;
          this.#blocks.mark(i);
          this.#count += ones(added);
        }
      }
    });
  }

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

  /** Moves the members that are in the bitset to another set, which has none of them. */
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

  /** Moves the members that are in another set to a third set, which has none of them. */
  moveSet(other: TrackSet, to: TrackSet): void {
    this.moveCommon(other.#bits, to);
  }

  addSet(other: TrackSet): void {
    this.addIn(other.#bits, other);
  }

  keepAll(other: TrackSet): void {
    this.keep(other.#bits);
  }

  removeAll(other: TrackSet): void {
    let removed = 0;
    this.#blocks.each((first, end) => {
      for (let i = first; i < end; i++) {
        const common = this.#bits[i]! & other.#bits[i]!;
        if (common === 0) continue;
        this.#bits[i]! ^= common;
        removed += ones(common);
      }
    });
    this.#count -= removed;
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

  /** Sets this set to the ordinals of `from` to `to - 1` that are in all of the bitsets. */
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
    this.#blocks.fill(first, last);
    this.#trim(first, from, to);
    if (last !== first) this.#trim(last, from, to);
  }

  /** Sets this set to the tracks that are in one of the bitsets, each of which is read before the next, and in another one. */
  becomeAny(bitsets: Iterable<Uint32Array>, within: Uint32Array): void {
    this.clear();
    let isEmpty = true;
    for (const bitset of bitsets) {
      this.#kernel.unite(this.#bits, bitset);
      isEmpty = false;
    }
    if (isEmpty) return;
    this.#count = this.#kernel.intersect(this.#bits, this.#bits, within);
    this.#blocks.fill();
  }

  /** Sets this set to the members of another one that have a score above 1, and keeps only scores of its members. */
  becomeScored(scores: Scores, other: TrackSet): void {
    this.clear();
    this.#count = this.#kernel.keepScores(scores, other.#bits, this.#bits);
    this.#blocks.fill();
  }

  /** Removes the members of a block that are not in `from` to `to - 1`. */
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

  /** Keeps only the members that are in any of up to three bitsets. */
  keep(one: Uint32Array, other = one, third = other): void {
    if (this.#isDense) {
      this.#count =
        other === one
          ? this.#kernel.intersect(this.#bits, this.#bits, one)
          : this.#kernel.keepAny(this.#bits, one, other, third);
      return;
    }
    let count = 0;
    this.#blocks.each((first, end) => {
      for (let i = first; i < end; i++) {
        const word = this.#bits[i]!;
        if (word !== 0) {
          const kept = word & (one[i]! | other[i]! | third[i]!);
          this.#bits[i] = kept;
          count += ones(kept);
        }
      }
    });
    this.#count = count;
  }

  keepWhere(holds: (ordinal: number) => boolean): void {
    this.each((ordinal) => {
      if (!holds(ordinal)) this.remove(ordinal);
    });
  }

  /** Adds points to the score of each member. */
  addTo(scores: Uint16Array, points: number): void {
    const bits = this.#bits;
    this.#blocks.each((first, end) => {
      for (let i = first; i < end; i++) {
        for (let word = bits[i]!; word !== 0; word &= word - 1) {
          scores[(i << 5) + lowestBit(word)]! += points;
        }
      }
    });
  }

  countIn(bitset: Uint32Array): number {
    if (this.#isDense) {
      return this.#kernel.countCommon(this.#bits, bitset);
    }
    let count = 0;
    this.#blocks.each((first, end) => {
      for (let i = first; i < end; i++) {
        const word = this.#bits[i]!;
        if (word !== 0) count += ones(word & bitset[i]!);
      }
    });
    return count;
  }

  /** Whether processing all words at once costs less than processing the blocks with members. */
  get #isDense(): boolean {
    return this.#count > this.#bits.length / WORDS_A_MEMBER;
  }

  /** Calls back for each member. The callback may remove members, but not add any. */
  each(visit: (ordinal: number) => void): void {
    this.#blocks.each((first, end) => {
      for (let i = first; i < end; i++) {
        for (let word = this.#bits[i]!; word !== 0; word &= word - 1) {
          visit((i << 5) + lowestBit(word));
        }
      }
    });
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

  copyTo(set: TrackSet): void {
    this.each((ordinal) => set.add(ordinal));
  }
}

/** The matches as a set: themselves if they are one, otherwise a copy in an empty set. */
export function asSet(found: Matches, takeSet: () => TrackSet): TrackSet {
  if (found instanceof TrackSet) return found;
  const set = takeSet();
  found.copyTo(set);
  return set;
}
