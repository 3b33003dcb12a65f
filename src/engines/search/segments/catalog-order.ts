import { sortByKeys } from '../build/steps.ts';
import type { CollectedTracks } from '../build/track-collector.ts';
import { hasBit } from '../sets/bits.ts';
import { shared } from './columns.ts';
import { ABSENT, type Places } from './placed.ts';
import { compareIds, enterId, idTableLength } from './track-id.ts';

const TRACKS_PER_STEP = 16_384;

/** The places of collected tracks in catalog order, and the hash table from ids to ordinals. */
export interface CatalogOrder {
  places: Places;
  idTable: Uint32Array;
}

/** Finds the catalog order, newest release first, then by id, in steps of a few milliseconds. */
export function* catalogOrder(
  parts: readonly Pick<CollectedTracks, 'values' | 'live'>[],
): Generator<void, CatalogOrder> {
  const count = parts.reduce((sum, { values }) => sum + values.releasedAt.length, 0);
  const ids = joined(
    parts.map(({ values }) => values.ids),
    new Uint32Array(count * 4),
  );
  const releasedAt = joined(
    parts.map(({ values }) => values.releasedAt),
    new Float64Array(count),
  );
  yield;
  const ordinals = shared.uint32(count);
  const absent = markAbsent(parts, ordinals);
  yield;
  const { idTable, repeated } = yield* enterIds(ids, ordinals, count - absent);
  const order = new Uint32Array(count - absent - repeated);
  for (let track = 0, at = 0; track < count; track++) {
    if (ordinals[track] !== ABSENT) order[at++] = track;
  }
  yield;
  yield* sortTracks(order, ids, releasedAt);
  for (let ordinal = 0; ordinal < order.length; ordinal++) {
    ordinals[order[ordinal]!] = ordinal;
  }
  yield;
  for (let i = 0; i < idTable.length; i++) {
    if (idTable[i] !== 0) idTable[i] = ordinals[idTable[i]! - 1]! + 1;
  }
  return { places: { ordinals, size: order.length }, idTable };
}

/** Marks the tracks that are not live, and returns their number. */
function markAbsent(
  parts: readonly Pick<CollectedTracks, 'values' | 'live'>[],
  ordinals: Uint32Array,
): number {
  let absent = 0;
  let track = 0;
  for (const { values, live } of parts) {
    for (let i = 0; i < values.releasedAt.length; i++, track++) {
      if (live === undefined || hasBit(live, i)) continue;
      ordinals[track] = ABSENT;
      absent++;
    }
  }
  return absent;
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
 * Makes the hash table of ids, which maps them to the positions at which tracks were added. Marks the tracks that were
 * replaced, and returns their number.
 */
function* enterIds(
  ids: Uint32Array,
  ordinals: Uint32Array,
  count: number,
): Generator<void, { idTable: Uint32Array; repeated: number }> {
  const idTable = shared.uint32(idTableLength(count));
  let repeated = 0;
  for (let track = 0; track < ordinals.length; track++) {
    const earlier = ordinals[track] === ABSENT ? undefined : enterId(idTable, ids, track);
    if (earlier !== undefined) {
      ordinals[earlier] = ABSENT;
      repeated++;
    }
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
