import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Log } from '../../../../common/log.ts';
import type { Allocate, DocumentColumns, DocumentCopy, RowIds } from '../../document-copy.ts';
import type { TrackDocument } from '../../track.ts';
import {
  type DocumentHead,
  type FilterTexts,
  readHead,
  readRecord,
  UNIT_BYTES,
} from './document-record.ts';

/** A damaged file is logged at most once in this time. */
const LOG_INTERVAL_MS = 10_000;

/**
 * Reads documents from the document file, at about 2 µs each. The file never changes, so the columns remain valid
 * while it is open, also if another file has its name by now.
 */
export class DocumentFile implements DocumentCopy {
  readonly seq: number;
  readonly #fd: number;
  readonly #starts: Uint32Array;
  readonly #texts: FilterTexts;
  readonly #log: Log;
  #loggedAt = Number.NEGATIVE_INFINITY;

  private constructor(fd: number, columns: DocumentColumns, log: Log) {
    const { seq, starts, filters, filterStarts } = columns;
    this.seq = seq;
    this.#fd = fd;
    this.#starts = starts;
    this.#texts = {
      filters: Buffer.from(filters.buffer, filters.byteOffset, filters.byteLength),
      filterStarts,
    };
    this.#log = log;
  }

  /** Opens the file that has these columns. Throws if another file has its name. */
  static open(path: string, columns: DocumentColumns, log: Log): DocumentFile {
    const fd = openSync(path, 'r');
    try {
      const head: DocumentHead = readHead(fd, fstatSync(fd).size).head;
      if (head.id !== columns.id) throw new Error('The document file was replaced by another one');
      return new DocumentFile(fd, columns, log);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  read(
    tracks: readonly number[],
    except: RowIds,
    allocate: Allocate = Buffer.allocUnsafe,
  ): (TrackDocument | undefined)[] {
    let bytes = 0;
    for (const track of tracks) bytes += this.#lengthOf(track);
    const buffer = allocate(bytes);
    let at = 0;
    return tracks.map((track) => {
      const length = this.#lengthOf(track);
      if (length === 0 || except.has(track)) return undefined;
      const record = { buffer, at, length };
      at += length;
      return this.#read(track, record);
    });
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Returns the length of the record of a track; 0 if there is none. */
  #lengthOf(track: number): number {
    return track + 1 < this.#starts.length
      ? (this.#starts[track + 1]! - this.#starts[track]!) * UNIT_BYTES
      : 0;
  }

  #read(
    track: number,
    record: { buffer: Buffer; at: number; length: number },
  ): TrackDocument | undefined {
    const { buffer, at, length } = record;
    try {
      const place = this.#starts[track]! * UNIT_BYTES;
      const document =
        readSync(this.#fd, buffer, at, length, place) === length
          ? readRecord(track, record, this.#texts)
          : undefined;
      if (document === undefined) this.#report(track, undefined);
      return document;
    } catch (error) {
      this.#report(track, error);
      return undefined;
    }
  }

  #report(track: number, error: unknown): void {
    const now = performance.now();
    if (now - this.#loggedAt < LOG_INTERVAL_MS) return;
    this.#loggedAt = now;
    this.#log.error(
      { rowId: track, ...(error !== undefined && { err: error }) },
      'the document file is damaged: the database is read instead',
    );
  }
}
