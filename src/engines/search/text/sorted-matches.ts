import { partitionPoint } from '../sets/partition-point.ts';
import type { Matches, TrackCollector } from './matches.ts';

/** The live tracks of a short sorted list of ordinals. */
export class SortedMatches implements Matches {
  readonly count: number;
  readonly #ordinals: Uint32Array;
  readonly #live: Uint32Array;
  readonly #isWhole: boolean;

  /** @param count the number of the ordinals that are in `live` */
  constructor(ordinals: Uint32Array, live: Uint32Array, count: number) {
    this.#ordinals = ordinals;
    this.#live = live;
    this.count = count;
    this.#isWhole = count === ordinals.length;
  }

  has(ordinal: number): boolean {
    return this.#ordinals[this.#placeOf(ordinal)] === ordinal && this.#isLive(ordinal);
  }

  countBetween(from: number, to: number): number {
    const [first, end] = [this.#placeOf(from), this.#placeOf(to)];
    if (this.#isWhole) {
      return Math.max(0, end - first);
    }
    let count = 0;
    for (let i = first; i < end; i++) {
      if (this.#isLive(this.#ordinals[i]!)) {
        count++;
      }
    }
    return count;
  }

  visit(from: number, to: number, skip: number, visit: (ordinal: number) => boolean): void {
    let left = this.#isWhole ? 0 : skip;
    let i = this.#placeOf(from) + (this.#isWhole ? skip : 0);
    for (; i < this.#ordinals.length && this.#ordinals[i]! < to; i++) {
      const ordinal = this.#ordinals[i]!;
      if (!this.#isLive(ordinal)) {
        continue;
      }
      if (left > 0) {
        left--;
      } else if (visit(ordinal)) {
        return;
      }
    }
  }

  copyTo(set: TrackCollector): void {
    for (const ordinal of this.#ordinals) {
      if (this.#isLive(ordinal)) {
        set.add(ordinal);
      }
    }
  }

  #isLive(ordinal: number): boolean {
    return (this.#live[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0;
  }

  #placeOf(ordinal: number): number {
    const ordinals = this.#ordinals;
    return partitionPoint(0, ordinals.length, (i) => ordinals[i]! < ordinal);
  }
}
