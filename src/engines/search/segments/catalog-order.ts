import { sortByKeys } from '../build/steps.ts';
import type { CollectedValues } from '../build/track-collector.ts';
import { shared } from './columns.ts';
import { type Places, REPLACED } from './placed.ts';
import { compareIds, enterId, idTableLength } from './track-id.ts';

const TRACKS_PER_STEP = 16_384;

/** The places of collected tracks in catalog order, and the hash table from ids to ordinals. */
export interface CatalogOrder {
  places: Places;
  idTable: Uint32Array;
}

/** Finds the catalog order, newest release first, then by id, in steps of a few milliseconds. */
export function* catalogOrder(
  parts: readonly Pick<CollectedValues, 'ids' | 'releasedAt'>[],
): Generator<void, CatalogOrder> {
  const count = parts.reduce((sum, part) => sum + part.releasedAt.length, 0);
  const ids = joined(
    parts.map((part) => part.ids),
    new Uint32Array(count * 4),
  );
  const releasedAt = joined(
    parts.map((part) => part.releasedAt),
    new Float64Array(count),
  );
  yield;
  const { idTable, repeated } = yield* enterIds(ids, count);
  const order = new Uint32Array(count - repeated.size);
  for (let track = 0, at = 0; track < count; track++) {
    if (!repeated.has(track)) order[at++] = track;
  }
  yield;
  yield* sortTracks(order, ids, releasedAt);
  const ordinals = shared.uint32(count);
  if (repeated.size > 0) ordinals.fill(REPLACED);
  for (let ordinal = 0; ordinal < order.length; ordinal++) {
    ordinals[order[ordinal]!] = ordinal;
  }
  yield;
  for (let i = 0; i < idTable.length; i++) {
    if (idTable[i] !== 0) idTable[i] = ordinals[idTable[i]! - 1]! + 1;
  }
  return { places: { ordinals, size: order.length }, idTable };
}

function joined<T extends Uint32Array | Float64Array>(parts: readonly T[], target: T): T {
  let at = 0;
  for (const part of parts) {
    target.set(part, at);
    at += part.length;
  }
  return target;
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
    if (track % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
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
