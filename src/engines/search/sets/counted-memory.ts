import type { SegmentColumns } from '../segments/columns.ts';
import { bytesOf, columnsOf } from '../segments/snapshot.ts';

const weights = new WeakMap<SegmentColumns, ArrayBuffer>();

/** The size from which a segment is counted. The array for a smaller one would take memory itself. */
const COUNTED_FROM_BYTES = 1_000_000;

/**
 * Makes the garbage collector count the memory of a segment that is not small. V8 does not count shared memory, so unused
 * segments of hundreds of megabytes would wait for a collection that nothing triggers. The array of zeros
 * allocated here is counted, but takes no memory because it is never touched.
 */
export function countMemory(columns: SegmentColumns): void {
  if (weights.has(columns)) {
    return;
  }
  let bytes = 0;
  for (const { column } of columnsOf(columns)) {
    bytes += bytesOf(column).length;
  }
  if (bytes >= COUNTED_FROM_BYTES) weights.set(columns, new ArrayBuffer(bytes));
}
