import type { Segment } from '../segments/segment.ts';
import { WordCounts } from '../text/word-counts.ts';
import type { BitSpace } from './bit-kernel.ts';
import { hasBit, wordsFor } from './bits.ts';
import { KindLabels, LabelCounts } from './label-counts.ts';
import { type FoundTracks, LabelUnions } from './label-unions.ts';
import { regionLabel } from './labels.ts';
import { ListBitsets } from './list-bitsets.ts';
import { CountedBits, countBlocks, countedBlocks, type Matches, SortedMatches } from './matches.ts';

/**
 * The tracks of a segment without tombstones, in all and by label. This is the only part of a segment that
 * changes: tracks are removed, and never come back.
 */
export class LiveTracks {
  readonly bits: Uint32Array;
  readonly all: CountedBits;
  readonly counts: Uint32Array;
  /** The numbers of live tracks that have some labels. */
  readonly together: LabelCounts;
  /** The numbers of live tracks whose names have a word. */
  readonly words: WordCounts;
  readonly kindLabels: KindLabels;
  /** The tracks of several labels, live or not. */
  readonly unions: LabelUnions;
  /** The tracks of long lists, live or not. */
  readonly lists: ListBitsets;
  /** The tracks of several regions, live or not. */
  readonly regions: RegionTracks;
  readonly #segment: Segment;
  /** By label; undefined if the label is sparse. */
  readonly #dense: (CountedBits | undefined)[];

  /** @param space takes some sets, which belong to this object */
  constructor(segment: Segment, space: Pick<BitSpace, 'take' | 'kernel'>) {
    const { size, labels } = segment;
    const bitsLength = wordsFor(size);
    const blocks = countedBlocks(size);
    this.#segment = segment;
    this.bits = space.take();
    this.unions = new LabelUnions(this, space);
    this.lists = new ListBitsets(size, space);
    this.regions = new RegionTracks(segment, this.unions);
    fill(this.bits, size);
    const blockCounts = new Uint32Array(blocks);
    countBlocks(this.bits, blockCounts);
    this.all = new CountedBits(this.bits, this.bits, blockCounts, size);
    this.counts = labels.counts.slice();
    const kindLabels = new KindLabels((label) => segment.labelNumber(label));
    this.kindLabels = kindLabels;
    const { pairSlots, triplePlaces } = labels;
    this.together = new LabelCounts(
      {
        kindCounts: labels.kindCounts.slice(),
        pairSlots,
        pairs: labels.pairs.slice(),
        triplePlaces,
        triples: labels.triples.slice(),
      },
      kindLabels,
      segment.tracks,
    );
    const { wordKinds, pieceKinds, ...similar } = segment.columns.wordCounts;
    this.words = new WordCounts(
      { wordKinds: wordKinds.slice(), pieceKinds: pieceKinds.slice(), ...similar },
      kindLabels,
      segment.tracks,
      { names: segment.tracks, pieces: segment.nameWords.bitsets },
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

  get isWhole(): boolean {
    return this.count === this.#segment.size;
  }

  has(ordinal: number): boolean {
    return hasBit(this.bits, ordinal);
  }

  /** Removes a live track, for all later queries. */
  remove(ordinal: number): void {
    const { labels, labelStarts } = this.#segment.tracks;
    this.bits[ordinal >>> 5]! &= ~(1 << (ordinal & 31));
    this.all.memberRemoved(ordinal);
    this.together.count(ordinal, -1);
    this.words.remove(ordinal);
    for (let i = labelStarts[ordinal]!; i < labelStarts[ordinal + 1]!; i++) {
      const label = labels[i]!;
      this.counts[label]!--;
      this.#dense[label]?.memberRemoved(ordinal);
    }
  }

  withLabel(label: number): Matches {
    return (
      this.#dense[label] ?? new SortedMatches(this.sparse(label)!, this.bits, this.counts[label]!)
    );
  }

  /** All tracks of a sparse label, live or not; undefined if the label is dense. */
  sparse(label: number): Uint32Array | undefined {
    const { denseSlots, sparse, sparseStarts } = this.#segment.labels;
    return denseSlots[label] === 0
      ? sparse.subarray(sparseStarts[label], sparseStarts[label + 1])
      : undefined;
  }

  /** The bitset of all tracks of a dense label, live or not; undefined if the label is sparse. */
  dense(label: number): Uint32Array | undefined {
    const { denseSlots, dense } = this.#segment.labels;
    const slot = denseSlots[label]!;
    const length = this.bits.length;
    return slot === 0 ? undefined : dense.subarray((slot - 1) * length, slot * length);
  }
}

function fill(bits: Uint32Array, size: number): void {
  bits.fill(0xffff_ffff, 0, size >>> 5);
  if ((size & 31) !== 0) {
    bits[size >>> 5] = (1 << (size & 31)) - 1;
  }
}

/** Whether a list of codes of two letters, with spaces between them, has a code; `WORLD` is in none. */
function hasCode(list: string, code: string): boolean {
  return code.length === 2 && list.includes(code);
}

/**
 * The tracks of a segment, live or not, whose region is one of several. Each track has one region, so their numbers
 * add up.
 */
export class RegionTracks {
  readonly #segment: Segment;
  readonly #unions: LabelUnions;

  constructor(segment: Segment, unions: LabelUnions) {
    this.#segment = segment;
    this.#unions = unions;
  }

  /**
   * Returns how the tracks of the regions are found that are available in all of the territories; undefined if there are
   * none.
   */
  of(regions: readonly string[], territories: readonly string[]): FoundTracks | undefined {
    const { labels, size, restrictedRegions } = this.#segment;
    const unrestricted = regions
      .map((region) => this.#segment.labelNumber(regionLabel(region)))
      .filter((label) => label !== undefined);
    const restricted = restrictedRegions.filter(
      ({ region, availableIn }) =>
        regions.includes(region) && territories.every((code) => hasCode(availableIn, code)),
    );
    const found = [...unrestricted, ...restricted.map(({ label }) => label)];
    const count = found.reduce((sum, label) => sum + labels.counts[label]!, 0);
    return count === size && count > 0 ? {} : this.#unions.of(found);
  }
}
