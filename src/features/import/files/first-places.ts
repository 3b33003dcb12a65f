import { randomBytes } from 'node:crypto';

const FIRST_SLOTS = 1 << 10;
/** 22 MB. At three quarters of it, no further places are stored. */
const MAX_SLOTS = 1 << 20;

/**
 * The place of the first record of each track of an import, so that the rejection of a second
 * record can name it. Takes 21 bytes per track, for the first 786,432 tracks; the places of later
 * tracks are unknown.
 */
export class FirstPlaces {
  // Random, so that no file can choose ids that collide.
  readonly #seed = randomBytes(4).readUInt32LE() | 1;
  #slots = 0;
  #count = 0;
  // Four words per slot: two of the id, the line from 1 (0: the slot is free), the number of the
  // file.
  #words = new Uint32Array(0);
  readonly #files: string[] = [];

  add(id: string, file: string, line: number): void {
    if (this.#files.at(-1) !== file) {
      this.#files.push(file);
    }
    if (this.#count * 4 >= this.#slots * 3) {
      if (this.#slots >= MAX_SLOTS) {
        return;
      }
      this.#grow();
    }
    const [high, low] = wordsOf(id);
    const at = this.#slotOf(high, low);
    if (this.#words[at + 2] === 0) {
      this.#words.set([high, low, line, this.#files.length - 1], at);
      this.#count++;
    }
  }

  /** Returns `line 17`, with the file if it is not `from`; undefined if the place is unknown. */
  find(id: string, from: string): string | undefined {
    if (this.#slots === 0) {
      return undefined;
    }
    const at = this.#slotOf(...wordsOf(id));
    const line = this.#words[at + 2]!;
    const file = this.#files[this.#words[at + 3]!]!;
    return line === 0 ? undefined : `${file === from ? '' : `${file}, `}line ${line}`;
  }

  /** Returns the slot that holds these words, or the free slot for them. */
  #slotOf(high: number, low: number): number {
    const mask = this.#slots - 1;
    let slot = Math.imul(Math.imul(high ^ this.#seed, 0x9e3779b1) ^ low, this.#seed) >>> 7;
    for (;;) {
      const at = (slot & mask) * 4;
      const isTheirs = this.#words[at] === high && this.#words[at + 1] === low;
      if (isTheirs || this.#words[at + 2] === 0) {
        return at;
      }
      slot++;
    }
  }

  #grow(): void {
    const old = this.#words;
    this.#slots = Math.max(FIRST_SLOTS, this.#slots * 2);
    this.#words = new Uint32Array(this.#slots * 4);
    for (let from = 0; from < old.length; from += 4) {
      if (old[from + 2] !== 0) {
        this.#words.set(old.subarray(from, from + 4), this.#slotOf(old[from]!, old[from + 1]!));
      }
    }
  }
}

/** Returns 64 bits of a UUID. Any bits of a derived id are equally random. */
function wordsOf(id: string): [high: number, low: number] {
  return [Number.parseInt(id.slice(0, 8), 16), Number.parseInt(id.slice(28), 16)];
}
