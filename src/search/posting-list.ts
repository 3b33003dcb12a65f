import { addBit, type Bits, emptyBits, intersect } from './bits.ts';

/** Which tracks have one property: a bitset where that is smaller, else the ordinals in order. */
export class PostingList {
  /** How many tracks there are. */
  readonly count: number;
  readonly #ordinals: Uint32Array | undefined;
  readonly #bits: Bits | undefined;

  /** `ordinals` ascend; all of them lie below `size`. */
  constructor(ordinals: readonly number[], size: number) {
    this.count = ordinals.length;
    if (ordinals.length > size >>> 5) {
      this.#bits = emptyBits(size);
      for (const ordinal of ordinals) {
        addBit(this.#bits, ordinal);
      }
    } else {
      this.#ordinals = Uint32Array.from(ordinals);
    }
  }

  /** Leaves in the set what is in this list too. */
  intersectInto(bits: Bits): void {
    if (this.#bits !== undefined) {
      intersect(bits, this.#bits);
      return;
    }
    const ordinals = this.#ordinals!;
    let at = 0;
    for (let i = 0; i < bits.length; i++) {
      let word = 0;
      for (; at < ordinals.length && ordinals[at]! >>> 5 === i; at++) {
        word |= 1 << (ordinals[at]! & 31);
      }
      bits[i]! &= word;
    }
  }
}

/** Gathers posting lists by key. Tracks must come in ascending order. */
export class PostingLists<Key> {
  readonly #ordinals = new Map<Key, number[]>();

  add(key: Key, ordinal: number): void {
    const list = this.#ordinals.get(key);
    if (list === undefined) {
      this.#ordinals.set(key, [ordinal]);
    } else if (list[list.length - 1] !== ordinal) {
      list.push(ordinal);
    }
  }

  finish(size: number): ReadonlyMap<Key, PostingList> {
    const lists = new Map<Key, PostingList>();
    for (const [key, ordinals] of this.#ordinals) {
      lists.set(key, new PostingList(ordinals, size));
    }
    return lists;
  }
}
