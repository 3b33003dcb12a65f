import type { Matches } from './matches.ts';
import type { MergedCatalog, Pair } from './merged-matches.ts';
import { partitionPoint } from './partition-point.ts';
import type { Segment } from './segment.ts';
import { TrackSet } from './track-set.ts';

/** The orders that a segment keeps besides that of the catalog. */
export type KeptOrder = 'name' | 'bpm' | 'duration';

/** With so few tracks found, sorting them costs less than going through the order. */
const FEW = 1_000;

/** How many places of an order are counted together. */
const PLACES_A_BLOCK = 4_096;

/**
 * Up to `limit` numbers of the matches from `skip` on, in a kept order.
 * @param scratch an empty set for the base
 */
export function orderedPage(
  catalog: MergedCatalog,
  [inBase, inDelta]: Pair,
  kept: KeptOrder,
  scratch: TrackSet,
  skip: number,
  limit: number,
): number[] {
  const { base, delta } = catalog;
  const others = sorted(inDelta, delta, kept);
  const compare = (inBase: number, inDelta: number) =>
    compareKeys(base, inBase, delta, inDelta, kept) || catalog.compare(inBase, inDelta);
  const page =
    inBase.count <= FEW
      ? mergedPage(sorted(inBase, base, kept), others, compare, skip, limit)
      : pageOfMany(orderOf(base, kept), asSet(inBase, scratch), others, compare, skip, limit);
  return page.map(([isBase, ordinal]) =>
    isBase ? base.tracks.numbers[ordinal]! : delta.tracks.numbers[ordinal]!,
  );
}

/** An element of a page, and from which of two lists it is. */
type Merged = [isFirst: boolean, element: number];

/** Less than zero where an element of the first list comes before one of the others; never zero. */
type Compare = (first: number, other: number) => number;

/** What stands at `skip` to `skip + limit - 1` of two sorted lists put together. */
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

/** The same where the first list is what an order holds of a large set, and is not worth writing down. */
function pageOfMany(
  order: Uint32Array,
  found: TrackSet,
  others: ArrayLike<number>,
  compare: Compare,
  skip: number,
  limit: number,
): Merged[] {
  // How many are found before each block of the order, as far as the page can reach.
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
    // Beyond the page, more than enough will do.
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

/** Up to `limit` elements of two sorted lists put together, each from a place on. */
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

function orderOf({ orders }: Segment, kept: KeptOrder): Uint32Array {
  return { name: orders.byName, bpm: orders.byBpm, duration: orders.byDuration }[kept];
}

/** All the matches of one segment in a kept order. */
function sorted(found: Matches, segment: Segment, kept: KeptOrder): number[] {
  if (found.count > FEW) {
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

function keysOf({ orders, tracks }: Segment, kept: KeptOrder): (ordinal: number) => number {
  if (kept === 'name') {
    return (ordinal) => orders.nameRanks[ordinal]!;
  }
  const column = kept === 'bpm' ? tracks.bpms : tracks.durations;
  return (ordinal) => column[ordinal]! || UNKNOWN;
}

/** Where a number is unknown, its track comes last. */
const UNKNOWN = 2 ** 32;

function compareKeys(one: Segment, a: number, other: Segment, b: number, kept: KeptOrder): number {
  return kept === 'name'
    ? compareNames(one.foldedName(a), other.foldedName(b))
    : keysOf(one, kept)(a) - keysOf(other, kept)(b);
}

/** By UTF-16 units; those without a letter or digit last. */
function compareNames(a: string, b: string): number {
  if (a === '' || b === '') {
    return Number(a === '') - Number(b === '');
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
