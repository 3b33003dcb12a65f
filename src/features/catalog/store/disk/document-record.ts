import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { AUDIO_EXTENSIONS } from '../../../../engines/blobs/content-types.ts';
import type { DocumentParts } from '../../document-copy.ts';
import type { TrackDocument } from '../../track.ts';
import { ID_AT, ID_LENGTH } from '../../track-document.ts';

/**
 * The record of a document in the document file: a checksum, seeded with the row id, of all that follows; the
 * lengths of the two texts, the number of filters, the length of the artwork key, which is 0 for generated artwork, and
 * the place of the extension in EXTENSIONS; the row ids of the filters; then both texts and the key in UTF-8. Numbers
 * are little-endian.
 */

/** Records begin at multiples of this, so that 32 bits suffice for places in 32 GB. */
export const UNIT_BYTES = 8;

const CHECKSUM_BYTES = 4;
const BEFORE_AT = 4;
const AFTER_AT = 8;
const FILTERS_AT = 12;
const ARTWORK_AT = 14;
const EXTENSION_AT = 16;
const HEAD_BYTES = 17;
const FILTER_BYTES = 4;
const MAX_UINT16 = 0xffff;

const EXTENSIONS: readonly string[] = ['', ...AUDIO_EXTENSIONS];

/** The most bytes of a UTF-16 code unit in UTF-8. */
const MAX_BYTES = 3;

/** Returns the most bytes that the record of a document may take; undefined if the format cannot hold it. */
export function roomForRecord({ before, after, filters, artworkKey }: DocumentParts) {
  const artworkBytes = MAX_BYTES * (artworkKey?.length ?? 0);
  if (filters.length > MAX_UINT16 || artworkBytes > MAX_UINT16) return undefined;
  const texts = MAX_BYTES * (before.length + after.length) + artworkBytes;
  return HEAD_BYTES + filters.length * FILTER_BYTES + texts + UNIT_BYTES;
}

/** Returns the length of the written record, which is a multiple of UNIT_BYTES. */
export function writeRecord(parts: DocumentParts, into: Buffer, at: number): number {
  const { rowId, before, after, filters, artworkKey, streamExtension } = parts;
  let end = at + HEAD_BYTES;
  for (const filter of filters) end = into.writeUInt32LE(filter, end);
  const beforeBytes = into.write(before, end);
  const afterBytes = into.write(after, end + beforeBytes);
  end += beforeBytes + afterBytes;
  const artworkBytes = artworkKey === null ? 0 : into.write(artworkKey, end);
  end += artworkBytes;
  const length = Math.ceil((end - at) / UNIT_BYTES) * UNIT_BYTES;
  while (end < at + length) into[end++] = 0;
  into.writeUInt32LE(beforeBytes, at + BEFORE_AT);
  into.writeUInt32LE(afterBytes, at + AFTER_AT);
  into.writeUInt16LE(filters.length, at + FILTERS_AT);
  into.writeUInt16LE(artworkBytes, at + ARTWORK_AT);
  into[at + EXTENSION_AT] = Math.max(0, EXTENSIONS.indexOf(streamExtension));
  into.writeUInt32LE(crc32(into.subarray(at + CHECKSUM_BYTES, at + length), rowId), at);
  return length;
}

/** The texts of the filters, as in `DocumentColumns`. */
export interface FilterTexts {
  filters: Buffer;
  filterStarts: Uint32Array;
}

/**
 * Returns the document of the record at a place in a buffer, which the document refers to; undefined if the record
 * is damaged or belongs to another track.
 */
export function readRecord(
  track: number,
  record: { buffer: Buffer; at: number; length: number },
  texts: FilterTexts,
): RecordDocument | undefined {
  const { buffer, at, length } = record;
  const checked = buffer.subarray(at + CHECKSUM_BYTES, at + length);
  if (crc32(checked, track) !== buffer.readUInt32LE(at)) return undefined;
  const document = new RecordDocument(buffer, at, texts);
  return document.isComplete ? document : undefined;
}

/** A document over its record in a buffer. */
class RecordDocument implements TrackDocument {
  readonly artworkKey: string | null;
  readonly streamExtension: string;
  readonly bytes: number;
  /** Whether all of its filters are known. */
  readonly isComplete: boolean;
  readonly #buffer: Buffer;
  readonly #texts: FilterTexts;
  readonly #filtersAt: number;
  readonly #beforeAt: number;
  readonly #afterAt: number;
  readonly #endAt: number;

  constructor(buffer: Buffer, at: number, texts: FilterTexts) {
    this.#buffer = buffer;
    this.#texts = texts;
    this.#filtersAt = at + HEAD_BYTES;
    this.#beforeAt = this.#filtersAt + buffer.readUInt16LE(at + FILTERS_AT) * FILTER_BYTES;
    this.#afterAt = this.#beforeAt + buffer.readUInt32LE(at + BEFORE_AT);
    this.#endAt = this.#afterAt + buffer.readUInt32LE(at + AFTER_AT);
    const artworkBytes = buffer.readUInt16LE(at + ARTWORK_AT);
    this.artworkKey =
      artworkBytes === 0 ? null : buffer.toString('utf8', this.#endAt, this.#endAt + artworkBytes);
    this.streamExtension = EXTENSIONS[buffer[at + EXTENSION_AT]!] ?? '';
    let bytes = this.#endAt - this.#beforeAt;
    let isComplete = true;
    for (let place = this.#filtersAt; place < this.#beforeAt; place += FILTER_BYTES) {
      const length = this.#filterLength(buffer.readUInt32LE(place));
      if (length === 0) isComplete = false;
      bytes += length;
    }
    // The first filter follows no comma.
    this.bytes = this.#filtersAt < this.#beforeAt ? bytes - 1 : bytes;
    this.isComplete = isComplete;
  }

  get id(): string {
    const at = this.#beforeAt + ID_AT;
    return this.#buffer.toString('latin1', at, at + ID_LENGTH);
  }

  write(buffer: Buffer, at: number): void {
    const { filters, filterStarts } = this.#texts;
    this.#buffer.copy(buffer, at, this.#beforeAt, this.#afterAt);
    let to = at + this.#afterAt - this.#beforeAt;
    let comma = 1;
    for (let place = this.#filtersAt; place < this.#beforeAt; place += FILTER_BYTES) {
      const filter = this.#buffer.readUInt32LE(place);
      const from = filterStarts[filter]! + comma;
      const end = filterStarts[filter + 1]!;
      filters.copy(buffer, to, from, end);
      to += end - from;
      comma = 0;
    }
    this.#buffer.copy(buffer, to, this.#afterAt, this.#endAt);
  }

  /** Returns the length of the text of a filter, with its comma; 0 if the filter is unknown. */
  #filterLength(filter: number): number {
    const { filterStarts } = this.#texts;
    return filter + 1 < filterStarts.length ? filterStarts[filter + 1]! - filterStarts[filter]! : 0;
  }
}

/**
 * The end of the document file: the head as JSON, its length and checksum, and a magic text. The head is at the end
 * because it is known last; a file without it is incomplete.
 */

const FORMAT = 2;
const MAGIC = Buffer.from('stavedoc');
const TRAILER_BYTES = 8 + MAGIC.length;

/** The largest head that is accepted. */
const MAX_HEAD_BYTES = 64 * 1024;

/** What the head says of the file. The records are followed by the three columns, and these by the head. */
export interface DocumentHead {
  format: number;
  /** The program that wrote the file. */
  madeBy: string;
  /** A random text, which no other file has. */
  id: string;
  /** A text that identifies the position in the log of one catalog when all documents had been read. */
  catalog: string;
  /** When it was written, in milliseconds since the epoch. */
  asOf: number;
  seq: number;
  /** The number of tracks. */
  size: number;
  /** The bytes of all records. */
  recordBytes: number;
  /** The lengths and checksums of `starts`, `filters` and `filterStarts`. */
  columns: readonly { length: number; crc: number }[];
}

/** The file is not a document file, or it is incomplete or damaged. */
export class Unreadable extends Error {}

/** Returns the bytes that end a file. */
export function headBytes(head: Omit<DocumentHead, 'format'>): Buffer {
  const json = Buffer.from(JSON.stringify({ format: FORMAT, ...head }));
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32LE(json.length, 0);
  numbers.writeUInt32LE(crc32(json), 4);
  return Buffer.concat([json, numbers, MAGIC]);
}

/** Reads the head of an open file, and where it begins. Throws Unreadable. */
export function readHead(fd: number, fileBytes: number): { head: DocumentHead; at: number } {
  const trailer = Buffer.alloc(TRAILER_BYTES);
  readFully(fd, trailer, fileBytes - TRAILER_BYTES);
  if (!trailer.subarray(8).equals(MAGIC))
    throw new Unreadable('it is incomplete or something else');
  const length = trailer.readUInt32LE(0);
  if (length > MAX_HEAD_BYTES) throw new Unreadable('its head is damaged');
  const json = Buffer.alloc(length);
  const at = fileBytes - TRAILER_BYTES - length;
  readFully(fd, json, at);
  if (crc32(json) !== trailer.readUInt32LE(4)) throw new Unreadable('its head is damaged');
  const head = JSON.parse(json.toString()) as DocumentHead;
  if (head.format !== FORMAT) throw new Unreadable('it has another format');
  return { head, at };
}

/** The largest read; the system accepts no more than 2 GiB at once. */
const CHUNK_BYTES = 64 * 1024 * 1024;

/** Reads from a position until the bytes are full. */
export function readFully(fd: number, bytes: Uint8Array, position: number): void {
  if (position < 0) throw new Unreadable('it ends too soon');
  for (let done = 0; done < bytes.length; ) {
    const length = Math.min(CHUNK_BYTES, bytes.length - done);
    const read = readSync(fd, bytes, done, length, position + done);
    if (read === 0) throw new Unreadable('it ends too soon');
    done += read;
  }
}
