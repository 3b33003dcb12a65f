/**
 * Finds the first position in `from` to `to - 1` at which `holds` is false; `to` if there is none. `holds`
 * must be true up to some position and false from there on. It is called about log2 times.
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
