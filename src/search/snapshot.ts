import { withBitMemory } from './bit-memory.ts';
import { type Column, type SegmentColumns, shared } from './columns.ts';

/** Raise it whenever columns change in form or meaning. */
const FORMAT = 3;

/** What a snapshot's first bytes must say, or it is none of ours. */
export const SNAPSHOT_MAGIC = 'stave index\n';

type ColumnType = 'Uint8Array' | 'Uint16Array' | 'Uint32Array' | 'Float64Array';

/** What stands at the head of a snapshot: whose it is, and where its columns lie. */
export interface SnapshotHead {
  format: number;
  /** The program that wrote it, and the tables of Unicode that it folded names with. */
  madeBy: string;
  /** Of which catalog, at which point of its log; the same text for no other. */
  catalog: string;
  /** When everything in the log up to that point was in the snapshot; milliseconds since the epoch. */
  asOf: number;
  meta: SegmentColumns['meta'];
  /** Whether the bitsets lie in a memory for the kernel. */
  isInMemory: boolean;
  /** In the order of the file, each beginning at a multiple of 8 bytes after the head. */
  columns: { group: string; name: string; type: ColumnType; length: number; crc: number }[];
}

const GROUPS = ['tracks', 'labels', 'words', 'symbols', 'orders'] as const;

/** The columns of a segment in the order of the file. */
export function* columnsOf(
  columns: SegmentColumns,
): Iterable<{ group: string; name: string; column: Column }> {
  for (const group of GROUPS) {
    for (const [name, column] of Object.entries(columns[group]) as [string, Column][]) {
      yield { group, name, column };
    }
  }
}

/** The head of a snapshot of the columns. */
export function describeSnapshot(
  columns: SegmentColumns,
  given: Pick<SnapshotHead, 'madeBy' | 'catalog' | 'asOf'> & {
    crcOf: (bytes: Uint8Array) => number;
  },
): SnapshotHead {
  return {
    format: FORMAT,
    madeBy: given.madeBy,
    catalog: given.catalog,
    asOf: given.asOf,
    meta: columns.meta,
    isInMemory: columns.memory !== undefined,
    columns: Array.from(columnsOf(columns), ({ group, name, column }) => ({
      group,
      name,
      type: column.constructor.name as ColumnType,
      length: column.length,
      crc: given.crcOf(bytesOf(column)),
    })),
  };
}

/** Whether this program writes snapshots as that head says. */
export function isOfThisVersion(head: SnapshotHead, madeBy: string): boolean {
  return head.format === FORMAT && head.madeBy === madeBy;
}

/** Columns of the lengths that the head tells, all zeros, in shared memory, for the bytes to be read into. */
export function emptyColumns(head: SnapshotHead): SegmentColumns {
  const groups: Record<string, Record<string, Column>> = {};
  for (const { group, name, type, length } of head.columns) {
    groups[group] ??= {};
    groups[group][name] = MAKE[type](length);
  }
  const columns = { meta: head.meta, ...groups } as unknown as SegmentColumns;
  return head.isInMemory ? withBitMemory(columns) : columns;
}

const MAKE: Record<ColumnType, (length: number) => Column> = {
  Uint8Array: shared.bytes,
  Uint16Array: shared.uint16,
  Uint32Array: shared.uint32,
  Float64Array: shared.float64,
};

/** The bytes behind a column. */
export function bytesOf(column: Column): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
