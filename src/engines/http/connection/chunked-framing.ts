import type { StaveError } from '../../../common/errors.ts';
import { framingTooLarge, malformed } from './parser-errors.ts';

/** Bytes of framing that every chunked body may have. */
const FREE_FRAMING_BYTES = 4 * 1024;
/** Beyond these bytes, a body may have one byte of framing for this many bytes of data. */
const DATA_BYTES_PER_FRAMING_BYTE = 16;

const CR = 13;
const LF = 10;
const SEMICOLON = 59;

/** The part that the next byte belongs to; `size-line` is the rest of the line after the size. */
type Part =
  | 'size'
  | 'size-line'
  | 'data'
  | 'data-cr'
  | 'data-lf'
  | 'trailer-start'
  | 'trailer-line'
  | 'last-lf';

/**
 * Reads the framing of one chunked body (RFC 9112 §7.1) before Node's parser does, to find the end of the
 * body and to limit its cost: the parser uses 300 bytes of memory for each chunk, even for the smallest. The
 * parser checks the framing again.
 */
export class ChunkedFraming {
  #part: Part = 'size';
  #digits = 0;
  #chunkBytes = 0;
  #dataBytes = 0;
  #framingBytes = 0;
  #isComplete = false;
  #fault: StaveError | undefined;

  /** Whether the body has ended, trailers included. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The reason to refuse the body: it is malformed, or has too much framing for its data. */
  get fault(): StaveError | undefined {
    return this.#fault;
  }

  /** Takes the next bytes. Returns how many of them belong to the body. */
  advance(bytes: Buffer): number {
    let i = 0;
    while (i < bytes.length && !this.#isComplete && this.#fault === undefined) {
      if (this.#part === 'data') {
        const taken = Math.min(this.#chunkBytes, bytes.length - i);
        this.#chunkBytes -= taken;
        this.#dataBytes += taken;
        i += taken;
        if (this.#chunkBytes === 0) {
          this.#part = 'data-cr';
        }
      } else {
        this.#frame(bytes[i]!);
        i++;
      }
    }
    return i;
  }

  #frame(byte: number): void {
    this.#framingBytes++;
    if (this.#framingBytes > FREE_FRAMING_BYTES + this.#dataBytes / DATA_BYTES_PER_FRAMING_BYTE) {
      this.#fault = framingTooLarge();
      return;
    }
    switch (this.#part) {
      case 'size':
        this.#size(byte);
        break;
      case 'size-line':
        if (byte === LF) {
          this.#part = this.#chunkBytes === 0 ? 'trailer-start' : 'data';
          this.#digits = 0;
        }
        break;
      case 'data-cr':
        this.#expect(byte, CR, 'data-lf');
        break;
      case 'data-lf':
        this.#expect(byte, LF, 'size');
        break;
      case 'trailer-start':
        this.#part = byte === CR ? 'last-lf' : 'trailer-line';
        break;
      case 'trailer-line':
        if (byte === LF) {
          this.#part = 'trailer-start';
        }
        break;
      case 'last-lf':
        this.#expect(byte, LF, 'size');
        this.#isComplete = this.#fault === undefined;
    }
  }

  #size(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#chunkBytes = this.#chunkBytes * 16 + digit;
      this.#digits++;
      if (this.#chunkBytes > Number.MAX_SAFE_INTEGER / 16) {
        this.#fault = malformed();
      }
    } else if (this.#digits > 0 && (byte === CR || byte === SEMICOLON)) {
      this.#part = 'size-line';
    } else {
      this.#fault = malformed();
    }
  }

  #expect(byte: number, wanted: number, next: Part): void {
    if (byte === wanted) {
      this.#part = next;
    } else {
      this.#fault = malformed();
    }
  }
}

/** Returns the value of a hexadecimal digit; -1 for any other byte. */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) {
    return byte - 48;
  }
  const letter = byte | 0x20;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
