import type { SegmentSearch } from '../query/segment-search.ts';
import type { Segment } from '../segments/segment.ts';
import type { ComparedLabels } from '../sets/label-sets.ts';
import type { ComparedFilters, SimilarQuery, SimilarTrack } from '../similar-tracks.ts';
import { BestSimilar } from './best-similar.ts';
import { findSeed, type Seed } from './seed.ts';
import { SimilarCandidates } from './similar-candidates.ts';
import { fromUnits, inUnits, overlap, Similarity } from './similarity.ts';

/** What a search for similar tracks needs besides the segments. */
export interface SimilarSources {
  compared: ComparedFilters;
  labelsOf(segment: Segment): ComparedLabels;
  /** The number of candidates of a segment up to which each of them is scored. */
  scoreEachUpTo: number;
}

/** The most similar tracks of all segments, best first; undefined if the seed is not live. */
export function similarTracks(
  parts: readonly SegmentSearch[],
  query: SimilarQuery,
  { compared, labelsOf, scoreEachUpTo }: SimilarSources,
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
    const labels = labelsOf(part.segment);
    new SimilarCandidates({ number, part, labels, seed, similarity, best }).add(
      query,
      scoreEachUpTo,
    );
  }
  return best.places.map(({ part, ordinal }) =>
    shown(segments[part]!, ordinal, { seed, similarity, compared }),
  );
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
