import { sortedInSteps } from '../build/steps.ts';
import {
  type ComparePlaces,
  type MergedCatalog,
  mergedPage,
  PlainList,
} from '../query/merged-page.ts';
import type { Matches } from '../sets/matches.ts';
import type { TrackSet } from '../sets/track-set.ts';
import type { Segment } from './segment.ts';
import { readId } from './track-id.ts';

const TRACKS_PER_STEP = 4_096;

/** The licensed tracks of one segment, most licensed first, ties in catalog order. */
export interface LicensedTracks {
  ordinals: Uint32Array;
  /** By position in `ordinals`. */
  counts: Float64Array;
}

/**
 * Finds the licensed tracks of a segment, in steps of a few milliseconds. The cost grows with the smaller of
 * the two: counts or tracks.
 */
export function* licensedTracks(
  segment: Segment,
  counts: ReadonlyMap<string, number>,
): Generator<void, LicensedTracks> {
  const ordinals: number[] = [];
  const countOf: number[] = [];
  const note = (ordinal: number | undefined, count: number | undefined) => {
    if (ordinal !== undefined && count !== undefined && count > 0) {
      ordinals.push(ordinal);
      countOf.push(count);
    }
  };
  if (counts.size <= segment.size) {
    let looked = 0;
    for (const [id, count] of counts) {
      note(segment.ordinalOf(id), count);
      if (++looked % TRACKS_PER_STEP === 0) yield;
    }
  } else {
    for (let ordinal = 0; ordinal < segment.size; ordinal++) {
      note(ordinal, counts.get(readId(segment.tracks.ids, ordinal)));
      if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
    }
  }
  const order = Uint32Array.from(ordinals, (_, place) => place);
  yield;
  yield* sortedInSteps(order, (a, b) => countOf[b]! - countOf[a]! || ordinals[a]! - ordinals[b]!);
  return {
    ordinals: order.map((place) => ordinals[place]!),
    counts: Float64Array.from(order, (place) => countOf[place]!),
  };
}

/**
 * The row ids of up to `limit` matches from `skip` on: licensed tracks first, most licensed first, then all
 * others in catalog order.
 * @param found the matches in each segment
 * @param licensed the licensed tracks of each segment
 * @param takeSet returns an empty set for a segment
 */
export function popularPage(
  catalog: MergedCatalog,
  found: readonly Matches[],
  licensed: readonly LicensedTracks[],
  takeSet: (segment: number) => TrackSet,
  skip: number,
  limit: number,
): number[] {
  const places = found.map((matches, i) => placesOf(matches, licensed[i]!));
  const ordinalAt = (segment: number, position: number) =>
    licensed[segment]!.ordinals[places[segment]![position]!]!;
  const countAt = (segment: number, position: number) =>
    licensed[segment]!.counts[places[segment]![position]!]!;
  const compare: ComparePlaces = (segment, position, other, otherPosition) =>
    countAt(other, otherPosition) - countAt(segment, position) ||
    catalog.compare(segment, ordinalAt(segment, position), other, ordinalAt(other, otherPosition));
  const lists = places.map(({ length }) => new PlainList(length));
  const first = mergedPage(lists, compare, skip, limit);
  const rowIds = catalog.rowIds(
    first.map(([segment, position]) => [segment, ordinalAt(segment, position)]),
  );
  if (rowIds.length === limit) {
    return rowIds;
  }
  const rest = found.map((matches, i) =>
    without(matches, licensed[i]!, places[i]!, () => takeSet(i)),
  );
  const passed = places.reduce((sum, { length }) => sum + length, 0);
  const left = limit - rowIds.length;
  return [...rowIds, ...catalog.page(rest, Math.max(0, skip - passed), left)];
}

function placesOf(found: Matches, licensed: LicensedTracks): number[] {
  const places: number[] = [];
  for (let place = 0; place < licensed.ordinals.length; place++) {
    if (found.has(licensed.ordinals[place]!)) {
      places.push(place);
    }
  }
  return places;
}

function without(
  found: Matches,
  { ordinals }: LicensedTracks,
  places: readonly number[],
  takeSet: () => TrackSet,
): Matches {
  if (places.length === 0) {
    return found;
  }
  const scratch = takeSet();
  found.copyTo(scratch);
  for (const place of places) {
    scratch.remove(ordinals[place]!);
  }
  return scratch;
}
