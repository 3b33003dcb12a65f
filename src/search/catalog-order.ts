import { shared } from './columns.ts';
import { sortByKeys } from './radix-sort.ts';
import { joined } from './text-lists.ts';
import type { CollectedValues } from './track-collector.ts';
import { compareIds, enterId, idTableLength } from './track-id.ts';

const TRACKS_A_STEP = 16_384;

/** The catalog order of collected tracks. */
export interface CatalogOrder {
  /** By ordinal, the number of the track, counted through all parts. Tracks that were replaced are absent. */
  order: Uint32Array;
  /** The hash table from ids to ordinals. */
  idTable: Uint32Array;
}

/** Finds the catalog order, newest release first, then by id, in steps of a few milliseconds. */
export function* catalogOrder(
  parts: readonly Pick<CollectedValues, 'ids' | 'releasedAt'>[],
): Generator<void, CatalogOrder> {
  const ids = joined(parts.map((part) => part.ids));
  const releasedAt = joined(parts.map((part) => part.releasedAt));
  const { idTable, repeated } = yield* enterIds(ids, releasedAt.length);
  const order = shared.uint32(releasedAt.length - repeated.size);
  for (let track = 0, at = 0; track < releasedAt.length; track++) {
    if (!repeated.has(track)) order[at++] = track;
  }
  yield;
  yield* sortTracks(order, ids, releasedAt);
  yield* renumber(idTable, order, releasedAt.length);
  return { order, idTable };
}

/**
 * Makes the hash table of ids, which maps them to the positions at which tracks were added, and finds the
 * positions of tracks that were replaced.
 */
function* enterIds(
  ids: Uint32Array,
  count: number,
): Generator<void, { idTable: Uint32Array; repeated: ReadonlySet<number> }> {
  const idTable = shared.uint32(idTableLength(count));
  const repeated = new Set<number>();
  for (let track = 0; track < count; track++) {
    const earlier = enterId(idTable, ids, track);
    if (earlier !== undefined) repeated.add(earlier);
    if (track % TRACKS_A_STEP === TRACKS_A_STEP - 1) yield;
  }
  return { idTable, repeated };
}

function* sortTracks(
  order: Uint32Array,
  ids: Uint32Array,
  releasedAt: Float64Array,
): Generator<void> {
  const compare = (a: number, b: number) =>
    releasedAt[b]! - releasedAt[a]! || compareIds(ids, a, ids, b);
  if (order.every((track, i) => i === 0 || compare(order[i - 1]!, track) < 0)) return;
  yield;
  const newest = releasedAt.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  /** The time from a release to the newest one in two words. */
  const low = new Uint32Array(releasedAt.length);
  const high = new Uint32Array(releasedAt.length);
  for (let track = 0; track < releasedAt.length; track++) {
    const age = newest - releasedAt[track]!;
    low[track] = age % 2 ** 32;
    high[track] = age / 2 ** 32;
  }
  yield;
  yield* sortByKeys(order, [{ words: high }, { words: low }, { words: ids, stride: 4 }], compare);
}

/** Replaces the positions in the hash table of ids by ordinals. */
function* renumber(idTable: Uint32Array, order: Uint32Array, count: number): Generator<void> {
  const ordinals = new Uint32Array(count);
  for (let ordinal = 0; ordinal < order.length; ordinal++) {
    ordinals[order[ordinal]!] = ordinal;
  }
  yield;
  for (let i = 0; i < idTable.length; i++) {
    if (idTable[i] !== 0) idTable[i] = ordinals[idTable[i]! - 1]! + 1;
  }
  yield;
}
