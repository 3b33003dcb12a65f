import type { SegmentColumns } from './columns.ts';
import { bytesOf, columnsOf } from './snapshot.ts';

const weights = new WeakMap<SegmentColumns, ArrayBuffer>();

/**
 * Makes the garbage collector count the memory of a large segment. V8 does not count shared memory, so unused
 * segments of hundreds of megabytes would wait for a collection that nothing triggers. The array of zeros
 * allocated here is counted, but takes no memory because it is never touched.
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
