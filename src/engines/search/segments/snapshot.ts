import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { removeUnfinished, replaceFile } from '../../../common/files.ts';
import { withBitMemory } from '../sets/bit-kernel.ts';
import { type Column, FORM_FIELDS, type SegmentColumns, shared } from './columns.ts';

/** The version of the format. Increase it whenever columns change in name, form or meaning. */
const FORMAT = 21;

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
  ...FORM_FIELDS,
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

/** Allocates columns of zeros in shared memory, with the lengths of the head, to read the snapshot into. */
function emptyColumns(head: SnapshotHead): SegmentColumns {
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

function bytesOf(column: Column): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

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

/** The largest head that is accepted. Labels and common pieces take a few hundred kilobytes. */
const MAX_HEAD_BYTES = 256 * 1024 * 1024;

/** The largest read; the system accepts no more than 2 GiB at once. */
const CHUNK_BYTES = 64 * 1024 * 1024;

/** The result of reading: the segment, the reason why the file is unusable, or that there is no file. */
export type SnapshotReading =
  | { columns: SegmentColumns; catalog: string; asOf: number }
  | { refused: string }
  | { absent: true };

/**
 * The file that keeps a segment from one run to the next: magic, length and checksum of the head, the head
 * as JSON, then the columns as they are in memory (little-endian on every machine that runs Stave). The
 * file is a copy of data in the store, and may be deleted at any time.
 */
export class IndexSnapshotFile {
  readonly #path: string;
  readonly #madeBy: string;

  constructor(options: { path: string; madeBy: string }) {
    this.#path = options.path;
    this.#madeBy = options.madeBy;
  }

  /** Replaces the file atomically: a crash leaves the old file or the new one. */
  async write(columns: SegmentColumns, of: Pick<SnapshotHead, 'catalog' | 'asOf'>): Promise<void> {
    const head: SnapshotHead = {
      format: FORMAT,
      madeBy: this.#madeBy,
      ...of,
      meta: columns.meta,
      isInMemory: columns.memory !== undefined,
      columns: Array.from(columnsOf(columns), ({ group, name, column }) => ({
        group,
        name,
        type: column.constructor.name as ColumnType,
        length: column.length,
        crc: crc32(bytesOf(column)),
      })),
    };
    await replaceFile(this.#path, async (file) => {
      const json = Buffer.from(JSON.stringify(head));
      for (const bytes of [preamble(json), json]) await file.append(bytes);
      for (const { column } of columnsOf(columns)) await file.append(bytesOf(column));
    });
  }

  /**
   * Reads the file and verifies its checksums, at about one second per gigabyte.
   * @param refusalOf returns the reason why a snapshot with this head cannot be used, if there is one; its columns
   *   are then not read
   */
  async read(
    refusalOf: (head: SnapshotHead) => Promise<string | undefined> = async () => undefined,
  ): Promise<SnapshotReading> {
    let file: FileHandle;
    try {
      file = await open(this.#path, 'r');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' ? { absent: true } : { refused: message };
    }
    try {
      const found = await orRefused(readHead(file));
      if ('refused' in found) return found;
      const { head, end } = found;
      if (head.format !== FORMAT || head.madeBy !== this.#madeBy) {
        return { refused: `it was written by another version, ${head.madeBy}` };
      }
      const refused = await refusalOf(head);
      return refused === undefined ? await orRefused(readColumns(file, head, end)) : { refused };
    } finally {
      await file.close();
    }
  }

  async clearUp(): Promise<void> {
    await removeUnfinished(this.#path);
  }
}

const WIDTH = { Uint8Array: 1, Uint16Array: 2, Uint32Array: 4, Float64Array: 8 };

/** The file is not a snapshot, or is incomplete. */
class Unreadable extends Error {}

const MAGIC = Buffer.from('stave index\n');

/** The first bytes of the file: magic, then length and checksum of the head, four bytes each. */
function preamble(head: Buffer): Buffer {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32LE(head.length, 0);
  numbers.writeUInt32LE(crc32(head), 4);
  return Buffer.concat([MAGIC, numbers]);
}

async function readHead(file: FileHandle): Promise<{ head: SnapshotHead; end: number }> {
  const first = Buffer.alloc(MAGIC.length + 8);
  await readAll(file, first, 0);
  if (!first.subarray(0, MAGIC.length).equals(MAGIC)) throw new Unreadable('it is something else');
  const length = first.readUInt32LE(MAGIC.length);
  if (length > MAX_HEAD_BYTES) throw new Unreadable('its head is damaged');
  const json = Buffer.alloc(length);
  const end = await readAll(file, json, first.length);
  if (crc32(json) !== first.readUInt32LE(MAGIC.length + 4)) {
    throw new Unreadable('its head is damaged');
  }
  return { head: JSON.parse(json.toString()) as SnapshotHead, end };
}

async function readColumns(
  file: FileHandle,
  head: SnapshotHead,
  end: number,
): Promise<Extract<SnapshotReading, { columns: SegmentColumns }>> {
  const bytes = head.columns.reduce((sum, { type, length }) => sum + length * WIDTH[type], 0);
  if ((await file.stat()).size !== end + bytes) throw new Unreadable('its length is wrong');
  const columns = emptyColumns(head);
  let at = end;
  for (const [i, { column }] of Array.from(columnsOf(columns)).entries()) {
    at = await readAll(file, bytesOf(column), at);
    if (crc32(bytesOf(column)) !== head.columns[i]!.crc) {
      throw new Unreadable('its checksum is wrong');
    }
  }
  return { columns, catalog: head.catalog, asOf: head.asOf };
}

/** Any failure to read is acceptable, because the store has all data of the file. */
function orRefused<T>(reading: Promise<T>): Promise<T | { refused: string }> {
  return reading.catch((error: Error) => ({ refused: error.message }));
}

/** Reads from a position until the bytes are full; returns the position after them. */
async function readAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<number> {
  for (let done = 0; done < bytes.length; ) {
    const length = Math.min(CHUNK_BYTES, bytes.length - done);
    const { bytesRead } = await file.read(bytes, done, length, at + done);
    if (bytesRead === 0) throw new Unreadable('it ends too soon');
    done += bytesRead;
  }
  return at + bytes.length;
}
