import { type BitMemory, type SegmentColumns, shared } from '../segments/columns.ts';
import { BIT_KERNEL_BYTES } from './bit-kernel-bytes.ts';
import { ones, wordsFor } from './bits.ts';
import {
  addPointsPlainly,
  keepScoresPlainly,
  SCORE_WORDS,
  type Scores,
  SETS_ADDED,
  scoresIn,
} from './scores.ts';
import {
  countSignsPlainly,
  SCRATCH_WORDS,
  type SoundScratch,
  type Sounds,
  scratchIn,
  soundsAbovePlainly,
  type TrackWords,
} from './sounds.ts';

/**
 * The operations on whole bitsets on which queries of large catalogs spend most of their time. All bitsets of
 * one call have the same length.
 */
export interface BitKernel {
  clear(bits: Uint32Array): void;
  /** Stores the common members of `a` and `b` in `to`, which may be one of the two, and returns their number. */
  intersect(to: Uint32Array, a: Uint32Array, b: Uint32Array): number;
  /** Stores the common members of three bitsets in `to`, and returns their number. */
  intersectThree(to: Uint32Array, a: Uint32Array, b: Uint32Array, c: Uint32Array): number;
  /** Keeps the members of `to` that are in `a`, `b` or `c`, and returns their number. */
  keepAny(to: Uint32Array, a: Uint32Array, b: Uint32Array, c: Uint32Array): number;
  countCommon(a: Uint32Array, b: Uint32Array): number;
  /** Adds the members of `a` to `to`. */
  unite(to: Uint32Array, a: Uint32Array): void;
  /** Removes the members of `a` from `to`. */
  exclude(to: Uint32Array, a: Uint32Array): void;
  /** Adds the points of each of at most SETS_ADDED sets to the scores of its members. */
  addPoints(scores: Scores, sets: readonly Uint32Array[], points: readonly number[]): void;
  /**
   * Clears the scores of tracks that are not in `bits`, finds the greatest scores, adds the tracks with a score above 1 to
   * `to`, which is empty, and returns their number.
   */
  keepScores(scores: Scores, bits: Uint32Array, to: Uint32Array): number;
  /**
   * Counts tracks by the number of their signs that are not those of the seed of the scratch, and adds the numbers to its
   * counts.
   */
  countSigns(scratch: SoundScratch, sounds: Sounds, tracks: TrackWords): void;
  /**
   * Stores in the scratch the tracks, at most FOUND of them, that have at most `most` other signs than its seed and whose
   * product with it is above `least` times their length. Rounds as 32 bits do. Returns their number.
   */
  soundsAbove(
    scratch: SoundScratch,
    sounds: Sounds,
    tracks: TrackWords,
    limits: { most: number; least: number },
  ): number;
}

/** Works on bitsets in any memory. */
export const plainKernel: BitKernel = {
  clear(bits) {
    bits.fill(0);
  },
  intersect(to, a, b) {
    let count = 0;
    for (let i = 0; i < to.length; i++) {
      const both = a[i]! & b[i]!;
      to[i] = both;
      if (both !== 0) count += ones(both);
    }
    return count;
  },
  intersectThree(to, a, b, c) {
    this.intersect(to, a, b);
    return this.intersect(to, to, c);
  },
  keepAny(to, a, b, c) {
    let count = 0;
    for (let i = 0; i < to.length; i++) {
      const kept = to[i]! & (a[i]! | b[i]! | c[i]!);
      to[i] = kept;
      if (kept !== 0) count += ones(kept);
    }
    return count;
  },
  countCommon(a, b) {
    let count = 0;
    for (let i = 0; i < a.length; i++) {
      const both = a[i]! & b[i]!;
      if (both !== 0) count += ones(both);
    }
    return count;
  },
  unite(to, a) {
    for (let i = 0; i < to.length; i++) to[i]! |= a[i]!;
  },
  exclude(to, a) {
    for (let i = 0; i < to.length; i++) to[i]! &= ~a[i]!;
  },
  addPoints: addPointsPlainly,
  keepScores: keepScoresPlainly,
  countSigns: countSignsPlainly,
  soundsAbove: soundsAbovePlainly,
};

/** The exports of bit-kernel.wat; addresses and lengths are in bytes. */
interface Exports {
  clear(bits: number, length: number): void;
  intersect(to: number, a: number, b: number, length: number): number;
  intersectThree(to: number, a: number, b: number, c: number, length: number): number;
  keepAny(to: number, a: number, b: number, c: number, length: number): number;
  countCommon(a: number, b: number, length: number): number;
  unite(to: number, a: number, length: number): void;
  exclude(to: number, a: number, length: number): void;
  addPoints(...addressesAndPoints: number[]): void;
  keepScores(...addresses: number[]): number;
  countSigns(...addresses: number[]): void;
  soundsAbove(...addressesAndLimits: number[]): number;
}

let compiled: object | undefined;

/**
 * A bit kernel in WebAssembly, for bitsets that all lie in this memory. It is many times as fast as the plain
 * one.
 */
function simdKernel(memory: BitMemory): BitKernel {
  compiled ??= new Module(Buffer.from(BIT_KERNEL_BYTES, 'base64'));
  const { exports } = new Instance(compiled, { bits: { memory } });
  const {
    clear,
    intersect,
    intersectThree,
    keepAny,
    countCommon,
    unite,
    exclude,
    addPoints,
    keepScores,
    countSigns,
    soundsAbove,
  } = exports as unknown as Exports;
  return {
    clear: (bits) => clear(bits.byteOffset, bits.byteLength),
    intersect: (to, a, b) => intersect(to.byteOffset, a.byteOffset, b.byteOffset, to.byteLength),
    intersectThree: (to, a, b, c) =>
      intersectThree(to.byteOffset, a.byteOffset, b.byteOffset, c.byteOffset, to.byteLength),
    keepAny: (to, a, b, c) =>
      keepAny(to.byteOffset, a.byteOffset, b.byteOffset, c.byteOffset, to.byteLength),
    countCommon: (a, b) => countCommon(a.byteOffset, b.byteOffset, a.byteLength),
    unite: (to, a) => unite(to.byteOffset, a.byteOffset, to.byteLength),
    exclude: (to, a) => exclude(to.byteOffset, a.byteOffset, to.byteLength),
    addPoints: ({ scores }, sets, points) => {
      const [first] = sets;
      if (first === undefined) return;
      const all = Array.from({ length: SETS_ADDED }, (_, i) => sets[i] ?? first);
      addPoints(
        ...[scores.byteOffset, ...all.map(({ byteOffset }) => byteOffset)],
        ...all.map((_, i) => points[i] ?? 0),
        first.byteLength,
      );
    },
    keepScores: ({ scores, greatest }, bits, to) =>
      keepScores(
        ...[scores.byteOffset, bits.byteOffset, to.byteOffset],
        ...[greatest.byteOffset, bits.byteLength],
      ),
    countSigns: ({ counts, seedSigns }, { signs }, { bits, from, to }) =>
      countSigns(
        ...[counts.byteOffset, signs.byteOffset, seedSigns.byteOffset],
        ...[bits.byteOffset, from, to],
      ),
    soundsAbove: ({ found, seed }, { sounds, signs }, { bits, from, to }, { most, least }) =>
      soundsAbove(
        ...[found.byteOffset, sounds.byteOffset, signs.byteOffset, seed.byteOffset],
        ...[bits.byteOffset, from, to, most, least],
      ),
  };
}

/** The part of the WebAssembly API that is used here. Its types are only in the DOM library. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { bits: { memory: BitMemory } }) => { exports: object };
  Memory: new (pages: { initial: number; maximum: number; shared: true }) => BitMemory;
}

const { Module, Instance, Memory } = (globalThis as unknown as { WebAssembly: WebAssemblyApi })
  .WebAssembly;

/**
 * The number of sets of several labels that are kept: all that most queries need, which ask for them several times, and
 * some for the next queries. A query has a group of filters of each type, regions, and what it excludes.
 */
export const SETS_KEPT = 8;

/** The number of bitsets of long lists that are kept: those of the commonest tags and words. */
export const LISTS_KEPT = 32;

/**
 * The number of sets that a search of a segment needs besides the segment's bitsets: the live tracks, those
 * of several labels and of long lists, and scratch sets.
 */
const SETS = 32 + SETS_KEPT + LISTS_KEPT;

/** The largest size of one memory. Larger bitsets are not placed in one. */
const MAX_BYTES = 2 ** 32 - 2 ** 16;

const PAGE_BYTES = 65_536;

/** The number of tracks from which a segment's bitsets are placed in a memory for the bit kernel. */
export const KERNEL_FROM = 65_536;

/** The greatest number of pages that a memory may declare: all that 32 bits can address. */
const MAX_PAGES = 65_536;

export function newBitMemory(): BitMemory {
  return new Memory({ initial: 0, maximum: MAX_PAGES, shared: true });
}

/** Allocates bitsets of zeros in a memory, or outside of it if it has no room left. */
export function bitsIn(memory: BitMemory, length: number): Uint32Array {
  const begin = partOf(memory, length * 4);
  return begin === undefined
    ? shared.uint32(length)
    : new Uint32Array(memory.buffer, begin, length);
}

/** Adds the memory to columns whose bitsets were allocated in it, unless it has no room for searches. */
export function overBitMemory(columns: SegmentColumns, memory: BitMemory): SegmentColumns {
  const bytes = bytesOfBitsets(columns);
  const areAllIn = memory.buffer.byteLength >= bytes;
  return areAllIn && hasRoom(columns, memory.buffer.byteLength) ? { ...columns, memory } : columns;
}

/** Moves the bitsets of the columns into a memory for the bit kernel, unless they are too large for one. */
export function withBitMemory(columns: SegmentColumns): SegmentColumns {
  const { tracks, labels, words, artistWords, tagWords, aliasWords, aliasTagWords } = columns;
  const bytes = bytesOfBitsets(columns);
  if (!hasRoom(columns, bytes)) return columns;
  const initial = Math.ceil(bytes / PAGE_BYTES);
  const memory = new Memory({ initial, maximum: MAX_PAGES, shared: true });
  let free = 0;
  const moved = (bits: Uint32Array) => {
    const copy = new Uint32Array(memory.buffer, free, bits.length);
    free += copy.byteLength;
    copy.set(bits);
    return copy;
  };
  return {
    ...columns,
    tracks: { ...tracks, sounds: moved(tracks.sounds), soundSigns: moved(tracks.soundSigns) },
    labels: { ...labels, dense: moved(labels.dense) },
    words: { ...words, pieceBits: moved(words.pieceBits) },
    artistWords: { ...artistWords, pieceBits: moved(artistWords.pieceBits) },
    tagWords: { ...tagWords, pieceBits: moved(tagWords.pieceBits) },
    aliasWords: { ...aliasWords, pieceBits: moved(aliasWords.pieceBits) },
    aliasTagWords: { ...aliasTagWords, pieceBits: moved(aliasTagWords.pieceBits) },
    memory,
  };
}

function bytesOfBitsets(columns: SegmentColumns): number {
  const { tracks, labels, words, artistWords, tagWords, aliasWords, aliasTagWords } = columns;
  const dictionaries = [words, artistWords, tagWords, aliasWords, aliasTagWords];
  const { sounds, soundSigns } = tracks;
  const bitsets = [
    sounds,
    soundSigns,
    labels.dense,
    ...dictionaries.map(({ pieceBits }) => pieceBits),
  ];
  return bitsets.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Whether a memory of the given size may grow by the sets of a search. */
function hasRoom({ meta }: SegmentColumns, bytes: number): boolean {
  return bytes + spaceWords(wordsFor(meta.size)) * 4 <= MAX_BYTES;
}

/** The words of a space for bitsets of this length: a scratch for sounds, which comes first, the sets, and scores. */
function spaceWords(length: number): number {
  return SCRATCH_WORDS + (SETS + SCORE_WORDS) * length;
}

/**
 * Allocates the sets that a search of a segment needs besides its bitsets, and selects the bit kernel for
 * them. Each space owns a part of the segment's memory, because several threads may search one segment.
 */
export class BitSpace {
  readonly kernel: BitKernel;
  /** For one comparison of sounds at a time. */
  readonly scratch: SoundScratch;
  #scores: Scores | undefined;
  readonly #begin: number;
  readonly #length: number;
  readonly #memory: BitMemory | undefined;
  #free: number;
  #taken = 0;

  constructor(size: number, { memory }: Pick<SegmentColumns, 'memory'>) {
    this.#length = wordsFor(size);
    const begin = memory && partOf(memory, spaceWords(this.#length) * 4);
    // A space without a part of the memory uses the plain kernel: the other one needs its bitsets in the
    // memory.
    this.#memory = begin === undefined ? undefined : memory;
    this.#begin = (begin ?? 0) + SCRATCH_WORDS * 4;
    this.#free = this.#begin;
    this.scratch = scratchIn(
      begin === undefined ? new ArrayBuffer(SCRATCH_WORDS * 4) : memory!.buffer,
      begin ?? 0,
    );
    this.kernel = this.#memory === undefined ? plainKernel : simdKernel(this.#memory);
  }

  /** Returns an empty set for the segment's tracks. Throws after SETS sets. */
  take(): Uint32Array {
    if (this.#memory === undefined) {
      return new Uint32Array(this.#length);
    }
    // The bytes that follow may belong to another space.
    if (this.#taken++ === SETS) throw new Error(`A search takes more than ${SETS} sets`);
    const bits = new Uint32Array(this.#memory.buffer, this.#free, this.#length);
    this.#free += bits.byteLength;
    return bits;
  }

  /** For the ranking of one query at a time. */
  get scores(): Scores {
    const length = this.#length;
    this.#scores ??=
      this.#memory === undefined
        ? scoresIn(new ArrayBuffer(SCORE_WORDS * length * 4), 0, length)
        : scoresIn(this.#memory.buffer, this.#begin + SETS * length * 4, length);
    return this.#scores;
  }
}

/** Reserves a part of a memory and returns where it begins, in bytes; undefined if the memory has no room left. */
function partOf(memory: BitMemory, bytes: number): number | undefined {
  try {
    return memory.grow(Math.ceil(bytes / PAGE_BYTES)) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}
