import { shared } from './columns.ts';

const TRACKS_A_STEP = 4_096;

/** Items of tracks, which lie end to end, and where the items of each track begin, followed by their end. */
export interface OrderedItems<T> {
  items: T;
  starts: Uint32Array;
}

/** Copies bytes of each track, which end at `ends`, into another order of the tracks. */
export function* reorderedBytes(
  order: Uint32Array,
  bytes: Uint8Array,
  ends: Uint32Array,
): Generator<void, OrderedItems<Uint8Array>> {
  const starts = yield* startsIn(order, ends);
  const items = shared.bytes(starts[order.length]!);
  yield* copy(order, bytes, ends, items);
  return { items, starts };
}

/** Copies numbers of each track, which end at `ends`, into another order of the tracks. */
export function* reorderedNumbers(
  order: Uint32Array,
  numbers: Uint32Array,
  ends: Uint32Array,
): Generator<void, OrderedItems<Uint32Array>> {
  const starts = yield* startsIn(order, ends);
  const items = shared.uint32(starts[order.length]!);
  yield* copy(order, numbers, ends, items);
  return { items, starts };
}

function* startsIn(order: Uint32Array, ends: Uint32Array): Generator<void, Uint32Array> {
  const starts = shared.uint32(order.length + 1);
  for (let ordinal = 0; ordinal < order.length; ordinal++) {
    const track = order[ordinal]!;
    const length = ends[track]! - (track === 0 ? 0 : ends[track - 1]!);
    starts[ordinal + 1] = starts[ordinal]! + length;
    if (ordinal % TRACKS_A_STEP === TRACKS_A_STEP - 1) yield;
  }
  return starts;
}

function* copy<T extends Uint8Array | Uint32Array>(
  order: Uint32Array,
  items: T,
  ends: Uint32Array,
  target: T,
): Generator<void> {
  let at = 0;
  for (let ordinal = 0; ordinal < order.length; ordinal++) {
    const track = order[ordinal]!;
    const end = ends[track]!;
    for (let i = track === 0 ? 0 : ends[track - 1]!; i < end; i++) {
      target[at++] = items[i]!;
    }
    if (ordinal % TRACKS_A_STEP === TRACKS_A_STEP - 1) yield;
  }
}
