/**
 * The end of the document file: the head as JSON, its length and checksum, and a magic text. The head is at the end
 * because it is known last; a file without it is incomplete.
 */
import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const FORMAT = 1;
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

/** The file is not a document file, is incomplete, or is damaged. */
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
