import type { StaveError } from '../../../common/errors.ts';
import { framingTooLarge, malformed } from './request-guard.ts';

const CR = 13;
const LF = 10;
const HEAD_END = Buffer.from('\n\r\n');
const HEAD_METHOD = Buffer.from('HEAD ');

/**
 * Reads the heads of the requests on one connection before Node's parser does. Finds the end of each head,
 * and what the parser does not report about the request line.
 */
export class HeadFraming {
  /** The last two bytes of an incomplete head. */
  #tail = '';
  #isOpen = false;
  /** How many bytes of the request line match `HEAD `; -1 after a mismatch. */
  #agreeing = 0;
  #lineBytes = 0;
  #isLineOpen = true;

  /** Whether a head has begun and is incomplete. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The length of the request line of the latest head, as far as it has arrived, without its line break. */
  get lineBytes(): number {
    return this.#lineBytes;
  }

  /** Whether the latest head belongs to a HEAD request, as far as it has arrived. */
  get isHead(): boolean {
    return this.#agreeing === HEAD_METHOD.length;
  }

  /** Takes the next bytes, at least one. Returns how many of them belong to the head. */
  advance(bytes: Buffer): number {
    if (!this.#isOpen) {
      this.#agreeing = 0;
      this.#lineBytes = 0;
      this.#isLineOpen = true;
    }
    const end = this.#end(bytes);
    const length = end < 0 ? bytes.length : end;
    if (this.#isLineOpen) {
      const lineEnd = bytes.indexOf(CR);
      this.#isLineOpen = lineEnd < 0;
      this.#lineBytes += lineEnd < 0 ? length : lineEnd;
    }
    for (let i = 0; i < length && this.#agreeing >= 0 && !this.isHead; i++) {
      this.#agreeing = bytes[i] === HEAD_METHOD[this.#agreeing] ? this.#agreeing + 1 : -1;
    }
    this.#isOpen = end < 0;
    this.#tail =
      end < 0 ? (this.#tail + bytes.toString('latin1', Math.max(0, length - 2))).slice(-2) : '';
    return length;
  }

  /** Returns the index after the end of the head; -1 if the head is incomplete. */
  #end(bytes: Buffer): number {
    if (this.#tail !== '') {
      const at = Buffer.from(this.#tail + bytes.toString('latin1', 0, 2)).indexOf(HEAD_END);
      if (at >= 0) {
        return at + HEAD_END.length - this.#tail.length;
      }
    }
    const at = bytes.indexOf(HEAD_END);
    return at < 0 ? -1 : at + HEAD_END.length;
  }
}

/** Removes the empty lines that may precede a request line (RFC 9112 §2.2). */
export function withoutLineBreaks(bytes: Buffer): Buffer {
  let start = 0;
  while (bytes[start] === CR || bytes[start] === LF) {
    start++;
  }
  return start === 0 ? bytes : bytes.subarray(start);
}

/** Bytes of framing that every chunked body may have. */
const FREE_FRAMING_BYTES = 4 * 1024;
/** Beyond these bytes, a body may have one byte of framing for this many bytes of data. */
const DATA_BYTES_PER_FRAMING_BYTE = 16;

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
