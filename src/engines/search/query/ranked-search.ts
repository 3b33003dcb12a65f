import type { Concept, IndexQuery, RankedPage, Ranking } from '../catalog-index.ts';
import { readId } from '../segments/track-id.ts';
import { INSTRUMENTAL } from '../sets/labels.ts';
import { eachFrom } from '../sets/scores.ts';
import { asSet, type TrackSet } from '../sets/track-set.ts';
import type { Carriers } from './carriers.ts';
import { type MergedCatalog, mergedPage, type Place, PlainList } from './merged-page.ts';
import { ScoredTracks } from './scored-tracks.ts';
import type { SegmentSearch } from './segment-search.ts';

/** The greatest sum of the points of all concepts, less what rounding may add. A score is stored in 16 bits. */
const MAX_POINTS = 32_000;

/** The number of scores that 16 bits can hold. */
const SCORES = 2 ** 16;

/** The numbers of tracks by score, for one use at a time. */
const COUNTS = new Uint32Array(SCORES);

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
  readonly #scored: readonly ScoredTracks[];
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
    this.#scored = parts.map((part) => new ScoredTracks(part));
    const translations = query.aliases ?? false;
    const admitted = parts.map((part) => {
      const set = asSet(part.findAll(query), () => part.take());
      for (const one of required) part.keepFound(set, one);
      for (const one of excluded) part.removeCarriers(part.carriersOf(one, translations), set);
      return set;
    });
    this.#carriers = concepts.map((concept) =>
      parts.map((part) => part.carriersOf(concept, translations)),
    );
    this.#points = this.#score(concepts);
    if (instrumentalFirst) this.#putInstrumentalFirst();
    const added = concepts.length === 0 ? A_POINT : 0;
    this.matches = this.#scored.map((scored, i) => scored.found(admitted[i]!, added));
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
  #score(concepts: readonly Concept[]): number[] {
    const parts = this.#parts;
    const size = parts.reduce((sum, { live }) => sum + live.count, 0);
    const weights = concepts.reduce((sum, { weight }) => sum + weight, 0);
    const scale = MAX_POINTS / (weights * rarity(size, 1));
    return concepts.map(({ weight }, concept) => {
      const sets = this.#scored.map((scored) => scored.takeSet());
      for (const [i, set] of sets.entries()) {
        parts[i]!.addCarriers(this.#carriers[concept]![i]!, set);
      }
      const count = sets.reduce((sum, set) => sum + set.count, 0);
      const points = Math.max(1, Math.round(weight * rarity(size, count) * scale));
      for (const [i, set] of sets.entries()) this.#scored[i]!.add(set, points * A_POINT);
      return points;
    });
  }

  /** A track that gets only this point does not match. */
  #putInstrumentalFirst(): void {
    for (const [i, { segment, live }] of this.#parts.entries()) {
      const label = segment.labelNumber(INSTRUMENTAL);
      if (label === undefined) continue;
      const set = this.#scored[i]!.takeSet();
      live.withLabel(label).copyTo(set);
      this.#scored[i]!.add(set, 1);
    }
  }

  /** The levels that have tracks of the page, the best first. */
  #levelsOf(offset: number, limit: number): Level[] {
    const end = offset + limit;
    const least = this.#leastOf(end);
    const counts = COUNTS.fill(0);
    for (const { scores } of this.#scored) {
      eachFrom(scores, least, (_, score) => ++counts[score]! >= end);
    }
    const levels: Level[] = [];
    let passed = 0;
    for (let score = SCORES - 1; score >= least && passed < end; score--) {
      const skip = Math.max(0, offset - passed);
      const count = counts[score]!;
      if (count > skip) levels.push({ score, skip, take: Math.min(count, end - passed) - skip });
      passed += count;
    }
    return levels;
  }

  /** A score that enough tracks have at least: each of the greatest scores is that of another track. */
  #leastOf(tracks: number): number {
    const counts = COUNTS.fill(0);
    for (const { scores } of this.#scored) {
      for (const score of scores.greatest) counts[score]!++;
    }
    let left = tracks;
    let least = SCORES - 1;
    while (least > A_POINT && left > counts[least]!) left -= counts[least--]!;
    return least;
  }

  #placesOf(levels: readonly Level[]): Place[] {
    const compare = this.#catalog.compare;
    const found = new Map(levels.map(({ score }) => [score, this.#parts.map((): number[] => [])]));
    const most = new Map(levels.map(({ score, skip, take }) => [score, skip + take]));
    const [least, greatest] = [levels.at(-1)?.score ?? SCORES, levels[0]?.score ?? 0];
    for (const [i, { scores }] of this.#scored.entries()) {
      eachFrom(scores, least, (ordinal, score) => {
        if (score > greatest) return false;
        // Members are in catalog order, so later ones of a level are not on the page.
        const ordinals = found.get(score)![i]!;
        if (ordinals.length === most.get(score)!) return score === least;
        ordinals.push(ordinal);
        return false;
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

/** How much a concept counts that `count` of `size` tracks carry: the inverse document frequency of BM25. */
function rarity(size: number, count: number): number {
  return Math.log(1 + (size - count + 0.5) / (count + 0.5));
}
