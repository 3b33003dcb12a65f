/** Bits that are written from the highest to the lowest one of each byte. */
export class BitWriter {
  bytes = new Uint8Array(64 * 1024);
  /** The number of whole bytes. */
  length = 0;
  /** The lowest bits of this number are not written yet: fewer than 8. */
  #left = 0;
  #count = 0;

  /** Writes the lowest bits of an integer, at most 32. */
  write(value: number, bits: number): void {
    if (bits > 16) {
      this.write(value >>> 16, bits - 16);
      this.write(value, 16);
      return;
    }
    this.#left = (this.#left << bits) | (value & ((1 << bits) - 1));
    this.#count += bits;
    if (this.length + 2 > this.bytes.length) this.#grow();
    while (this.#count >= 8) {
      this.#count -= 8;
      this.bytes[this.length++] = this.#left >>> this.#count;
    }
    this.#left &= (1 << this.#count) - 1;
  }

  /** Fills the last byte up with zeros. */
  align(): void {
    if (this.#count > 0) this.write(0, 8 - this.#count);
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.bytes.length);
    larger.set(this.bytes);
    this.bytes = larger;
  }
}
