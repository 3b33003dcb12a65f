import { compareInCatalog, type Segment } from '../segments/segment.ts';
import type { Matches } from '../text/matches.ts';
import { type MatchList, mergedPage, type Place } from './merged-page.ts';

/** The tracks of several segments in catalog order. */
export class MergedCatalog {
  readonly #segments: readonly Segment[];

  constructor(segments: readonly Segment[]) {
    this.#segments = segments;
  }

  /** Negative if a track comes before a track of another segment, positive otherwise. */
  compare(segment: number, ordinal: number, other: number, otherOrdinal: number): number {
    return compareInCatalog(
      this.#segments[segment]!,
      ordinal,
      this.#segments[other]!,
      otherOrdinal,
    );
  }

  /** The row ids of up to `limit` matches from `skip` on. `found`: the matches in each segment. */
  page(found: readonly Matches[], skip: number, limit: number): number[] {
    return this.rowIds(this.places(found, skip, limit));
  }

  /** The same as segments and ordinals. */
  places(found: readonly Matches[], skip: number, limit: number): Place[] {
    const lists = found.map((matches, i) => new InOrder(matches, this.#segments[i]!.size));
    const compare = this.compare.bind(this);
    return limit > 0 ? mergedPage(lists, compare, skip, limit) : [];
  }

  /** The row ids of tracks. */
  rowIds(places: readonly Place[]): number[] {
    return places.map(([segment, ordinal]) => this.#segments[segment]!.tracks.rowIds[ordinal]!);
  }
}

/** The matches of one segment in catalog order. A position is an ordinal. */
class InOrder implements MatchList {
  readonly count: number;
  readonly #matches: Matches;
  readonly #size: number;

  constructor(matches: Matches, size: number) {
    this.count = matches.count;
    this.#matches = matches;
    this.#size = size;
  }

  end(): number {
    return this.#size;
  }

  countBetween(from: number, to: number): number {
    return this.#matches.countBetween(from, to);
  }

  take(from: number, skip: number, limit: number): number[] {
    const ordinals: number[] = [];
    this.#matches.visit(from, this.#size, skip, (ordinal) => {
      ordinals.push(ordinal);
      return ordinals.length === limit;
    });
    return ordinals;
  }
}
