import { GrowingFloat64, GrowingUint32 } from './columns.ts';
import type { Matches } from './matches.ts';
import type { MergedCatalog, Pair } from './merged-matches.ts';
import { mergedPage } from './ordered-page.ts';
import type { Segment } from './segment.ts';
import { sortedInSteps } from './steps.ts';
import { readId } from './track-id.ts';
import type { TrackSet } from './track-set.ts';

const TRACKS_A_STEP = 4_096;

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
  const found = new GrowingUint32();
  const foundCounts = new GrowingFloat64();
  const note = (ordinal: number | undefined, count: number | undefined) => {
    if (ordinal !== undefined && count !== undefined && count > 0) {
      found.push(ordinal);
      foundCounts.push(count);
    }
  };
  if (counts.size <= segment.size) {
    let looked = 0;
    for (const [id, count] of counts) {
      note(segment.ordinalOf(id), count);
      if (++looked % TRACKS_A_STEP === 0) yield;
    }
  } else {
    for (let ordinal = 0; ordinal < segment.size; ordinal++) {
      note(ordinal, counts.get(readId(segment.tracks.ids, ordinal)));
      if (ordinal % TRACKS_A_STEP === TRACKS_A_STEP - 1) yield;
    }
  }
  const ordinals = found.view;
  const countOf = foundCounts.view;
  const order = new Uint32Array(ordinals.length);
  for (let i = 0; i < order.length; i++) {
    order[i] = i;
  }
  yield;
  yield* sortedInSteps(order, (a, b) => countOf[b]! - countOf[a]! || ordinals[a]! - ordinals[b]!);
  const licensed = {
    ordinals: new Uint32Array(order.length),
    counts: new Float64Array(order.length),
  };
  for (let place = 0; place < order.length; place++) {
    licensed.ordinals[place] = ordinals[order[place]!]!;
    licensed.counts[place] = countOf[order[place]!]!;
  }
  return licensed;
}

/**
 * The row ids of up to `limit` matches from `skip` on: licensed tracks first, most licensed first, then all
 * others in catalog order.
 * @param scratch two empty sets, for the base and for the delta
 */
export function popularPage(
  catalog: MergedCatalog,
  [inBase, inDelta]: Pair,
  [licensedInBase, licensedInDelta]: readonly [LicensedTracks, LicensedTracks],
  scratch: readonly [TrackSet, TrackSet],
  skip: number,
  limit: number,
): number[] {
  const { base, delta } = catalog;
  const first = placesOf(inBase, licensedInBase);
  const others = placesOf(inDelta, licensedInDelta);
  const compare = (a: number, b: number) =>
    licensedInDelta.counts[b]! - licensedInBase.counts[a]! ||
    catalog.compare(licensedInBase.ordinals[a]!, licensedInDelta.ordinals[b]!);
  const rowIds = mergedPage(first, others, compare, skip, limit).map(([isBase, place]) =>
    isBase
      ? base.tracks.rowIds[licensedInBase.ordinals[place]!]!
      : delta.tracks.rowIds[licensedInDelta.ordinals[place]!]!,
  );
  if (rowIds.length === limit) {
    return rowIds;
  }
  const rest: Pair = [
    without(inBase, licensedInBase, first, scratch[0]),
    without(inDelta, licensedInDelta, others, scratch[1]),
  ];
  const passed = first.length + others.length;
  const left = limit - rowIds.length;
  return [...rowIds, ...catalog.page(rest, Math.max(0, skip - passed), left)];
}

/** The positions of the licensed tracks that match. */
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
  scratch: TrackSet,
): Matches {
  if (places.length === 0) {
    return found;
  }
  found.copyTo(scratch);
  for (const place of places) {
    scratch.remove(ordinals[place]!);
  }
  return scratch;
}
