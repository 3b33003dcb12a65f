import { lowestBit, ones } from '../sets/bits.ts';

/** Visits the members of bitsets word by word, without the first `left`. */
export class WordVisitor {
  /** The number of members that are still to be skipped. */
  left: number;
  readonly #visit: (ordinal: number) => boolean;

  /** @param visit returns true to end the walk */
  constructor(skip: number, visit: (ordinal: number) => boolean) {
    this.left = skip;
    this.#visit = visit;
  }

  /** Visits the members in word `i`. Returns true if the walk has ended. */
  takeWord(i: number, bits: number): boolean {
    let word = bits;
    if (this.left > 0) {
      const count = ones(word);
      if (count <= this.left) {
        this.left -= count;
        return false;
      }
      for (; this.left > 0; this.left--) {
        word &= word - 1;
      }
    }
    for (; word !== 0; word &= word - 1) {
      if (this.#visit((i << 5) + lowestBit(word))) {
        return true;
      }
    }
    return false;
  }
}
