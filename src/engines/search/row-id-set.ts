/**
 * A set of row ids. A Set of a million numbers takes forty times the memory, and stops the thread for tens of
 * milliseconds whenever it grows.
 */
export class RowIdSet {
  #bits = new Uint32Array(1_024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(rowId: number): boolean {
    // Beyond the end, there is no word, and so no bit.
    return ((this.#bits[rowId >>> 5] as number) & (1 << (rowId & 31))) !== 0;
  }

  add(rowId: number): void {
    if (this.has(rowId)) return;
    const word = rowId >>> 5;
    if (word >= this.#bits.length) {
      const larger = new Uint32Array(Math.max(word + 1, this.#bits.length * 2));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[word]! |= 1 << (rowId & 31);
    this.#size++;
  }

  *rowIds(): Generator<number> {
    for (const [place, word] of this.#bits.entries()) {
      for (let bit = 0; word !== 0 && bit < 32; bit++) {
        if ((word & (1 << bit)) !== 0) yield place * 32 + bit;
      }
    }
  }
}
