import { compareInCatalog, type Segment } from '../segments/segment.ts';
import { partitionPoint } from '../sets/partition-point.ts';

/** A track that may be among the most similar ones. */
export interface SimilarPlace {
  /** The number of its segment. */
  part: number;
  ordinal: number;
  /** The score in units, and what decides between equal scores: see `rankOf`. */
  rank: number;
}

/** Combines a score with a key in common, which counts more, and equal vocals. Greater is better. */
export function rankOf(score: number, hasKey: boolean, hasSameVocals: boolean): number {
  return score * 4 + (hasKey ? 2 : 0) + (hasSameVocals ? 1 : 0);
}

/** The best of the tracks that were added, at most `limit`: greatest rank first, then in catalog order. */
export class BestSimilar {
  readonly #segments: readonly Segment[];
  readonly #limit: number;
  readonly #places: SimilarPlace[] = [];

  constructor(segments: readonly Segment[], limit: number) {
    this.#segments = segments;
    this.#limit = limit;
  }

  /** Best first. */
  get places(): readonly SimilarPlace[] {
    return this.#places;
  }

  /** Whether a track of this rank, or a lesser one, cannot be among the best. */
  excludes(rank: number): boolean {
    return this.#places.length === this.#limit && rank < this.#places[this.#limit - 1]!.rank;
  }

  /** Whether a track would be among the best. */
  admits(rank: number, part: number, ordinal: number): boolean {
    if (this.#places.length < this.#limit) return true;
    const worst = this.#places[this.#limit - 1]!;
    return rank > worst.rank || (rank === worst.rank && this.#isBefore(part, ordinal, worst));
  }

  add(place: SimilarPlace): void {
    const at = partitionPoint(0, this.#places.length, (i) => {
      const other = this.#places[i]!;
      return other.rank > place.rank || (other.rank === place.rank && this.#follows(place, other));
    });
    this.#places.splice(at, 0, place);
    if (this.#places.length > this.#limit) this.#places.pop();
  }

  #follows(place: SimilarPlace, other: SimilarPlace): boolean {
    return !this.#isBefore(place.part, place.ordinal, other);
  }

  /** Whether a track comes before another one in catalog order. */
  #isBefore(part: number, ordinal: number, other: SimilarPlace): boolean {
    return part === other.part
      ? ordinal < other.ordinal
      : compareInCatalog(
          this.#segments[part]!,
          ordinal,
          this.#segments[other.part]!,
          other.ordinal,
        ) < 0;
  }
}
