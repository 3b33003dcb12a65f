/**
 * The first place of `from` to `to - 1` where `holds` no longer does, `to` where it does
 * everywhere. It must hold up to some place and nowhere after; asked about log2 of them.
 */
export function partitionPoint(from: number, to: number, holds: (i: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
