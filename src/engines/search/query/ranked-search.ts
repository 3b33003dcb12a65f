import type { Concept, IndexQuery, RankedPage, Ranking } from '../catalog-index.ts';
import { readId } from '../segments/track-id.ts';
import { INSTRUMENTAL } from '../sets/labels.ts';
import type { TrackSet } from '../sets/track-set.ts';
import type { Carriers } from './carriers.ts';
import { type MergedCatalog, mergedPage, type Place, PlainList } from './merged-page.ts';
import type { SegmentSearch } from './segment-search.ts';

/** The greatest sum of the points of all concepts, less what rounding may add. A score is stored in 16 bits. */
const MAX_POINTS = 32_000;

/**
 * The least score of a track that matches. The lowest bit of a score is set for tracks that come before others with the
 * same points.
 */
const A_POINT = 2;

/** Tracks with the same score: how many of them come before the page, and how many are on it. */
interface Level {
  score: number;
  skip: number;
  take: number;
}

/**
 * Ranks the tracks of several segments by the concepts that they carry. All points of one concept are added before those
 * of the next one, so one set for each segment is needed, and no memory for each concept and track.
 */
export class RankedSearch {
  /** The tracks of each segment that match. */
  readonly matches: readonly TrackSet[];
  readonly #parts: readonly SegmentSearch[];
  readonly #catalog: MergedCatalog;
  readonly #scores: readonly Uint16Array[];
  /** For each concept, the tracks of each segment that carry it. */
  readonly #carriers: readonly (readonly Carriers[])[];
  readonly #points: readonly number[];

  constructor(
    parts: readonly SegmentSearch[],
    catalog: MergedCatalog,
    query: IndexQuery,
    { concepts, required = [], excluded = [], instrumentalFirst }: Ranking,
  ) {
    this.#parts = parts;
    this.#catalog = catalog;
    this.#scores = parts.map((part) => part.takeScores());
    const translations = query.aliases ?? false;
    const admitted = parts.map((part) => {
      const set = part.take();
      part.findAll(query).copyTo(set);
      for (const one of required) part.keepFound(set, one);
      for (const one of excluded) part.removeCarriers(part.carriersOf(one, translations), set);
      return set;
    });
    this.#carriers = concepts.map((concept) =>
      parts.map((part) => part.carriersOf(concept, translations)),
    );
    if (concepts.length === 0) {
      this.matches = admitted;
      this.#points = [];
      for (const [i, set] of admitted.entries()) set.addTo(this.#scores[i]!, A_POINT);
    } else {
      this.matches = parts.map((part) => part.take());
      this.#points = this.#score(concepts, admitted);
    }
    if (instrumentalFirst) this.#putInstrumentalFirst();
  }

  page(offset: number, limit: number): Pick<RankedPage, 'rowIds' | 'ids' | 'carried'> {
    const levels = this.#levelsOf(offset, limit);
    const places = this.#placesOf(levels);
    return {
      rowIds: this.#catalog.rowIds(places),
      ids: places.map(([part, ordinal]) => readId(this.#parts[part]!.segment.tracks.ids, ordinal)),
      carried: places.map(([part, ordinal]) => this.#carriedBy(part, ordinal)),
    };
  }

  /** Adds the points of each concept to its tracks, and returns them. */
  #score(concepts: readonly Concept[], admitted: readonly TrackSet[]): number[] {
    const parts = this.#parts;
    const size = parts.reduce((sum, { live }) => sum + live.count, 0);
    const weights = concepts.reduce((sum, { weight }) => sum + weight, 0);
    const scale = MAX_POINTS / (weights * rarity(size, 1));
    const sets = parts.map((part) => part.take());
    return concepts.map(({ weight }, concept) => {
      let count = 0;
      for (const [i, set] of sets.entries()) {
        set.clear();
        parts[i]!.addCarriers(this.#carriers[concept]![i]!, set);
        count += set.count;
      }
      const points = Math.max(1, Math.round(weight * rarity(size, count) * scale));
      for (const [i, set] of sets.entries()) {
        set.keepAll(admitted[i]!);
        set.addTo(this.#scores[i]!, points * A_POINT);
        this.matches[i]!.addSet(set);
      }
      return points;
    });
  }

  #putInstrumentalFirst(): void {
    for (const [i, part] of this.#parts.entries()) {
      const label = part.segment.labelNumber(INSTRUMENTAL);
      if (label === undefined) continue;
      const first = part.take();
      part.live.withLabel(label).copyTo(first);
      first.keepAll(this.matches[i]!);
      first.addTo(this.#scores[i]!, 1);
    }
  }

  /** The levels that have tracks of the page, the best first. */
  #levelsOf(offset: number, limit: number): Level[] {
    const counts = new Uint32Array(2 ** 16);
    for (const [i, set] of this.matches.entries()) {
      countScores(set, this.#scores[i]!, counts);
    }
    const levels: Level[] = [];
    const end = offset + limit;
    let passed = 0;
    for (let score = counts.length - 1; score > 0 && passed < end; score--) {
      const skip = Math.max(0, offset - passed);
      const count = counts[score]!;
      if (count > skip) levels.push({ score, skip, take: Math.min(count, end - passed) - skip });
      passed += count;
    }
    return levels;
  }

  #placesOf(levels: readonly Level[]): Place[] {
    const compare = this.#catalog.compare;
    const found = new Map(levels.map(({ score }) => [score, this.#parts.map((): number[] => [])]));
    const most = new Map(levels.map(({ score, skip, take }) => [score, skip + take]));
    const [least, greatest] = [levels.at(-1)?.score ?? 1, levels[0]?.score ?? 0];
    for (const [i, set] of this.matches.entries()) {
      eachFrom(set, this.#scores[i]!, least, (ordinal, score) => {
        if (score > greatest) return;
        // Members are in catalog order, so later ones of a level are not on the page.
        const ordinals = found.get(score)![i]!;
        if (ordinals.length < most.get(score)!) ordinals.push(ordinal);
      });
    }
    return levels.flatMap(({ score, skip, take }) => {
      const ordinals = found.get(score)!;
      const lists = ordinals.map(({ length }) => new PlainList(length));
      return mergedPage(
        lists,
        (list, at, other, otherAt) =>
          compare(list, ordinals[list]![at]!, other, ordinals[other]![otherAt]!),
        skip,
        take,
      ).map(([list, at]): Place => [list, ordinals[list]![at]!]);
    });
  }

  /** The concepts that a track carries, those with the most points first. */
  #carriedBy(part: number, ordinal: number): number[] {
    const points = this.#points;
    return [...points.keys()]
      .filter((concept) => this.#carriers[concept]![part]!.has(ordinal))
      .sort((a, b) => points[b]! - points[a]! || a - b);
  }
}

/** The share of the tracks from which reading all scores costs less than reading those of a set. */
const MANY = 1 / 16;

/** Adds the numbers of members by their score. Other tracks have the score 0, whose number is of no use. */
function countScores(set: TrackSet, scores: Uint16Array, counts: Uint32Array): void {
  if (set.count < scores.length * MANY) {
    set.each((ordinal) => {
      counts[scores[ordinal]!]!++;
    });
    return;
  }
  for (let ordinal = 0; ordinal < scores.length; ordinal++) counts[scores[ordinal]!]!++;
}

/** Calls back for the members with at least this score, which is above 0, in order. */
function eachFrom(
  set: TrackSet,
  scores: Uint16Array,
  least: number,
  visit: (ordinal: number, score: number) => void,
): void {
  if (set.count < scores.length * MANY) {
    set.each((ordinal) => {
      if (scores[ordinal]! >= least) visit(ordinal, scores[ordinal]!);
    });
    return;
  }
  for (let ordinal = 0; ordinal < scores.length; ordinal++) {
    if (scores[ordinal]! >= least) visit(ordinal, scores[ordinal]!);
  }
}

/** How much a concept counts that `count` of `size` tracks carry: the inverse document frequency of BM25. */
function rarity(size: number, count: number): number {
  return Math.log(1 + (size - count + 0.5) / (count + 0.5));
}
