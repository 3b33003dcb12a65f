import type { IndexQuery } from '../catalog-index.ts';
import type { SegmentSearch } from '../query/segment-search.ts';
import { FirstPlaces } from './first-places.ts';
import { BestSimilar, inUnits, type Seed, type SimilarPlace, scoreIn } from './similarity.ts';
import { compareSounds, likenessOf, type Receiver, type SeedSound } from './sound-comparison.ts';
import { Ties } from './ties.ts';

/** By both, the best of so many tracks by metadata and of as many by sound are compared. */
export const COMPARED_BY_BOTH = 250;

/** Finds tracks by their sound, or by that and by metadata. */
export class SoundSearch {
  readonly #parts: readonly SegmentSearch[];
  readonly #sound: SeedSound;
  readonly #ties: readonly Ties[];

  constructor(parts: readonly SegmentSearch[], seed: Seed, sound: SeedSound) {
    this.#parts = parts;
    this.#sound = sound;
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
    const compared = new Map<string, SimilarPlace>();
    for (const place of [...byMetadata, ...bySound.places]) compared.set(keyOf(place), place);
    const places = [...compared.values()];
    const metadataRanks = this.#ranks(places, ({ part, ordinal }) => scores[part]!(ordinal));
    const soundRanks = this.#ranks(places, ({ part, ordinal }) =>
      likenessOf(this.#sound, this.#segments[part]!, ordinal),
    );
    const best = this.#newBest(limit);
    const first = new FirstPlaces(this.#segments);
    for (const place of places) {
      const rank = (metadataRanks(place) + soundRanks(place)) / 2;
      const ranked = this.#ranked(place, inUnits(1 - (rank - 1) / places.length));
      best.add(ranked);
      first.add(ranked);
    }
    return first.followedBy(best.places, limit);
  }

  get #segments() {
    return this.#parts.map(({ segment }) => segment);
  }

  #newBest(limit: number): BestSimilar {
    return new BestSimilar(this.#segments, limit);
  }

  #ranked({ part, ordinal }: SimilarPlace, score: number): SimilarPlace {
    return { part, ordinal, rank: this.#ties[part]!.rank(ordinal, score) };
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

  /** Returns the rank of each place by a score, from 1 on. Those without a score come after all others, and share a rank. */
  #ranks(
    places: readonly SimilarPlace[],
    scoreOf: (place: SimilarPlace) => number | undefined,
  ): (place: SimilarPlace) => number {
    const scored = this.#newBest(places.length);
    for (const place of places) {
      const score = scoreOf(place);
      if (score !== undefined) scored.add(this.#ranked(place, score));
    }
    const ranks = new Map(scored.places.map((place, i) => [keyOf(place), i + 1]));
    return (place) => ranks.get(keyOf(place)) ?? ranks.size + 1;
  }
}

function keyOf({ part, ordinal }: SimilarPlace): string {
  return `${part} ${ordinal}`;
}
