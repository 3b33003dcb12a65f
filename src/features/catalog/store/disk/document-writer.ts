import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type GradualFile, removeUnfinished, replaceFile } from '../../../../common/files.ts';
import type { DocumentColumns, DocumentParts, FilterText } from '../../document-copy.ts';
import {
  type DocumentHead,
  headBytes,
  readFully,
  readHead,
  roomForRecord,
  UNIT_BYTES,
  Unreadable,
  writeRecord,
} from './document-record.ts';

/** The documents that are written. */
export interface WrittenDocuments {
  /** In the order of row ids. */
  documents: AsyncIterable<readonly DocumentParts[]>;
  /** Called after all documents were read, so that the filters of all of them exist. */
  filters(): Promise<readonly FilterText[]>;
  /** Called after all documents were read. Returns what `DocumentReading.catalog` will be. */
  catalog(): Promise<string>;
  /** Called after all documents were read. They contain all changes of tracks up to this one, and may contain later ones. */
  seq(): Promise<number>;
  /** About how many documents there are; Infinity if that is unknown. */
  expected: number;
}

/** The result of reading: the columns, the reason why the file is unusable, or that there is no file. */
export type DocumentReading =
  | { columns: DocumentColumns; catalog: string; asOf: number }
  | { refused: string }
  | { absent: true };

/** Records are collected up to this size before they are written. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * The greatest row id: so many, and so many for each track. A column by row id would take too much memory for a
 * catalog that has far fewer tracks than it ever had.
 */
const ROWS = 1_000_000;
const ROWS_PER_TRACK = 16;

/** Nobody writes a file whose time is older. An import that reads audio may have nothing to write for longer. */
const UNFINISHED_MS = 60_000;
const TOUCH_MS = 15_000;

/** Writes the document file, and reads all of it except the records. */
export class DocumentFileWriter {
  readonly #path: string;
  readonly #madeBy: string;
  readonly #by: 'import' | 'service';

  /** @param options.by which process uses this object */
  constructor(options: { path: string; madeBy: string; by: 'import' | 'service' }) {
    this.#path = options.path;
    this.#by = options.by;
    this.#madeBy = options.madeBy;
  }

  /**
   * Replaces the file atomically: a crash leaves the old file or the new one.
   * @param asOf the present time, in milliseconds since the epoch
   */
  write(written: WrittenDocuments, asOf: number): Promise<DocumentColumns> {
    const write = async (file: GradualFile) => {
      // If it fails, a service writes the file.
      const touch = () => void file.touch().catch(() => {});
      const timer = setInterval(touch, TOUCH_MS).unref();
      try {
        return await this.#writeAll(file, written, asOf);
      } finally {
        clearInterval(timer);
      }
    };
    return replaceFile(this.#path, write, this.#by);
  }

  /** Reads and verifies everything except the records, which have checksums of their own. */
  read(): DocumentReading {
    let fd: number;
    try {
      fd = openSync(this.#path, 'r');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' ? { absent: true } : { refused: message };
    }
    try {
      const { head, at } = readHead(fd, fstatSync(fd).size);
      if (head.madeBy !== this.#madeBy) {
        return { refused: `it was written by another version, ${head.madeBy}` };
      }
      return { columns: readColumns(fd, head, at), catalog: head.catalog, asOf: head.asOf };
    } catch (error) {
      // Any failure to read is acceptable, because the store has all data of the file.
      return { refused: (error as Error).message };
    } finally {
      closeSync(fd);
    }
  }

  /**
   * Removes files that a crash of a service left unfinished, and those that no import has written for a minute. Returns
   * whether an import writes the file now.
   * @param now in milliseconds since the epoch
   */
  clearUp(now: number): Promise<boolean> {
    return removeUnfinished(this.#path, { by: 'import', since: now - UNFINISHED_MS });
  }

  async #writeAll(
    file: GradualFile,
    { documents, filters, catalog, seq, expected }: WrittenDocuments,
    asOf: number,
  ): Promise<DocumentColumns> {
    const records = new RecordAppender(file, ROWS + ROWS_PER_TRACK * expected);
    for await (const slice of documents) {
      for (const parts of slice) await records.add(parts);
    }
    const { starts, size, recordBytes } = await records.finish();
    const texts = filterColumns(await filters());
    const id = randomBytes(16).toString('hex');
    const columns = [starts, texts.filters, texts.filterStarts].map(bytesOf);
    for (const bytes of columns) await file.append(bytes);
    const described = columns.map((bytes) => ({ length: bytes.length, crc: crc32(bytes) }));
    const of = { seq: await seq(), catalog: await catalog() };
    const head = { id, ...of, asOf, size, recordBytes };
    await file.append(headBytes({ madeBy: this.#madeBy, ...head, columns: described }));
    return { id, seq: of.seq, size, starts, ...texts };
  }
}

/** Appends records to a file, and collects their places. */
class RecordAppender {
  readonly #file: GradualFile;
  readonly #maxRows: number;
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #used = 0;
  #starts = new Uint32Array(1024);
  /** The number of entries of `starts` that are set. */
  #rows = 0;
  #size = 0;
  #units = 0;

  constructor(file: GradualFile, maxRows: number) {
    this.#file = file;
    this.#maxRows = maxRows;
  }

  async add(parts: DocumentParts): Promise<void> {
    const room = roomForRecord(parts);
    // Without a record, the store is read.
    if (room === undefined) return;
    if (this.#used + room > this.#chunk.length) await this.#flush(room);
    const length = writeRecord(parts, this.#chunk, this.#used);
    this.#used += length;
    // The row ids in between have empty records.
    this.#fillTo(parts.rowId + 1);
    this.#units += length / UNIT_BYTES;
    this.#size++;
  }

  async finish() {
    await this.#flush(0);
    const length = this.#rows + 1;
    this.#fillTo(length);
    const starts = shared(Uint32Array, length);
    starts.set(this.#starts.subarray(0, length));
    return { starts, size: this.#size, recordBytes: this.#units * UNIT_BYTES };
  }

  #fillTo(rows: number): void {
    if (rows > this.#maxRows) throw new Error('the row ids of the tracks are too far apart');
    if (rows > this.#starts.length) {
      const larger = new Uint32Array(Math.max(rows, this.#starts.length * 2));
      larger.set(this.#starts);
      this.#starts = larger;
    }
    this.#starts.fill(this.#units, this.#rows, rows);
    this.#rows = rows;
  }

  /** Writes the collected records, and makes room for a record. */
  async #flush(room: number): Promise<void> {
    await this.#file.append(this.#chunk.subarray(0, this.#used));
    this.#used = 0;
    if (room > this.#chunk.length) this.#chunk = Buffer.allocUnsafe(room);
  }
}

function filterColumns(filters: readonly FilterText[]) {
  const texts: Buffer[] = [];
  const lengths = new Map<number, number>();
  let greatest = 0;
  for (const { rowId, json } of [...filters].sort((a, b) => a.rowId - b.rowId)) {
    const text = Buffer.from(`,${json}`);
    texts.push(text);
    lengths.set(rowId, text.length);
    greatest = rowId;
  }
  const filterStarts = shared(Uint32Array, greatest + 2);
  for (let rowId = 0; rowId <= greatest; rowId++) {
    filterStarts[rowId + 1] = filterStarts[rowId]! + (lengths.get(rowId) ?? 0);
  }
  const joined = shared(Uint8Array, filterStarts.at(-1)!);
  joined.set(Buffer.concat(texts));
  return { filters: joined, filterStarts };
}

function readColumns(fd: number, head: DocumentHead, headAt: number): DocumentColumns {
  const [starts, filters, filterStarts] = head.columns;
  const bytes = starts!.length + filters!.length + filterStarts!.length;
  if (head.recordBytes + bytes !== headAt) throw new Unreadable('its length is wrong');
  const columns = {
    id: head.id,
    seq: head.seq,
    size: head.size,
    starts: shared(Uint32Array, starts!.length / 4),
    filters: shared(Uint8Array, filters!.length),
    filterStarts: shared(Uint32Array, filterStarts!.length / 4),
  };
  let at = head.recordBytes;
  for (const [i, column] of [columns.starts, columns.filters, columns.filterStarts].entries()) {
    const read = bytesOf(column);
    readFully(fd, read, at);
    if (crc32(read) !== head.columns[i]!.crc) throw new Unreadable('its checksum is wrong');
    at += read.length;
  }
  return columns;
}

function shared<Column>(
  type: { new (buffer: SharedArrayBuffer): Column; BYTES_PER_ELEMENT: number },
  length: number,
): Column {
  return new type(new SharedArrayBuffer(length * type.BYTES_PER_ELEMENT));
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array | Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
