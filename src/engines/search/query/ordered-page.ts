import type { Segment } from '../segments/segment.ts';
import { partitionPoint } from '../sets/bits.ts';
import type { Matches } from '../sets/matches.ts';
import { asSet, type TrackSet } from '../sets/track-set.ts';
import { compareSortedForms } from '../text/sort-names.ts';
import {
  type ComparePlaces,
  type MatchList,
  type MergedCatalog,
  mergedPage,
  PlainList,
} from './merged-page.ts';

/** The orders that a segment stores besides the catalog order. */
export type StoredOrder = 'name' | 'bpm' | 'duration' | 'rowId';

/** The number of found tracks up to which sorting them costs less than reading the stored order. */
const SORT_UP_TO = 1_000;

/** The number of positions of an order that are counted together. */
const PLACES_A_BLOCK = 4_096;

/**
 * The row ids of up to `limit` matches from `skip` on, in a stored order.
 * @param takeSet returns an empty set for a segment
 */
export function orderedPage(
  catalog: MergedCatalog,
  segments: readonly Segment[],
  found: readonly Matches[],
  by: StoredOrder,
  takeSet: (segment: number) => TrackSet,
  skip: number,
  limit: number,
): number[] {
  const lists = found.map((matches, i) => listOf(matches, segments[i]!, by, () => takeSet(i)));
  const compare: ComparePlaces = (list, position, other, otherPosition) => {
    const a = lists[list]!.order[position]!;
    const b = lists[other]!.order[otherPosition]!;
    return (
      compareKeys(segments[list]!, a, segments[other]!, b, by) || catalog.compare(list, a, other, b)
    );
  };
  const page = mergedPage(lists, compare, skip, limit);
  return catalog.rowIds(page.map(([list, position]) => [list, lists[list]!.order[position]!]));
}

/** The matches of one segment in a stored order, as positions in `order`. */
type OrderedList = MatchList & { readonly order: ArrayLike<number> };

function listOf(
  found: Matches,
  segment: Segment,
  by: StoredOrder,
  takeSet: () => TrackSet,
): OrderedList {
  if (found.count <= SORT_UP_TO) {
    const order = sorted(found, segment, by);
    return Object.assign(new PlainList(order.length), { order });
  }
  return new ManyInOrder(orderOf(segment, by), asSet(found, takeSet));
}

/** Matches that are too many to be sorted. They are counted in blocks of the order, as far as a page needs it. */
class ManyInOrder implements OrderedList {
  readonly count: number;
  readonly order: Uint32Array;
  readonly #found: TrackSet;
  /** The number of matches before each block. */
  readonly #counts = [0];

  constructor(order: Uint32Array, found: TrackSet) {
    this.order = order;
    this.#found = found;
    this.count = found.count;
  }

  end(skip: number): number {
    const wanted = Math.min(this.count, skip + 1);
    const counts = this.#counts;
    while (counts.at(-1)! < wanted) {
      const from = (counts.length - 1) * PLACES_A_BLOCK;
      counts.push(counts.at(-1)! + this.#countFound(from, from + PLACES_A_BLOCK));
    }
    return Math.min(this.order.length, (counts.length - 1) * PLACES_A_BLOCK);
  }

  countBetween(from: number, to: number): number {
    return this.#before(to) - this.#before(from);
  }

  take(from: number, skip: number, limit: number): number[] {
    const { order } = this;
    const skipped = this.#before(from) + skip;
    this.end(skipped);
    const block = partitionPoint(1, this.#counts.length, (at) => this.#counts[at]! <= skipped) - 1;
    const positions: number[] = [];
    let left = skipped - this.#counts[block]!;
    for (let i = block * PLACES_A_BLOCK; i < order.length && positions.length < limit; i++) {
      if (this.#found.has(order[i]!) && left-- <= 0) positions.push(i);
    }
    return positions;
  }

  /** The number of matches before a position up to which they were counted. */
  #before(position: number): number {
    const block = Math.floor(position / PLACES_A_BLOCK);
    return this.#counts[block]! + this.#countFound(block * PLACES_A_BLOCK, position);
  }

  #countFound(from: number, to: number): number {
    const end = Math.min(to, this.order.length);
    let count = 0;
    for (let i = from; i < end; i++) {
      if (this.#found.has(this.order[i]!)) count++;
    }
    return count;
  }
}

function orderOf({ orders }: Segment, by: StoredOrder): Uint32Array {
  return {
    name: orders.bySortedName,
    bpm: orders.byBpm,
    duration: orders.byDuration,
    rowId: orders.byRowId,
  }[by];
}

function sorted(found: Matches, segment: Segment, by: StoredOrder): number[] {
  const ordinals: number[] = [];
  found.visit(0, segment.size, 0, (ordinal) => {
    ordinals.push(ordinal);
    return false;
  });
  const keys = keysOf(segment, by);
  return ordinals.sort((a, b) => keys(a) - keys(b) || a - b);
}

function keysOf({ orders, tracks }: Segment, by: StoredOrder): (ordinal: number) => number {
  if (by === 'name') {
    return (ordinal) => orders.nameRanks[ordinal]!;
  }
  const column = { bpm: tracks.bpms, duration: tracks.durations, rowId: tracks.rowIds }[by];
  return (ordinal) => column[ordinal]! || UNKNOWN;
}

/** The sort key of an unknown number, which comes last. */
const UNKNOWN = 2 ** 32;

function compareKeys(one: Segment, a: number, other: Segment, b: number, by: StoredOrder): number {
  return by === 'name'
    ? compareSortedForms(one.sortedName(a), other.sortedName(b))
    : keysOf(one, by)(a) - keysOf(other, by)(b);
}
