import type { SegmentColumns } from './columns.ts';
import { bytesOf, columnsOf } from './snapshot.ts';

const weights = new WeakMap<SegmentColumns, ArrayBuffer>();

/**
 * Makes the garbage collector count what a large segment takes. V8 does not count shared memory, so
 * segments that nobody uses any more, of hundreds of megabytes each, would wait for a collection that
 * nothing calls for. Zeros that are never touched take no memory, but are counted.
 */
export function countMemory(columns: SegmentColumns): void {
  if (columns.memory === undefined || weights.has(columns)) {
    return;
  }
  let bytes = 0;
  for (const { column } of columnsOf(columns)) {
    bytes += bytesOf(column).length;
  }
  weights.set(columns, new ArrayBuffer(bytes));
}
