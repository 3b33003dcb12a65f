import { shared } from './columns.ts';

const TRACKS_A_STEP = 4_096;

/**
 * Copies the items of each track, which lie end to end, into `target` in another order of the tracks. Returns
 * where the items of each track begin, followed by where the last ones end.
 */
export function* reordered<T extends Uint8Array | Uint32Array>(
  order: Uint32Array,
  items: T,
  ends: Uint32Array,
  target: T,
): Generator<void, Uint32Array> {
  const starts = shared.uint32(order.length + 1);
  let at = 0;
  for (let ordinal = 0; ordinal < order.length; ordinal++) {
    const track = order[ordinal]!;
    const end = ends[track]!;
    for (let i = track === 0 ? 0 : ends[track - 1]!; i < end; i++) {
      target[at++] = items[i]!;
    }
    starts[ordinal + 1] = at;
    if (ordinal % TRACKS_A_STEP === TRACKS_A_STEP - 1) yield;
  }
  return starts;
}
