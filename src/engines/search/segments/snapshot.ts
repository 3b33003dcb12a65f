import { withBitMemory } from '../sets/bit-memory.ts';
import { type Column, type SegmentColumns, shared } from './columns.ts';

/** The version of the format. Increase it whenever columns change in name, form or meaning. */
const FORMAT = 12;

/** The first bytes of a snapshot. */
export const SNAPSHOT_MAGIC = 'stave index\n';

type ColumnType = 'Uint8Array' | 'Uint16Array' | 'Uint32Array' | 'Float64Array';

/** The head of a snapshot: its origin, and the layout of its columns. */
export interface SnapshotHead {
  format: number;
  /** The version of the program that wrote it, and of the Unicode tables that it folded names with. */
  madeBy: string;
  /** Identifies the catalog and the position in its change log. */
  catalog: string;
  /** When the snapshot contained all changes up to that position, in milliseconds since the epoch. */
  asOf: number;
  meta: SegmentColumns['meta'];
  /** Whether the bitsets are in a memory for the bit kernel. */
  isInMemory: boolean;
  /** The columns in the order of the file. Each begins at a multiple of 8 bytes after the head. */
  columns: { group: string; name: string; type: ColumnType; length: number; crc: number }[];
}

const GROUPS = [
  ...(['tracks', 'labels', 'words', 'wordCounts', 'symbols', 'orders'] as const),
  ...(['artists', 'artistWords', 'tags', 'tagWords'] as const),
  ...(['aliases', 'aliasWords', 'aliasTags', 'aliasTagWords'] as const),
] as const;

/** Yields the columns of a segment in the order of the file. */
export function* columnsOf(
  columns: SegmentColumns,
): Iterable<{ group: string; name: string; column: Column }> {
  for (const group of GROUPS) {
    for (const [name, column] of Object.entries(columns[group]) as [string, Column][]) {
      yield { group, name, column };
    }
  }
}

/** Makes the head of a snapshot of the columns. */
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

/** Whether this version of the program writes snapshots with such a head. */
export function isOfThisVersion(head: SnapshotHead, madeBy: string): boolean {
  return head.format === FORMAT && head.madeBy === madeBy;
}

/** Allocates columns of zeros in shared memory, with the lengths of the head, to read the snapshot into. */
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

/** The bytes of a column. */
export function bytesOf(column: Column): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
