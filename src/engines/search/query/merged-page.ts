import { compareInCatalog, type Segment } from '../segments/segment.ts';
import { partitionPoint } from '../sets/bits.ts';
import type { Matches } from '../sets/matches.ts';

/**
 * The matches of one segment in some order. They are addressed by positions in that order, in which other
 * tracks may lie between them.
 */
export interface MatchList {
  readonly count: number;
  /** A position with more than `skip` matches before it; the end if there are not that many. */
  end(skip: number): number;
  /** The number of matches in the positions `from` to `to - 1`. */
  countBetween(from: number, to: number): number;
  /** The positions of up to `limit` matches from a position on, without the first `skip`. */
  take(from: number, skip: number, limit: number): readonly number[];
}

/** A match: the number of its list, and its position there. */
export type Place = readonly [list: number, position: number];

/** Negative if the track at a position of a list comes before the track of another list; never zero. */
export type ComparePlaces = (
  list: number,
  position: number,
  other: number,
  otherPosition: number,
) => number;

/** The number of matches from which a binary search for the page costs less than reading up to it. */
const SEARCH_FROM = 100;

/** The matches at `skip` to `skip + limit - 1` of all lists together. */
export function mergedPage(
  lists: readonly MatchList[],
  compare: ComparePlaces,
  skip: number,
  limit: number,
): Place[] {
  const used = [...lists.keys()].filter((list) => lists[list]!.count > 0);
  if (used.length === 1) {
    const [list] = used as [number];
    return lists[list]!.take(0, skip, limit).map((position) => [list, position]);
  }
  const { from, left } =
    skip < SEARCH_FROM
      ? { from: used.map(() => 0), left: skip }
      : cutBefore(
          used.map((list) => lists[list]!),
          (i, a, j, b) => compare(used[i]!, a, used[j]!, b),
          skip,
        );
  const heads = used.map((list, i) => lists[list]!.take(from[i]!, 0, left + limit));
  const next = used.map(() => 0);
  const page: Place[] = [];
  for (let passed = 0; page.length < limit; passed++) {
    const first = firstOf(used, heads, next, compare);
    if (first === undefined) break;
    if (passed >= left) page.push([used[first]!, heads[first]![next[first]!]!]);
    next[first]!++;
  }
  return page;
}

/** The list whose next match comes first; undefined if all have ended. */
function firstOf(
  used: readonly number[],
  heads: readonly (readonly number[])[],
  next: readonly number[],
  compare: ComparePlaces,
): number | undefined {
  let first: number | undefined;
  for (let i = 0; i < heads.length; i++) {
    const position = heads[i]![next[i]!];
    if (position === undefined) continue;
    if (
      first === undefined ||
      compare(used[i]!, position, used[first]!, heads[first]![next[first]!]!) < 0
    ) {
      first = i;
    }
  }
  return first;
}

/**
 * A position in each list such that all tracks before these positions come before all others, and at most
 * `skip` matches are before them. `left`: how many fewer they are; few. Each list but the longest in turn
 * narrows the part of every list in which its position may be, at the end to one position in its own.
 */
function cutBefore(
  lists: readonly MatchList[],
  compare: ComparePlaces,
  skip: number,
): { from: number[]; left: number } {
  let low = lists.map(() => 0);
  let high = lists.map((list) => list.end(skip));
  let left = skip;
  /** For each list, the number of its tracks that come before a track. */
  const cutAt = (list: number, position: number): number[] =>
    lists.map((_, other) =>
      other === list
        ? position
        : partitionPoint(low[other]!, high[other]!, (at) => compare(other, at, list, position) < 0),
    );
  const countTo = (cut: readonly number[]): number =>
    lists.reduce((sum, list, i) => sum + list.countBetween(low[i]!, cut[i]!), 0);
  const passTo = (cut: number[]): void => {
    left -= countTo(cut);
    low = cut;
  };
  const byLength = [...lists.keys()].sort((one, other) => high[one]! - high[other]!);
  const longest = byLength.at(-1)!;
  for (const list of byLength) {
    if (list === longest) {
      // At most one track of each other list lies in what remains of the longest.
      const passed = left - lists.length;
      if (passed < 0) break;
      const [position] = lists[list]!.take(low[list]!, passed, 1);
      if (position !== undefined && position < high[list]!) {
        passTo(cutAt(list, position));
        break;
      }
    }
    const isInCut = (position: number) => countTo(cutAt(list, position)) <= left;
    const end = partitionPoint(low[list]!, high[list]!, isInCut);
    const next = end < high[list]! ? cutAt(list, end) : high;
    if (end > low[list]!) passTo(cutAt(list, end - 1));
    high = next;
  }
  return { from: low, left };
}

/** Positions that are all matches. */
export class PlainList implements MatchList {
  readonly count: number;

  constructor(count: number) {
    this.count = count;
  }

  end(skip: number): number {
    return Math.min(this.count, skip + 1);
  }

  countBetween(from: number, to: number): number {
    return to - from;
  }

  take(from: number, skip: number, limit: number): number[] {
    const first = Math.min(this.count, from + skip);
    return Array.from({ length: Math.min(limit, this.count - first) }, (_, i) => first + i);
  }
}

/** The tracks of several segments in catalog order. */
export class MergedCatalog {
  readonly #segments: readonly Segment[];

  constructor(segments: readonly Segment[]) {
    this.#segments = segments;
  }

  readonly compare: ComparePlaces = (segment, ordinal, other, otherOrdinal) =>
    compareInCatalog(this.#segments[segment]!, ordinal, this.#segments[other]!, otherOrdinal);

  /** The row ids of up to `limit` matches from `skip` on. `found`: the matches in each segment. */
  page(found: readonly Matches[], skip: number, limit: number): number[] {
    const [only, ...others] = found;
    if (only === undefined || others.length > 0)
      return this.rowIds(this.places(found, skip, limit));
    const { size, tracks } = this.#segments[0]!;
    const page: number[] = [];
    if (limit > 0) {
      only.visit(0, size, skip, (ordinal) => page.push(tracks.rowIds[ordinal]!) === limit);
    }
    return page;
  }

  /** Returns the matches of such a page as segments and ordinals. */
  places(found: readonly Matches[], skip: number, limit: number): Place[] {
    const lists = found.map((matches, i) => new InOrder(matches, this.#segments[i]!.size));
    return limit > 0 ? mergedPage(lists, this.compare, skip, limit) : [];
  }

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
