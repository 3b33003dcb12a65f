import {
  Batch,
  type Decoded,
  MAX_RECORD_BYTES,
  MAX_SKIPPED_BYTES,
  UnreadableError,
  undecoded,
} from './decoded.ts';
import { decodeJson } from './json-record.ts';
import type { TextDecoding } from './text-decoding.ts';

const NEWLINE = 10;

/**
 * Decodes newline-delimited JSON, one record per line; skips blank lines. Splits the lines as the
 * bytes arrive, so that memory holds one chunk and one line. About 3 µs for a record of 400 bytes.
 */
export async function* decodeNdjson(
  chunks: AsyncIterable<Buffer>,
  decodeText: TextDecoding,
): AsyncGenerator<Decoded[]> {
  const reader = new LineReader(decodeText);
  try {
    for await (const chunk of chunks) {
      yield* reader.read(chunk);
    }
  } catch (error) {
    // The records before a fault are imported.
    yield* reader.found.take();
    throw error;
  }
  reader.end();
  yield* reader.found.take();
}

class LineReader {
  readonly found = new Batch();
  readonly #decodeText: TextDecoding;
  #line = 1;
  /** Bytes of a line whose end has not arrived; empty if the line is already too long. */
  #carried: Buffer[] = [];
  #carriedBytes = 0;
  #skippedBytes = 0;

  constructor(decodeText: TextDecoding) {
    this.#decodeText = decodeText;
  }

  *read(chunk: Buffer): Generator<Decoded[]> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#takeLine(chunk.subarray(start, end));
      start = end + 1;
      // A compressed megabyte can contain very many blank lines.
      while (chunk[start] === NEWLINE) {
        this.#line++;
        start++;
      }
      if (this.found.isFull) {
        yield* this.found.take();
      }
    }
    this.#carry(chunk.subarray(start));
  }

  /** Reads the last line if no line break ends it. */
  end(): void {
    if (this.#skippedBytes > 0 || this.#carriedBytes > 0) {
      this.#takeLine(Buffer.alloc(0));
    }
  }

  #takeLine(rest: Buffer): void {
    const bytes = this.#carriedBytes > 0 ? Buffer.concat([...this.#carried, rest]) : rest;
    if (this.#skippedBytes > 0 || bytes.length > MAX_RECORD_BYTES) {
      const problem = `the line is longer than ${MAX_RECORD_BYTES / 1024} KiB`;
      this.found.push(undecoded(this.#line, problem));
    } else if (!isBlank(bytes)) {
      this.found.push(decodeJson(bytes, this.#line, this.#decodeText, 'line'));
    }
    this.#line++;
    this.#carried = [];
    this.#carriedBytes = 0;
    this.#skippedBytes = 0;
  }

  #carry(rest: Buffer): void {
    if (this.#skippedBytes > 0 || this.#carriedBytes + rest.length > MAX_RECORD_BYTES) {
      this.#skippedBytes += this.#carriedBytes + rest.length;
      this.#carried = [];
      this.#carriedBytes = 0;
      if (this.#skippedBytes > MAX_SKIPPED_BYTES) {
        const limit = `${MAX_SKIPPED_BYTES / 1024 / 1024} MiB`;
        throw new UnreadableError(
          this.#line,
          `a line of more than ${limit}; the rest was not read`,
        );
      }
    } else if (rest.length > 0) {
      // Copies the bytes, because the memory of the chunk may be reused.
      this.#carried.push(Buffer.from(rest));
      this.#carriedBytes += rest.length;
    }
  }
}

function isBlank(bytes: Buffer): boolean {
  // A blank line is short; the first byte decides for most lines.
  return bytes.length === 0 || (bytes[0]! <= 0x20 && bytes.toString().trim() === '');
}
