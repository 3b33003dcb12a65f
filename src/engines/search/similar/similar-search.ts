import { StaveError } from '../../../common/errors.ts';
import { limited } from '../../../common/work/limited.ts';
import { runStepsWithPauses } from '../build/steps.ts';
import type {
  ComparedFilters,
  ExampleQuery,
  IndexQuery,
  SimilarQuery,
  SimilarTrack,
  TrackType,
} from '../catalog-index.ts';
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
  type SimilarPlace,
  scoreIn,
} from './similarity.ts';
import { likenessOf, SeedSound } from './sound-comparison.ts';
import { COMPARED_BY_BOTH, SoundSearch } from './sound-search.ts';

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
    if (query.by === 'sound') return this.#find(parts(), query, compared);
    this.#compared = compared;
    const isUnknown = ({ segment }: SegmentSearch) =>
      this.#labelsOf(segment, compared) === undefined;
    for (let next = parts().find(isUnknown); next !== undefined; next = parts().find(isUnknown)) {
      await this.#prepare(next.segment, compared);
    }
    return this.#find(parts(), query, compared);
  }

  /** Returns the tracks that sound most like an example, best first. */
  soundingLike(
    parts: readonly SegmentSearch[],
    { example, ...query }: ExampleQuery,
    compared: ComparedFilters,
  ): SimilarTrack[] {
    const { sound, bpm } = example;
    // A segment has keys in lower case.
    const entry = { sound, songKeys: example.songKeys.map((key) => key.toLowerCase()) };
    const seed = { entry, genres: [], moods: [], tempo: Math.round(bpm * 1000) };
    const similarity = similarityOf(seed, query.bpmRange);
    const seedSound = new SeedSound(sound);
    const found = new SoundSearch(parts, seed, seedSound);
    return found
      .bySound(indexQuery(query, undefined), query.limit)
      .map((place) => shown(parts, place, { seed, similarity, compared, sound: seedSound }));
  }

  #find(
    parts: readonly SegmentSearch[],
    query: SimilarQuery,
    compared: ComparedFilters,
  ): SimilarTrack[] | undefined {
    const seed = findSeed(parts, query.id, compared);
    if (seed === undefined) return undefined;
    const similarity = similarityOf(seed, query.bpmRange);
    const { by = 'metadata', limit } = query;
    const sound = by === 'metadata' ? undefined : knownSound(seed);
    const show = (place: SimilarPlace) =>
      shown(parts, place, { seed, similarity, compared, sound });
    const restrictions = indexQuery(query, seed.entry.type);
    const search = sound && new SoundSearch(parts, seed, sound);
    if (by === 'sound') return search!.bySound(restrictions, limit).map(show);
    const best = new BestSimilar(
      parts.map(({ segment }) => segment),
      by === 'both' ? COMPARED_BY_BOTH : limit,
    );
    const candidates = parts.map((part, number) => {
      const labels = this.#labelsOf(part.segment, compared)!;
      return new SimilarCandidates({ number, part, labels, seed, similarity, best });
    });
    const { genres, moods, tempo } = seed;
    const isComparable = genres.length > 0 || moods.length > 0 || tempo > 0;
    if (isComparable) {
      for (const some of candidates) some.add(restrictions, this.#scoreEachUpTo);
    }
    if (search === undefined) return best.places.map(show);
    const scores = candidates.map((some) => (isComparable ? some.scores() : () => undefined));
    return search.byBoth(restrictions, limit, best.places, scores).map(show);
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

function similarityOf({ genres, moods, tempo }: Seed, bpmRange: number): Similarity {
  return new Similarity(
    { hasGenres: genres.length > 0, hasMoods: moods.length > 0, tempo },
    bpmRange,
  );
}

function indexQuery(
  { type, hasVocals, filterIds }: Omit<ExampleQuery, 'example'>,
  typeOfSeed: TrackType | undefined,
): IndexQuery {
  const wanted = type ?? typeOfSeed;
  return {
    ...(wanted !== undefined && { type: wanted }),
    ...(hasVocals !== undefined && { hasVocals }),
    ...(filterIds !== undefined && { filterIds }),
  };
}

/** Throws a `conflict` if the sound of the seed is unknown. */
function knownSound({ entry: { sound } }: Seed): SeedSound {
  if (sound === undefined) {
    throw new StaveError(
      'conflict',
      'The audio of this track has not been analyzed, so its sound cannot be compared; use by=metadata, or try again later.',
    );
  }
  return new SeedSound(sound);
}

interface Shown {
  seed: Seed;
  similarity: Similarity;
  compared: ComparedFilters;
  /** Absent if sounds are not compared. */
  sound?: SeedSound | undefined;
}

function shown(
  parts: readonly SegmentSearch[],
  { part, ordinal, rank }: SimilarPlace,
  { seed, similarity, compared, sound }: Shown,
): SimilarTrack {
  const { segment } = parts[part]!;
  const { rowId, id, songKeys, hasVocals, filterIds } = segment.entry(ordinal);
  const genreCount = filterIds.filter((filter) => compared.genres.has(filter)).length;
  const moodCount = filterIds.filter((filter) => compared.moods.has(filter)).length;
  const sharedGenres = seed.genres.filter((filter) => filterIds.includes(filter));
  const sharedMoods = seed.moods.filter((filter) => filterIds.includes(filter));
  const genre = overlap(sharedGenres.length, seed.genres.length, genreCount);
  const mood = overlap(sharedMoods.length, seed.moods.length, moodCount);
  const bpm = similarity.bpm(segment.tracks.bpms[ordinal]!);
  const likeness = sound && likenessOf(sound, segment, ordinal);
  const rounded = (value: number) => fromUnits(inUnits(value));
  return {
    rowId,
    id,
    score: fromUnits(scoreIn(rank)),
    genre: seed.genres.length > 0 ? rounded(genre) : null,
    mood: seed.moods.length > 0 ? rounded(mood) : null,
    bpm: seed.tempo > 0 ? rounded(bpm) : null,
    sound: likeness === undefined ? null : fromUnits(likeness),
    key: seed.entry.songKeys.some((key) => songKeys.includes(key)),
    hasVocals: hasVocals === seed.entry.hasVocals,
    sharedFilterIds: [...sharedGenres, ...sharedMoods],
  };
}
