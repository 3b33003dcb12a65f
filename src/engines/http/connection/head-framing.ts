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
