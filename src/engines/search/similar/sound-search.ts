import type { IndexQuery } from '../catalog-index.ts';
import type { SegmentSearch } from '../query/segment-search.ts';
import type { Segment } from '../segments/segment.ts';
import { FirstPlaces } from './first-places.ts';
import {
  BestSimilar,
  inUnits,
  isBetter,
  type Seed,
  type SimilarPlace,
  scoreIn,
  withScore,
} from './similarity.ts';
import { compareSounds, likenessOf, type Receiver, type SeedSound } from './sound-comparison.ts';
import { Ties } from './ties.ts';

/** By both, the best of so many tracks by metadata and of as many by sound are compared. */
export const COMPARED_BY_BOTH = 250;

/** Finds tracks by their sound, or by that and by metadata. */
export class SoundSearch {
  readonly #parts: readonly SegmentSearch[];
  readonly #sound: SeedSound;
  readonly #ties: readonly Ties[];
  readonly #segments: readonly Segment[];

  constructor(parts: readonly SegmentSearch[], seed: Seed, sound: SeedSound) {
    this.#parts = parts;
    this.#sound = sound;
    this.#segments = parts.map(({ segment }) => segment);
    this.#ties = parts.map((part) => new Ties(part, seed));
  }

  /** The tracks that sound most like the seed, best first. */
  bySound(query: IndexQuery, limit: number): readonly SimilarPlace[] {
    const best = this.#newBest(limit);
    const first = new FirstPlaces(this.#segments);
    this.#compare(query, best, first);
    return first.followedBy(best.places, limit);
  }

  /**
   * The tracks with the best mean of two ranks, best first.
   * @param byMetadata the best tracks by metadata, COMPARED_BY_BOTH at most
   * @param scores for each segment, a function that returns the score of a track by metadata, in units; undefined for
   *   a track that is in no list by metadata
   */
  byBoth(
    query: IndexQuery,
    limit: number,
    byMetadata: readonly SimilarPlace[],
    scores: readonly ((ordinal: number) => number | undefined)[],
  ): readonly SimilarPlace[] {
    const bySound = this.#newBest(COMPARED_BY_BOTH);
    this.#compare(query, bySound);
    const isByMetadata = new Set(byMetadata.map(keyOf));
    const others = bySound.places.filter((place) => !isByMetadata.has(keyOf(place)));
    const places = [...byMetadata, ...others];
    const metadataRanks = this.#ranks(places, (place, i) =>
      i < byMetadata.length ? scoreIn(place.rank) : scores[place.part]!(place.ordinal),
    );
    const soundRanks = this.#ranks(places, (place, i) =>
      i < byMetadata.length
        ? likenessOf(this.#sound, this.#segments[place.part]!, place.ordinal)
        : scoreIn(place.rank),
    );
    const ranked = places.map((place, i) => {
      const rank = (metadataRanks[i]! + soundRanks[i]!) / 2;
      return withScore(place, inUnits(1 - (rank - 1) / places.length));
    });
    this.#sort(ranked);
    const first = new FirstPlaces(this.#segments);
    for (const place of ranked) {
      if (!first.excludes(place.rank, place.part, place.ordinal)) first.add(place);
    }
    return first.followedBy(ranked, limit);
  }

  #newBest(limit: number): BestSimilar {
    return new BestSimilar(this.#segments, limit);
  }

  #compare(query: IndexQuery, best: BestSimilar, first?: FirstPlaces): void {
    const ties = this.#ties;
    const receiver: Receiver = {
      get leastLikeness() {
        const least = first === undefined ? Number.POSITIVE_INFINITY : scoreIn(first.leastRank);
        return Math.min(best.leastScore, least);
      },
      receive(part, ordinal, likeness) {
        const highest = ties[part]!.highestRank(likeness);
        const mayBeBest = best.admits(highest, part, ordinal);
        const mayBeFirst = first !== undefined && !first.excludes(highest, part, ordinal);
        if (!(mayBeBest || mayBeFirst) || ties[part]!.isSameRecording(ordinal)) return;
        const place = { part, ordinal, rank: ties[part]!.rank(ordinal, likeness) };
        if (best.admits(place.rank, part, ordinal)) best.add(place);
        if (mayBeFirst) first.add(place);
      },
    };
    compareSounds(this.#parts, query, this.#sound, receiver);
  }

  /** The rank of each place by a score, from 1 on. Those without a score come after all others, and share a rank. */
  #ranks(
    places: readonly SimilarPlace[],
    scoreOf: (place: SimilarPlace, i: number) => number | undefined,
  ): number[] {
    const scored = places.flatMap((place, at) => {
      const score = scoreOf(place, at);
      return score === undefined ? [] : { ...withScore(place, score), at };
    });
    this.#sort(scored);
    const ranks = places.map(() => scored.length + 1);
    for (const [i, { at }] of scored.entries()) ranks[at] = i + 1;
    return ranks;
  }

  /** Sorts different places, best first. */
  #sort(places: SimilarPlace[]): void {
    places.sort((one, other) => (isBetter(one, other, this.#segments) ? -1 : 1));
  }
}

function keyOf({ part, ordinal }: SimilarPlace): number {
  return part * 2 ** 32 + ordinal;
}
