import { type BitKernel, plainKernel, simdKernel } from './bit-kernel.ts';
import { wordsFor } from './bits.ts';
import { type SegmentColumns, shared } from './columns.ts';
import { type BitMemory, Memory } from './web-assembly.ts';

/** Sets that searching a segment takes besides its bitsets: the live tracks, and scratch. */
const SETS = 24;

/** What one memory can hold; beyond it bitsets do without. */
const MAX_BYTES = 2 ** 32 - 2 ** 16;

const PAGE_BYTES = 65_536;

/** From how many tracks on a segment's bitsets lie in a memory of their own. */
export const KERNEL_FROM = 65_536;

/** The largest that a memory can be told to grow to: all that 32 bits address. */
const MAX_PAGES = 65_536;

/** The bitsets of a segment, and the memory they lie in where they lie in one. */
export interface BitColumns {
  dense: Uint32Array;
  pieceBits: Uint32Array;
  memory?: BitMemory;
}

/** Room for a segment's bitsets, of so many words; in a memory that the kernel can work on, unless they are too large. */
export function bitColumns(size: number, dense: number, pieceBits: number): BitColumns {
  const bytes = (dense + pieceBits) * 4;
  if (bytes + SETS * wordsFor(size) * 4 > MAX_BYTES) {
    return { dense: shared.uint32(dense), pieceBits: shared.uint32(pieceBits) };
  }
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const memory = new Memory({ initial: pages, maximum: MAX_PAGES, shared: true });
  return {
    dense: new Uint32Array(memory.buffer, 0, dense),
    pieceBits: new Uint32Array(memory.buffer, dense * 4, pieceBits),
    memory,
  };
}

/** The columns with their bitsets in a memory of their own. */
export function withBitMemory(columns: SegmentColumns): SegmentColumns {
  const { labels, words } = columns;
  const { dense, pieceBits, memory } = bitColumns(
    columns.meta.size,
    labels.dense.length,
    words.pieceBits.length,
  );
  dense.set(labels.dense);
  pieceBits.set(words.pieceBits);
  return {
    ...columns,
    labels: { ...labels, dense },
    words: { ...words, pieceBits },
    ...(memory && { memory }),
  };
}

/**
 * Gives out the sets that searching a segment takes, beside its bitsets, and what works on them all.
 * Each space has a part of the memory to itself, for several threads may search one segment.
 */
export class BitSpace {
  readonly kernel: BitKernel;
  readonly #length: number;
  readonly #memory: BitMemory | undefined;
  #free: number;

  constructor(size: number, { memory }: Pick<BitColumns, 'memory'>) {
    this.#length = wordsFor(size);
    const begin = memory && partOf(memory, SETS * this.#length * 4);
    // Where it has no part, it does without the kernel, which can work on nothing else.
    this.#memory = begin === undefined ? undefined : memory;
    this.#free = begin ?? 0;
    this.kernel = this.#memory === undefined ? plainKernel : simdKernel(this.#memory);
  }

  /** An empty set for the segment's tracks. No more than a search takes at once. */
  take(): Uint32Array {
    if (this.#memory === undefined) {
      return new Uint32Array(this.#length);
    }
    const bits = new Uint32Array(this.#memory.buffer, this.#free, this.#length);
    this.#free += bits.byteLength;
    return bits;
  }
}

/** A part of a memory that no other has been given; where it begins, in bytes. Undefined where none is left. */
function partOf(memory: BitMemory, bytes: number): number | undefined {
  try {
    return memory.grow(Math.ceil(bytes / PAGE_BYTES)) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}
