/** A growing array of unsigned integers, for columns whose length is not known in advance. */
export class GrowingUint32 {
  #numbers = new Uint32Array(1024);
  length = 0;

  push(number: number): void {
    if (this.length === this.#numbers.length) this.#grow();
    this.#numbers[this.length++] = number;
  }

  /** Appends up to 1,024 zeros. Returns the array, which is valid until the next call. */
  extendedBy(count: number): Uint32Array {
    if (this.length + count > this.#numbers.length) this.#grow();
    this.length += count;
    return this.#numbers;
  }

  at(i: number): number {
    return this.#numbers[i]!;
  }

  /** Valid until the next `push`. */
  get view(): Uint32Array {
    return this.#numbers.subarray(0, this.length);
  }

  #grow(): void {
    const larger = new Uint32Array(this.#numbers.length * 2);
    larger.set(this.#numbers);
    this.#numbers = larger;
  }
}

/** A growing array of texts in UTF-8, end to end. */
export class GrowingText {
  #bytes = Buffer.allocUnsafeSlow(16_384);
  length = 0;

  push(text: string): void {
    // A UTF-16 unit takes at most three bytes.
    if (this.length + text.length * 3 > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow((this.length + text.length * 3) * 2);
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    // Most texts are short and in ASCII, for which a loop is faster than a call of the encoder.
    const bytes = this.#bytes;
    let i = 0;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) break;
      bytes[this.length + i] = code;
    }
    this.length += i < text.length ? bytes.write(text, this.length) : i;
  }

  /** Valid until the next `push`. */
  get view(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, 0, this.length);
  }
}

export class GrowingBytes {
  /** The bytes, and room for more. Valid until the next `push`. */
  buffer = Buffer.alloc(16_384);
  length = 0;

  push(byte: number): void {
    if (this.length === this.buffer.length) {
      const larger = Buffer.alloc(this.length * 2);
      larger.set(this.buffer);
      this.buffer = larger;
    }
    this.buffer[this.length++] = byte;
  }
}
