import { fstatSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** Bytes that are read once, from the beginning to the end. */
export interface ByteSource {
  /** Returns fewer than `length` bytes only at the end. They are valid until the next call. */
  read(length: number): Promise<Uint8Array>;
  /** May go past the end: the next read then returns no bytes. */
  skip(length: number): Promise<void>;
}

/** An open file, which may also go back. The caller closes the file. */
export class FileSource implements ByteSource {
  /** The offset in the file of the next byte to read. */
  position = 0;
  readonly #file: number;
  #buffer = new Uint8Array(0);

  constructor(file: number) {
    this.#file = file;
  }

  // Synchronous, because a thread decodes one file at a time, and has nothing else to do.
  async read(length: number): Promise<Uint8Array> {
    if (this.#buffer.length < length) {
      this.#buffer = new Uint8Array(length);
    }
    let count = 0;
    while (count < length) {
      const read = readSync(this.#file, this.#buffer, count, length - count, this.position);
      if (read === 0) break;
      count += read;
      this.position += read;
    }
    return this.#buffer.subarray(0, count);
  }

  async skip(length: number): Promise<void> {
    this.position += length;
  }

  get size(): number {
    return fstatSync(this.#file).size;
  }

  /** Yields the rest of the file, up to the offset `end`. Each piece is a new array. */
  async *pieces(length: number, end = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = await this.read(Math.max(0, Math.min(length, end - this.position)));
      if (piece.length === 0) return;
      yield piece.slice();
    }
  }
}

export class StreamSource implements ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async read(length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    let count = 0;
    while (count < length && (await this.#hasRest())) {
      const part = this.#rest.subarray(0, length - count);
      bytes.set(part, count);
      count += part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return bytes.subarray(0, count);
  }

  async skip(length: number): Promise<void> {
    let left = length;
    while (left > 0 && (await this.#hasRest())) {
      const part = Math.min(left, this.#rest.length);
      left -= part;
      this.#rest = this.#rest.subarray(part);
    }
  }

  async #hasRest(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return false;
      this.#rest = next.value;
    }
    return true;
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function ascii(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
