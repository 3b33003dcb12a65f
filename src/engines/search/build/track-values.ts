import {
  ISRC_LENGTH,
  type OrderColumns,
  shared,
  sharedUint32,
  type TrackColumns,
} from '../segments/columns.ts';
import { orderByNumber } from '../segments/orders.ts';
import { type Places, placeBytes, placeFixed } from '../segments/placed.ts';
import { sortByKeys } from './radix-sort.ts';
import type { CollectedValues } from './track-collector.ts';

const TRACKS_PER_STEP = 16_384;

type FixedColumns = Pick<
  TrackColumns,
  'rowIds' | 'ids' | 'releasedAt' | 'durations' | 'bpms' | 'isrcs'
>;

/** The columns that hold one value of each track, the names, and the orders by values. */
export interface BuiltTrackValues {
  tracks: FixedColumns & Pick<TrackColumns, 'names' | 'nameStarts' | 'byIsrc'>;
  orders: Pick<OrderColumns, 'byBpm' | 'byDuration' | 'byRowId'>;
}

/** Builds the columns, in steps of a few milliseconds. */
export function* buildTrackValues(
  parts: readonly CollectedValues[],
  places: Places,
): Generator<void, BuiltTrackValues> {
  const columns = yield* fixedColumns(parts, places);
  const { items: names, starts: nameStarts } = yield* placeBytes(
    parts.map((part) => ({ bytes: part.names, ends: part.nameEnds })),
    places,
  );
  const byIsrc = yield* orderByIsrc(columns.isrcs, places.size);
  return {
    tracks: { ...columns, names, nameStarts, byIsrc },
    orders: {
      byBpm: yield* orderByNumber(columns.bpms),
      byDuration: yield* orderByNumber(columns.durations),
      byRowId: yield* orderByNumber(columns.rowIds),
    },
  };
}

function* fixedColumns(
  parts: readonly CollectedValues[],
  places: Places,
): Generator<void, FixedColumns> {
  const { size } = places;
  const columns = {
    rowIds: shared.uint32(size),
    ids: shared.uint32(size * 4),
    releasedAt: shared.float64(size),
    durations: shared.uint32(size),
    bpms: shared.uint32(size),
    isrcs: shared.bytes(size * ISRC_LENGTH),
  };
  for (const name of ['rowIds', 'ids', 'durations', 'bpms'] as const) {
    const words = parts.map((part) => part[name]);
    yield* placeFixed(words, name === 'ids' ? 4 : 1, places, columns[name]);
  }
  const isrcs = parts.map((part) => part.isrcs);
  yield* placeFixed(isrcs, ISRC_LENGTH, places, columns.isrcs);
  const releasedAt = parts.map((part) => part.releasedAt);
  yield* placeFixed(releasedAt, 1, places, columns.releasedAt);
  return columns;
}

/** The ordinals of the tracks that have an ISRC, sorted by it. */
function* orderByIsrc(isrcs: Uint8Array, size: number): Generator<void, Uint32Array> {
  const known: number[] = [];
  const words = new Uint32Array(size * WORDS_AN_ISRC);
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const start = ordinal * ISRC_LENGTH;
    if (isrcs[start] === 0) continue;
    known.push(ordinal);
    for (let i = 0; i < ISRC_LENGTH; i++) {
      const at = ordinal * WORDS_AN_ISRC + (i >>> 2);
      words[at] = (words[at]! << 8) | isrcs[start + i]!;
    }
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  const order = sharedUint32(known);
  const keys = [0, 1, 2].map((offset) => ({ words, stride: WORDS_AN_ISRC, offset }));
  yield* sortByKeys(order, keys);
  return order;
}

const WORDS_AN_ISRC = ISRC_LENGTH / 4;
