import { limited } from '../../../common/work/limited.ts';
import { runStepsWithPauses } from '../build/steps.ts';
import type { ComparedFilters, SimilarQuery, SimilarTrack } from '../catalog-index.ts';
import type { SegmentSearch } from '../query/segment-search.ts';
import type { Segment } from '../segments/segment.ts';
import { type ComparedLabels, groupByLabels, kindsOf } from './label-sets.ts';
import { SimilarCandidates } from './similar-candidates.ts';
import {
  BestSimilar,
  findSeed,
  fromUnits,
  inUnits,
  overlap,
  type Seed,
  Similarity,
} from './similarity.ts';

interface Known {
  compared: ComparedFilters;
  labels: ComparedLabels;
}

/** The number of candidates of a segment up to which scoring each of them costs less than grouping them. */
const SCORE_EACH_UP_TO = 8_192;

/**
 * Finds similar tracks in the segments of an index. The labels of a segment are prepared when similar tracks are
 * first requested, so that an index without such requests needs no memory for them.
 */
export class SimilarSearch {
  readonly #scoreEachUpTo: number;
  readonly #known = new WeakMap<Segment, Known>();
  #compared: ComparedFilters | undefined;
  readonly #oneAtATime = limited(1);

  constructor(scoreEachUpTo: number = SCORE_EACH_UP_TO) {
    this.#scoreEachUpTo = scoreEachUpTo;
  }

  /**
   * Returns the most similar tracks, best first; undefined if the seed is not live. Synchronous once the labels of all
   * segments are known.
   * @param parts returns the segments, which may be replaced while the labels of others are prepared
   */
  async find(
    parts: () => readonly SegmentSearch[],
    query: SimilarQuery,
    compared: ComparedFilters,
  ): Promise<SimilarTrack[] | undefined> {
    this.#compared = compared;
    const isUnknown = ({ segment }: SegmentSearch) =>
      this.#labelsOf(segment, compared) === undefined;
    for (let next = parts().find(isUnknown); next !== undefined; next = parts().find(isUnknown)) {
      await this.#prepare(next.segment, compared);
    }
    return this.#find(parts(), query, compared);
  }

  #find(
    parts: readonly SegmentSearch[],
    query: SimilarQuery,
    compared: ComparedFilters,
  ): SimilarTrack[] | undefined {
    const seed = findSeed(parts, query.id, compared);
    if (seed === undefined) return undefined;
    const { genres, moods, tempo } = seed;
    if (genres.length === 0 && moods.length === 0 && tempo === 0) return [];
    const similarity = new Similarity(
      { hasGenres: genres.length > 0, hasMoods: moods.length > 0, tempo },
      query.bpmRange,
    );
    const segments = parts.map(({ segment }) => segment);
    const best = new BestSimilar(segments, query.limit);
    for (const [number, part] of parts.entries()) {
      const labels = this.#labelsOf(part.segment, compared)!;
      const candidates = { number, part, labels, seed, similarity, best };
      new SimilarCandidates(candidates).add(query, this.#scoreEachUpTo);
    }
    return best.places.map(({ part, ordinal }) =>
      shown(segments[part]!, ordinal, { seed, similarity, compared }),
    );
  }

  /** Prepares the labels of a new segment, if similar tracks were requested before. */
  async expect(segment: Segment): Promise<void> {
    if (this.#compared !== undefined) await this.#prepare(segment, this.#compared);
  }

  #labelsOf(segment: Segment, compared: ComparedFilters): ComparedLabels | undefined {
    const known = this.#known.get(segment);
    if (known === undefined) return undefined;
    if (known.compared !== compared) {
      // Most changes of filters change no filter of the segment.
      const kinds = kindsOf(segment, compared);
      if (!kinds.every((kind, label) => kind === known.labels.kinds[label])) return undefined;
      known.compared = compared;
    }
    return known.labels;
  }

  /** Prepares the labels of a segment in steps of a few milliseconds, unless they are known. */
  #prepare(segment: Segment, compared: ComparedFilters): Promise<void> {
    return this.#oneAtATime(async () => {
      if (this.#labelsOf(segment, compared) !== undefined) return;
      const kinds = kindsOf(segment, compared);
      const isLarge = segment.size > this.#scoreEachUpTo;
      const sets = isLarge ? await runStepsWithPauses(groupByLabels(segment, kinds)) : undefined;
      this.#known.set(segment, { compared, labels: { kinds, sets } });
    });
  }
}

function shown(
  segment: Segment,
  ordinal: number,
  { seed, similarity, compared }: { seed: Seed; similarity: Similarity; compared: ComparedFilters },
): SimilarTrack {
  const { rowId, id, songKeys, hasVocals, filterIds } = segment.entry(ordinal);
  const genreCount = filterIds.filter((filter) => compared.genres.has(filter)).length;
  const moodCount = filterIds.filter((filter) => compared.moods.has(filter)).length;
  const sharedGenres = seed.genres.filter((filter) => filterIds.includes(filter));
  const sharedMoods = seed.moods.filter((filter) => filterIds.includes(filter));
  const genre = seed.genres.length && overlap(sharedGenres.length, seed.genres.length, genreCount);
  const mood = seed.moods.length && overlap(sharedMoods.length, seed.moods.length, moodCount);
  const bpm = seed.tempo && similarity.bpm(segment.tracks.bpms[ordinal]!);
  const rounded = (value: number) => fromUnits(inUnits(value));
  return {
    rowId,
    id,
    score: fromUnits(similarity.score(genre, mood, bpm)),
    genre: seed.genres.length > 0 ? rounded(genre) : null,
    mood: seed.moods.length > 0 ? rounded(mood) : null,
    bpm: seed.tempo > 0 ? rounded(bpm) : null,
    key: seed.entry.songKeys.some((key) => songKeys.includes(key)),
    hasVocals: hasVocals === seed.entry.hasVocals,
    sharedFilterIds: [...sharedGenres, ...sharedMoods],
  };
}
