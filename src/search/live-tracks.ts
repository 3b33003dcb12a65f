import { wordsFor } from './bits.ts';
import { CountedBits, countBlocks, countedBlocks } from './counted-bits.ts';
import { KindLabels, LabelPairs } from './label-pairs.ts';
import type { Matches } from './matches.ts';
import type { Segment } from './segment.ts';
import { SortedMatches } from './sorted-matches.ts';

/**
 * Which tracks of a segment are still live, in all and under each label. The one part of a segment
 * that changes: tracks leave it, and none comes back.
 */
export class LiveTracks {
  readonly bits: Uint32Array;
  readonly all: CountedBits;
  /** How many live tracks have each label. */
  readonly counts: Uint32Array;
  /** How many live tracks have labels together. */
  readonly pairs: LabelPairs;
  readonly #segment: Segment;
  /** By label; undefined where that is sparse. */
  readonly #dense: (CountedBits | undefined)[];

  /** @param bits an empty set that it makes its own. */
  constructor(segment: Segment, bits: Uint32Array) {
    const { size, labels } = segment;
    const bitsLength = wordsFor(size);
    const blocks = countedBlocks(size);
    this.#segment = segment;
    this.bits = bits;
    fill(bits, size);
    const blockCounts = new Uint32Array(blocks);
    countBlocks(this.bits, blockCounts);
    this.all = new CountedBits(this.bits, this.bits, blockCounts, size);
    this.counts = labels.counts.slice();
    this.pairs = new LabelPairs(
      {
        kindCounts: labels.kindCounts.slice(),
        pairSlots: labels.pairSlots,
        pairs: labels.pairs.slice(),
      },
      new KindLabels((label) => segment.labelNumber(label)),
      segment.tracks,
    );
    this.#dense = Array.from(labels.denseSlots, (slot) =>
      slot === 0
        ? undefined
        : new CountedBits(
            labels.dense.subarray((slot - 1) * bitsLength, slot * bitsLength),
            this.bits,
            labels.denseBlocks.slice((slot - 1) * blocks, slot * blocks),
            size,
          ),
    );
  }

  get count(): number {
    return this.all.count;
  }

  /** Whether none has left yet. */
  get isWhole(): boolean {
    return this.count === this.#segment.size;
  }

  has(ordinal: number): boolean {
    return (this.bits[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0;
  }

  /** Takes a live track out, for all queries to come. */
  remove(ordinal: number): void {
    const { labels, labelStarts } = this.#segment.tracks;
    this.bits[ordinal >>> 5]! &= ~(1 << (ordinal & 31));
    this.all.lost(ordinal);
    this.pairs.count(ordinal, -1);
    for (let i = labelStarts[ordinal]!; i < labelStarts[ordinal + 1]!; i++) {
      const label = labels[i]!;
      this.counts[label]!--;
      this.#dense[label]?.lost(ordinal);
    }
  }

  /** The live tracks that have a label. */
  withLabel(label: number): Matches {
    return (
      this.#dense[label] ?? new SortedMatches(this.sparse(label)!, this.bits, this.counts[label]!)
    );
  }

  /** All tracks of a label, live or not, where they are few; undefined where they are many. */
  sparse(label: number): Uint32Array | undefined {
    const { denseSlots, sparse, sparseStarts } = this.#segment.labels;
    return denseSlots[label] === 0
      ? sparse.subarray(sparseStarts[label], sparseStarts[label + 1])
      : undefined;
  }

  /** The bitset of all tracks of a label, live or not, where they are many; undefined where they are few. */
  dense(label: number): Uint32Array | undefined {
    const { denseSlots, dense } = this.#segment.labels;
    const slot = denseSlots[label]!;
    const length = this.bits.length;
    return slot === 0 ? undefined : dense.subarray((slot - 1) * length, slot * length);
  }
}

/** Makes a set all ordinals below `size`. */
function fill(bits: Uint32Array, size: number): void {
  bits.fill(0xffff_ffff, 0, size >>> 5);
  if ((size & 31) !== 0) {
    bits[size >>> 5] = (1 << (size & 31)) - 1;
  }
}
