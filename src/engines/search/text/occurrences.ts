import { costOfCommon, hasBit } from '../sets/bits.ts';
import type { TrackSet } from '../sets/track-set.ts';
import type { Occurrences } from './text-field.ts';

/** The occurrences of one word of a text in several fields. A track matches if it is in any of them. */
export type FieldOccurrences = readonly Occurrences[];

type Bitsets = readonly [
  one: Uint32Array,
  other: Uint32Array | undefined,
  third: Uint32Array | undefined,
];

/** The cost of reading the words of one track, in postings that are read in the same time. */
const POSTINGS_A_TRACK = 32;

/**
 * Sorts the conditions so that checking them costs least: first the one that the fewest tracks can meet
 * according to its lists, then those with bitsets only, then the others.
 */
export function ordered(conditions: readonly FieldOccurrences[]): FieldOccurrences[] {
  const dense = conditions.filter((places) => bitsetsOf(places) !== undefined);
  const [rarest, ...others] = conditions
    .filter((places) => bitsetsOf(places) === undefined)
    .map((places) => ({ places, cost: costOf(places) }))
    .sort((a, b) => (a.cost < b.cost ? -1 : a.cost > b.cost ? 1 : 0));
  const rest = others.map(({ places }) => places);
  if (rarest === undefined) return dense;
  return rarest.cost < Infinity
    ? [rarest.places, ...dense, ...rest]
    : [...dense, rarest.places, ...rest];
}

/** The number of postings of the lists; infinite if there is a bitset. 0 means that nothing can match. */
export function costOf(places: FieldOccurrences): number {
  let cost = 0;
  for (const place of places) cost += place.kind === 'bits' ? Infinity : place.postings;
  return cost;
}

/** The members of the set that meet every condition. The result may be another set, and uses the spare one. */
export function narrowed(
  set: TrackSet,
  conditions: readonly FieldOccurrences[],
  takeSpare: () => TrackSet,
): TrackSet {
  let left = set;
  let spare: TrackSet | undefined;
  for (const places of conditions) {
    if (left.count === 0) return left;
    const bitsets = bitsetsOf(places);
    const test = quickTester(places, left.count);
    if (bitsets !== undefined) {
      left.keep(...bitsets);
    } else if (test !== undefined) {
      left.keepWhere(test);
    } else {
      const both = spare ?? takeSpare();
      both.clear();
      addMatching(places, left, both);
      [left, spare] = [both, left];
    }
  }
  return left;
}

/** Moves the members that meet every condition. Uses two spare sets if there are several conditions. */
export function moveNarrowed(
  conditions: readonly FieldOccurrences[],
  from: TrackSet,
  to: TrackSet,
  takeSpares: () => readonly [TrackSet, TrackSet],
): void {
  const [first, ...others] = ordered(conditions);
  if (others.length === 0) {
    moveMatching(first!, from, to);
    return;
  }
  const [one, other] = takeSpares();
  one.clear();
  addMatching(first!, from, one);
  const left = narrowed(one, others, () => other);
  from.moveSet(left, to);
}

export function move(ordinal: number, from: TrackSet, to: TrackSet): void {
  from.remove(ordinal);
  to.add(ordinal);
}

/** The bitsets of up to three occurrences; undefined if any of them has lists. */
export function bitsetsOf(places: FieldOccurrences): Bitsets | undefined {
  const [one, other, third, ...others] = places;
  if (one?.kind !== 'bits' || others.length > 0) return undefined;
  if (other === undefined) return [one.bits, undefined, undefined];
  if (other.kind !== 'bits') return undefined;
  if (third === undefined) return [one.bits, other.bits, undefined];
  return third.kind === 'bits' ? [one.bits, other.bits, third.bits] : undefined;
}

/** Adds the members of a set that have one of the occurrences to an empty set. */
function addMatching(places: FieldOccurrences, from: TrackSet, to: TrackSet): void {
  const bitsets = bitsetsOf(places);
  if (bitsets !== undefined) {
    to.addSet(from);
    to.keep(...bitsets);
    return;
  }
  const test = quickTester(places, from.count);
  if (test !== undefined) {
    from.each((ordinal) => {
      if (test(ordinal)) to.add(ordinal);
    });
    return;
  }
  for (const place of places) {
    if (place.kind === 'bits') to.addIn(place.bits, from);
    else place.each((tracks) => to.addAllIn(tracks, from));
  }
}

/** Moves the members that have one of the occurrences. */
function moveMatching(places: FieldOccurrences, from: TrackSet, to: TrackSet): void {
  const test = quickTester(places, from.count);
  if (test !== undefined) {
    from.each((ordinal) => {
      if (test(ordinal)) move(ordinal, from, to);
    });
    return;
  }
  for (const place of places) {
    if (place.kind === 'bits') from.moveCommon(place.bits, to);
    else place.each((tracks) => from.moveAll(tracks, to));
  }
}

/**
 * A test of whether a track has one of the occurrences; undefined if testing so many tracks costs more than
 * reading the lists.
 */
function quickTester(
  places: FieldOccurrences,
  tracks: number,
): ((ordinal: number) => boolean) | undefined {
  let cost = 0;
  for (const place of places) {
    if (place.kind === 'bits') continue;
    if (place.tester === undefined) return undefined;
    cost += place.postings;
  }
  if (tracks * POSTINGS_A_TRACK >= cost) return undefined;
  cost = 0;
  for (const place of places) {
    if (place.kind === 'bits') continue;
    place.each((list) => {
      cost += costOfCommon(list, tracks);
    });
  }
  if (tracks * POSTINGS_A_TRACK >= cost) return undefined;
  const testers = places.map(testerOf);
  const [only] = testers;
  return testers.length === 1 ? only : (ordinal) => testers.some((test) => test(ordinal));
}

/** A test of whether a track has an occurrence, which must have a tester if it has lists. */
export function testerOf(place: Occurrences): (ordinal: number) => boolean {
  if (place.kind === 'lists') return place.tester!();
  const { bits } = place;
  return (ordinal) => hasBit(bits, ordinal);
}
