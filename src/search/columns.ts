import type { BitMemory } from './web-assembly.ts';

/** The arrays a segment is made of. All lie in shared memory, so that threads hand them over as they are. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Characters of an ISRC. */
export const ISRC_LENGTH = 12;

/** What a segment knows of each track, by ordinal: its place in catalog order. */
export interface TrackColumns {
  /** The store's numbers. */
  numbers: Uint32Array;
  /** The UUIDs, four words each, the first most significant. */
  ids: Uint32Array;
  /** An open-addressed table from id to ordinal + 1; 0 where free. Its length is a power of two. */
  idTable: Uint32Array;
  /** Milliseconds since the epoch. */
  releasedAt: Float64Array;
  /** Seconds; 0 where unknown. */
  durations: Uint32Array;
  /** Thousandths of a beat a minute; 0 where unknown. */
  bpms: Uint32Array;
  /** Names in NFC and UTF-8, end to end; that of ordinal `i` from `nameStarts[i]` on. */
  names: Uint8Array;
  nameStarts: Uint32Array;
  /** The words of the folded names as positions in the dictionary, in order, repeated ones too. */
  tokens: Uint32Array;
  tokenStarts: Uint32Array;
  /** The numbers of each track's labels, ascending. */
  labels: Uint32Array;
  labelStarts: Uint32Array;
  /** The ISRCs, twelve bytes each, all 0 where unknown. */
  isrcs: Uint8Array;
  /** The tracks that have one, ordered by it. */
  byIsrc: Uint32Array;
}

/** Words, sorted by UTF-16 units, with the tracks they occur in. */
export interface DictionaryColumns {
  units: Uint16Array;
  /** Word `i` is the units from `starts[i]` to before `starts[i + 1]`. */
  starts: Uint32Array;
  postings: Uint32Array;
  postingStarts: Uint32Array;
  /** Runs of one, two and three units, each sorted by key, with the words they occur in. */
  gramKeys1: Uint32Array;
  gramKeys2: Uint32Array;
  gramKeys3: Uint32Array;
  gramStarts1: Uint32Array;
  gramStarts2: Uint32Array;
  gramStarts3: Uint32Array;
  gramWords1: Uint32Array;
  gramWords2: Uint32Array;
  gramWords3: Uint32Array;
  /**
   * The words by what is left of their beginnings with characters deleted (`typo-index.ts`): bucket `i`
   * is those from `typoStarts[i]` to before `typoStarts[i + 1]`. Both empty where no typo is forgiven.
   */
  typoStarts: Uint32Array;
  typoWords: Uint32Array;
  /** The bitsets of the dense pieces (`DictionaryMeta`), one after the other. */
  pieceBits: Uint32Array;
}

/** Pieces of words so common that their tracks are kept as a bitset; the slot is their place here. */
export interface DictionaryMeta {
  densePieces: readonly string[];
  denseBeginnings: readonly string[];
}

/** Which tracks have each label: a bitset where that is smaller, else the ordinals in order. */
export interface LabelListColumns {
  counts: Uint32Array;
  /** The bitset of a dense label is number `denseSlots[i] - 1`; 0: sparse. */
  denseSlots: Uint32Array;
  dense: Uint32Array;
  /** How many of each block of tracks have it, for each dense label. */
  denseBlocks: Uint32Array;
  sparse: Uint32Array;
  sparseStarts: Uint32Array;
}

/** How many tracks have labels together (label-pairs.ts); nothing is counted for few tracks. */
export interface LabelPairColumns {
  /** By kind and label, how many tracks of that kind have it. */
  kindCounts: Uint32Array;
  /** The row of a frequent label in `pairs` is number `pairSlots[i] - 1`; 0: it has none. */
  pairSlots: Uint32Array;
  /** By row, kind and label, how many tracks have both labels. */
  pairs: Uint32Array;
}

export type LabelColumns = LabelListColumns & LabelPairColumns;

/** Ordinals in other orders than that of the catalog; ties in catalog order. */
export interface OrderColumns {
  byName: Uint32Array;
  /** The place of each ordinal in `byName`. */
  nameRanks: Uint32Array;
  byBpm: Uint32Array;
  byDuration: Uint32Array;
}

/** A segment as plain data: what a thread hands over and what a snapshot holds. */
export interface SegmentColumns {
  meta: {
    size: number;
    /** Up to where in the change log everything is in it. */
    seq: number;
    /** What tracks have in common, by number: `filter:<id>`, `type:music`, `vocals:true`, `key:c major`. */
    labels: readonly string[];
    words: DictionaryMeta;
    symbols: DictionaryMeta;
  };
  tracks: TrackColumns;
  labels: LabelColumns;
  words: DictionaryColumns;
  symbols: DictionaryColumns;
  orders: OrderColumns;
  /** Where `labels.dense` and `words.pieceBits` lie, with room for scratch; absent for few tracks. */
  memory?: BitMemory;
}

/** A new column in shared memory, all zeros. */
export const shared = {
  bytes: (length: number) => new Uint8Array(new SharedArrayBuffer(length)),
  uint16: (length: number) => new Uint16Array(new SharedArrayBuffer(length * 2)),
  uint32: (length: number) => new Uint32Array(new SharedArrayBuffer(length * 4)),
  float64: (length: number) => new Float64Array(new SharedArrayBuffer(length * 8)),
};

/** A copy of the numbers in shared memory. */
export function sharedUint32(numbers: ArrayLike<number>): Uint32Array {
  const column = shared.uint32(numbers.length);
  column.set(numbers);
  return column;
}

/** Unsigned integers that are yet to be counted. */
export class GrowingUint32 {
  #numbers = new Uint32Array(1024);
  length = 0;

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.length++] = number;
  }

  at(i: number): number {
    return this.#numbers[i]!;
  }

  /** Good until the next `push`. */
  get view(): Uint32Array {
    return this.#numbers.subarray(0, this.length);
  }
}

/** Floating-point numbers that are yet to be counted. */
export class GrowingFloat64 {
  #numbers = new Float64Array(1024);
  length = 0;

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Float64Array(this.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.length++] = number;
  }

  /** Good until the next `push`. */
  get view(): Float64Array {
    return this.#numbers.subarray(0, this.length);
  }
}

/** Texts in UTF-8, end to end. */
export class GrowingText {
  #bytes = Buffer.allocUnsafeSlow(16_384);
  length = 0;

  push(text: string): void {
    // A UTF-16 unit takes three bytes at the most.
    if (this.length + text.length * 3 > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow((this.length + text.length * 3) * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.length += this.#bytes.write(text, this.length);
  }

  /** Good until the next `push`. */
  get view(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}
