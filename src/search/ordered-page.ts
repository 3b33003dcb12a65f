import type { Matches } from './matches.ts';
import type { MergedCatalog, Pair } from './merged-matches.ts';
import { partitionPoint } from './partition-point.ts';
import type { Segment } from './segment.ts';
import { TrackSet } from './track-set.ts';

/** The orders that a segment stores besides the catalog order. */
export type StoredOrder = 'name' | 'bpm' | 'duration';

/** The number of found tracks up to which sorting them costs less than reading the stored order. */
const SORT_UP_TO = 1_000;

/** The number of positions of an order that are counted together. */
const PLACES_A_BLOCK = 4_096;

/**
 * The row ids of up to `limit` matches from `skip` on, in a stored order.
 * @param scratch an empty set for the base
 */
export function orderedPage(
  catalog: MergedCatalog,
  [inBase, inDelta]: Pair,
  kept: StoredOrder,
  scratch: TrackSet,
  skip: number,
  limit: number,
): number[] {
  const { base, delta } = catalog;
  const others = sorted(inDelta, delta, kept);
  const compare = (inBase: number, inDelta: number) =>
    compareKeys(base, inBase, delta, inDelta, kept) || catalog.compare(inBase, inDelta);
  const page =
    inBase.count <= SORT_UP_TO
      ? mergedPage(sorted(inBase, base, kept), others, compare, skip, limit)
      : pageOfMany(orderOf(base, kept), asSet(inBase, scratch), others, compare, skip, limit);
  return page.map(([isBase, ordinal]) =>
    isBase ? base.tracks.rowIds[ordinal]! : delta.tracks.rowIds[ordinal]!,
  );
}

/** An element of a page, and whether it comes from the first list. */
type Merged = [isFirst: boolean, element: number];

/** Negative if an element of the first list comes before an element of the other list; never zero. */
type Compare = (first: number, other: number) => number;

/** The elements at `skip` to `skip + limit - 1` of the merged list of two sorted lists. */
export function mergedPage(
  first: ArrayLike<number>,
  others: ArrayLike<number>,
  compare: Compare,
  skip: number,
  limit: number,
): Merged[] {
  const firstsBefore = (i: number) =>
    partitionPoint(0, first.length, (at) => compare(first[at]!, others[i]!) < 0);
  const j = partitionPoint(0, others.length, (i) => i + firstsBefore(i) < skip);
  const i = Math.min(skip - j, first.length);
  return merged(first, i, others, j, compare, limit);
}

/**
 * The same for a first list that consists of the found tracks in a stored order, and is too large to be
 * written down.
 */
function pageOfMany(
  order: Uint32Array,
  found: TrackSet,
  others: ArrayLike<number>,
  compare: Compare,
  skip: number,
  limit: number,
): Merged[] {
  // The number of found tracks before each block of the order, as far as the page reaches.
  const counts = [0];
  const wanted = Math.min(found.count, skip + limit);
  for (let end = 0; counts[counts.length - 1]! < wanted; ) {
    const from = end;
    end = Math.min(order.length, from + PLACES_A_BLOCK);
    counts.push(counts[counts.length - 1]! + countFound(order, from, end, found));
  }
  const foundBefore = (place: number): number => {
    const block = Math.min(Math.floor(place / PLACES_A_BLOCK), counts.length - 1);
    const from = block * PLACES_A_BLOCK;
    // Beyond the page, the exact number does not matter.
    return counts[block]! + (block < counts.length - 1 ? countFound(order, from, place, found) : 0);
  };
  const placeOf = (other: number) =>
    partitionPoint(0, order.length, (place) => compare(order[place]!, other) < 0);
  const j = partitionPoint(0, others.length, (i) => i + foundBefore(placeOf(others[i]!)) < skip);
  const firsts: number[] = [];
  const skipped = skip - j;
  const block = partitionPoint(1, counts.length, (at) => counts[at]! <= skipped) - 1;
  let left = skipped - counts[block]!;
  for (let i = block * PLACES_A_BLOCK; i < order.length && firsts.length < limit; i++) {
    if (found.has(order[i]!) && left-- <= 0) {
      firsts.push(order[i]!);
    }
  }
  return merged(firsts, 0, others, j, compare, limit);
}

/** Merges up to `limit` elements of two sorted lists, from a position in each. */
function merged(
  first: ArrayLike<number>,
  fromFirst: number,
  others: ArrayLike<number>,
  fromOthers: number,
  compare: Compare,
  limit: number,
): Merged[] {
  const page: Merged[] = [];
  let i = fromFirst;
  let j = fromOthers;
  while (page.length < limit && (i < first.length || j < others.length)) {
    const takeFirst =
      j === others.length || (i < first.length && compare(first[i]!, others[j]!) < 0);
    page.push(takeFirst ? [true, first[i++]!] : [false, others[j++]!]);
  }
  return page;
}

function countFound(order: Uint32Array, from: number, to: number, found: TrackSet): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    if (found.has(order[i]!)) count++;
  }
  return count;
}

function asSet(found: Matches, scratch: TrackSet): TrackSet {
  if (found instanceof TrackSet) {
    return found;
  }
  found.copyTo(scratch);
  return scratch;
}

function orderOf({ orders }: Segment, kept: StoredOrder): Uint32Array {
  return { name: orders.byName, bpm: orders.byBpm, duration: orders.byDuration }[kept];
}

/** The matches of one segment in a stored order. */
function sorted(found: Matches, segment: Segment, kept: StoredOrder): number[] {
  if (found.count > SORT_UP_TO) {
    return Array.from(orderOf(segment, kept).filter((ordinal) => found.has(ordinal)));
  }
  const ordinals: number[] = [];
  found.visit(0, segment.size, 0, (ordinal) => {
    ordinals.push(ordinal);
    return false;
  });
  const keys = keysOf(segment, kept);
  return ordinals.sort((a, b) => keys(a) - keys(b) || a - b);
}

function keysOf({ orders, tracks }: Segment, kept: StoredOrder): (ordinal: number) => number {
  if (kept === 'name') {
    return (ordinal) => orders.nameRanks[ordinal]!;
  }
  const column = kept === 'bpm' ? tracks.bpms : tracks.durations;
  return (ordinal) => column[ordinal]! || UNKNOWN;
}

/** The sort key of an unknown number, which comes last. */
const UNKNOWN = 2 ** 32;

function compareKeys(
  one: Segment,
  a: number,
  other: Segment,
  b: number,
  kept: StoredOrder,
): number {
  return kept === 'name'
    ? compareNames(one.searchName(a), other.searchName(b))
    : keysOf(one, kept)(a) - keysOf(other, kept)(b);
}

/** Compares by UTF-16 units. Names without a letter or digit come last. */
function compareNames(a: string, b: string): number {
  if (a === '' || b === '') {
    return Number(a === '') - Number(b === '');
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
