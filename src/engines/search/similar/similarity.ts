import { searchForm } from '../../../common/text/search-form.ts';
import type { ComparedFilters, IndexEntry } from '../catalog-index.ts';
import type { SegmentSearch } from '../query/segment-search.ts';
import { compareInCatalog, type Segment } from '../segments/segment.ts';
import { partitionPoint } from '../sets/bits.ts';

const GENRE_WEIGHT = 0.4;
const MOOD_WEIGHT = 0.35;
const BPM_WEIGHT = 0.25;

const UNITS = 10_000;

/** Rounds a number of 0 to 1 to units of a ten-thousandth. */
export function inUnits(value: number): number {
  return Math.round(value * UNITS);
}

export function fromUnits(units: number): number {
  return units / UNITS;
}

/** The share of the values of two sets that are in both. */
export function overlap(shared: number, one: number, other: number): number {
  return shared / (one + other - shared);
}

/** Scores tracks by what they have in common with a seed (docs/contract/similar.md#score). */
export class Similarity {
  /** In thousandths of a beat per minute; 0 if unknown. */
  readonly tempo: number;
  readonly #range: number;
  readonly #weight: number;

  /** @param bpmRange in beats per minute */
  constructor(seed: { hasGenres: boolean; hasMoods: boolean; tempo: number }, bpmRange: number) {
    this.tempo = seed.tempo;
    this.#range = 1000 * bpmRange;
    this.#weight =
      (seed.hasGenres ? GENRE_WEIGHT : 0) +
      (seed.hasMoods ? MOOD_WEIGHT : 0) +
      (seed.tempo > 0 ? BPM_WEIGHT : 0);
  }

  /** 1 for the tempo of the seed, its half and its double; less for tempos near them; 0 for others. */
  bpm(tempo: number): number {
    if (tempo === 0) return 0;
    const seed = this.tempo;
    const distance = Math.min(
      Math.abs(seed - tempo),
      Math.abs(seed - 2 * tempo),
      Math.abs(seed - tempo / 2),
    );
    return Math.max(0, 1 - distance / this.#range);
  }

  /** The score in units. What the seed lacks must be 0. */
  score(genre: number, mood: number, bpm: number): number {
    return inUnits((GENRE_WEIGHT * genre + MOOD_WEIGHT * mood + BPM_WEIGHT * bpm) / this.#weight);
  }
}

/** The greatest difference between the lengths of two releases of a recording, in seconds. */
const SAME_LENGTH_WITHIN = 2;

/** What is compared of a seed. An example that is no track has neither names nor a type. */
type SeedEntry = Pick<IndexEntry, 'songKeys' | 'sound'> &
  Partial<
    Pick<IndexEntry, 'id' | 'isrc' | 'name' | 'artists' | 'durationSeconds' | 'hasVocals' | 'type'>
  >;

export interface Seed {
  entry: SeedEntry;
  genres: readonly string[];
  moods: readonly string[];
  /** In thousandths of a beat per minute; 0 if unknown. */
  tempo: number;
}

export function findSeed(
  parts: readonly SegmentSearch[],
  id: string,
  { genres, moods }: ComparedFilters,
): Seed | undefined {
  for (const { segment, live } of parts) {
    const ordinal = segment.ordinalOf(id);
    if (ordinal === undefined || !live.has(ordinal)) continue;
    const entry = segment.entry(ordinal);
    return {
      entry,
      genres: entry.filterIds.filter((filter) => genres.has(filter)),
      moods: entry.filterIds.filter((filter) => moods.has(filter)),
      tempo: segment.tracks.bpms[ordinal]!,
    };
  }
  return undefined;
}

/**
 * Returns a function that tells whether a track of a segment is the same recording as the seed, or the seed
 * itself (docs/contract/similar.md#same-recording).
 */
export function sameRecordingIn(segment: Segment, { entry }: Seed): (ordinal: number) => boolean {
  const { durations } = segment.tracks;
  const { id, isrc = '', artists: credits = [], durationSeconds: length = 0 } = entry;
  const seedOrdinal = id === undefined ? undefined : segment.ordinalOf(id);
  const sameIsrc = isrc === '' ? undefined : new Set(segment.withIsrc(isrc));
  const name = comparable(entry.name ?? '');
  const artists = new Set(credits.map(comparable));
  return (ordinal) => {
    if (ordinal === seedOrdinal || sameIsrc?.has(ordinal)) return true;
    const other = durations[ordinal]!;
    if (length === 0 || other === 0 || Math.abs(length - other) > SAME_LENGTH_WITHIN) return false;
    if ((segment.searchName(ordinal) || segment.name(ordinal)) !== name) return false;
    return segment.entry(ordinal).artists.some((artist) => artists.has(comparable(artist)));
  };
}

/** The folded form of a text; the text itself if it has no letter or digit. */
export function comparable(text: string): string {
  return searchForm(text) || text;
}

export interface SimilarPlace {
  part: number;
  ordinal: number;
  /** The score in units, and what decides between equal scores: see `rankOf`. */
  rank: number;
}

/** Combines a score in units with a key in common, which counts more, and equal vocals. Greater is better. */
export function rankOf(score: number, hasKey: boolean, hasSameVocals: boolean): number {
  return score * 4 + (hasKey ? 2 : 0) + (hasSameVocals ? 1 : 0);
}

/** The score of a rank, in units. */
export function scoreIn(rank: number): number {
  return Math.floor(rank / 4);
}

/** The place of the same track by another score, in units. */
export function withScore(place: SimilarPlace, score: number): SimilarPlace {
  return { ...place, rank: score * 4 + (place.rank % 4) };
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

  /** The score, in units, below which no track can be among the best. */
  get leastScore(): number {
    const worst = this.#places[this.#limit - 1];
    return worst === undefined ? 0 : scoreIn(worst.rank);
  }

  /** Whether a track of this rank, or a lesser one, cannot be among the best. */
  excludes(rank: number): boolean {
    return this.#places.length === this.#limit && rank < this.#places[this.#limit - 1]!.rank;
  }

  admits(rank: number, part: number, ordinal: number): boolean {
    if (this.#places.length < this.#limit) return true;
    const worst = this.#places[this.#limit - 1]!;
    return rank > worst.rank || (rank === worst.rank && this.#isBefore(part, ordinal, worst));
  }

  add(place: SimilarPlace): void {
    insert(this.#places, place, this.#segments);
    if (this.#places.length > this.#limit) this.#places.pop();
  }

  #isBefore(part: number, ordinal: number, other: SimilarPlace): boolean {
    return isBefore({ part, ordinal }, other, this.#segments);
  }
}

/** Inserts a place among others: greatest rank first, then in catalog order. */
export function insert<P extends SimilarPlace>(
  places: P[],
  place: P,
  segments: readonly Segment[],
): void {
  const at = partitionPoint(0, places.length, (i) => !isBetter(place, places[i]!, segments));
  places.splice(at, 0, place);
}

/** Whether a place comes before another one. */
export function isBetter(
  place: SimilarPlace,
  other: SimilarPlace,
  segments: readonly Segment[],
): boolean {
  return place.rank > other.rank || (place.rank === other.rank && isBefore(place, other, segments));
}

/** Whether a track comes before another one in catalog order. */
function isBefore(
  one: Omit<SimilarPlace, 'rank'>,
  other: Omit<SimilarPlace, 'rank'>,
  segments: readonly Segment[],
): boolean {
  return one.part === other.part
    ? one.ordinal < other.ordinal
    : compareInCatalog(segments[one.part]!, one.ordinal, segments[other.part]!, other.ordinal) < 0;
}
