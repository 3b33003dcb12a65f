import type { IndexEntry } from '../catalog/catalog-index.ts';
import { type Bits, countBetween, visitBits } from './bits.ts';

/** Matches in one segment, as ordinals of its entries. */
interface SegmentMatches {
  bits: Bits;
  entries: readonly IndexEntry[];
}

/**
 * Appends the ids of two segments' matches in their common order, but for the first `skip`, until
 * there are `limit` ids. `places` says for each track of the delta how many ordinals of the base
 * come before it.
 */
export function appendPage(
  ids: string[],
  base: SegmentMatches,
  delta: SegmentMatches & { places: Uint32Array },
  skip: number,
  limit: number,
): void {
  let left = skip;
  let from = 0;
  /** Passes the base's matches below an ordinal; true once there are ids enough. */
  const passBase = (to: number): boolean => {
    const passed = left === 0 ? 0 : Math.min(left, countBetween(base.bits, from, to));
    visitBits(base.bits, from, to, passed, (ordinal) => {
      if (ids.length < limit) {
        ids.push(base.entries[ordinal]!.id);
      }
      return ids.length >= limit;
    });
    left -= passed;
    from = to;
    return ids.length >= limit;
  };
  visitBits(delta.bits, 0, delta.entries.length, 0, (ordinal) => {
    if (passBase(delta.places[ordinal]!)) {
      return true;
    }
    if (left > 0) {
      left--;
      return false;
    }
    ids.push(delta.entries[ordinal]!.id);
    return ids.length >= limit;
  });
  if (ids.length < limit) {
    passBase(base.entries.length);
  }
}
