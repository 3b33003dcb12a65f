import type { IndexEntry } from '../catalog/catalog-index.ts';
import { KERNEL_FROM, withBitMemory } from './bit-memory.ts';
import {
  GrowingFloat64,
  GrowingText,
  GrowingUint32,
  ISRC_LENGTH,
  type SegmentColumns,
  shared,
  sharedUint32,
  type TrackColumns,
} from './columns.ts';
import { buildDictionary, WordNumbers } from './dictionary-builder.ts';
import { buildLabelLists } from './label-lists.ts';
import { countPairs, noPairs } from './label-pairs.ts';
import { filterLabel, keyLabel, typeLabel, vocalsLabel } from './labels.ts';
import { NameBuilder } from './name-builder.ts';
import { buildOrders } from './orders.ts';
import { reordered } from './reordered.ts';
import { sortedInSteps } from './steps.ts';
import { symbolRuns } from './text-query.ts';
import { compareIds, enterId, idTableLength, writeId } from './track-id.ts';
import { ValueBuilder } from './value-builder.ts';

const TRACKS_A_STEP = 4_096;

/** Options of a segment. Tests set them. */
export interface SegmentOptions {
  /** The number of tracks from which dense pieces get bitsets, and bitsets a memory for the bit kernel. */
  kernelFrom?: number;
}

/** Collects tracks in any order, and builds a segment of them. `finish` may be called once. */
export class SegmentBuilder {
  readonly #rowIds = new GrowingUint32();
  readonly #ids = new GrowingUint32();
  readonly #releasedAt = new GrowingFloat64();
  readonly #durations = new GrowingUint32();
  readonly #bpms = new GrowingUint32();
  readonly #names = new GrowingText();
  readonly #nameEnds = new GrowingUint32();
  readonly #words = new NameBuilder();
  readonly #artists = new ValueBuilder();
  readonly #tags = new ValueBuilder();
  readonly #symbols = new GrowingUint32();
  readonly #symbolEnds = new GrowingUint32();
  readonly #labels = new GrowingUint32();
  readonly #labelEnds = new GrowingUint32();
  readonly #isrcs = new GrowingText();
  readonly #symbolRuns = new WordNumbers();
  readonly #labelNumbers = new WordNumbers();
  readonly #filterLabels = new Map<string, number>();
  readonly #id = new Uint32Array(4);

  readonly #kernelFrom: number;

  constructor({ kernelFrom = KERNEL_FROM }: SegmentOptions = {}) {
    this.#kernelFrom = kernelFrom;
  }

  get size(): number {
    return this.#rowIds.length;
  }

  /** Adds a track. It replaces a track with the same id that was added before. */
  add(entry: IndexEntry): void {
    this.#rowIds.push(entry.rowId);
    writeId(this.#id, 0, entry.id);
    for (const word of this.#id) this.#ids.push(word);
    this.#releasedAt.push(entry.releasedAt);
    this.#durations.push(entry.durationSeconds);
    this.#bpms.push(Math.round(entry.bpm * 1000));
    const name = entry.name.normalize('NFC');
    this.#names.push(name);
    this.#nameEnds.push(this.#names.length);
    this.#words.add(name);
    this.#artists.add(entry.artists);
    this.#tags.add(entry.tags);
    for (const run of symbolRuns(name)) {
      this.#symbols.push(this.#symbolRuns.of(run));
    }
    this.#symbolEnds.push(this.#symbols.length);
    for (const label of this.#labelsOf(entry)) this.#labels.push(label);
    this.#labelEnds.push(this.#labels.length);
    this.#isrcs.push(entry.isrc.padEnd(ISRC_LENGTH, '\0'));
  }

  /** Builds the segment, in steps of a few milliseconds between which the caller may pause. */
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: builds all columns, each in a few lines, and most need an earlier one
  *finish(seq: number): Generator<void, SegmentColumns> {
    const { idTable, repeated } = yield* this.#enterIds();
    const order = yield* this.#catalogOrder(repeated);
    const size = order.length;
    const isLarge = size >= this.#kernelFrom;
    yield* renumber(idTable, order, this.size);
    const givenIds = this.#ids.view;
    const givenReleases = this.#releasedAt.view;
    const rowIds = shared.uint32(size);
    const ids = shared.uint32(size * 4);
    const releasedAt = shared.float64(size);
    const durations = shared.uint32(size);
    const bpms = shared.uint32(size);
    for (let ordinal = 0; ordinal < size; ordinal++) {
      const from = order[ordinal]!;
      rowIds[ordinal] = this.#rowIds.at(from);
      for (let word = 0; word < 4; word++) {
        ids[ordinal * 4 + word] = givenIds[from * 4 + word]!;
      }
      releasedAt[ordinal] = givenReleases[from]!;
      durations[ordinal] = this.#durations.at(from);
      bpms[ordinal] = this.#bpms.at(from);
      if (ordinal % TRACKS_A_STEP === TRACKS_A_STEP - 1) yield;
    }
    const isrcs = shared.bytes(size * ISRC_LENGTH);
    for (let ordinal = 0; ordinal < size; ordinal++) {
      const from = order[ordinal]! * ISRC_LENGTH;
      isrcs.set(this.#isrcs.view.subarray(from, from + ISRC_LENGTH), ordinal * ISRC_LENGTH);
      if (ordinal % TRACKS_A_STEP === TRACKS_A_STEP - 1) yield;
    }
    const nameBytes = shared.bytes(this.#names.length);
    const nameStarts = yield* reordered(order, this.#names.view, this.#nameEnds.view, nameBytes);
    const { names, dictionary: words } = yield* this.#words.finish(order, isLarge);
    const artists = yield* this.#artists.finish(order, isLarge);
    const tags = yield* this.#tags.finish(order, isLarge);
    const symbols = new Uint32Array(this.#symbols.length);
    const symbolStarts = yield* reordered(
      order,
      this.#symbols.view,
      this.#symbolEnds.view,
      symbols,
    );
    const labels = shared.uint32(this.#labels.length);
    const labelStarts = yield* reordered(order, this.#labels.view, this.#labelEnds.view, labels);
    const symbolWords = yield* buildDictionary({
      numbers: this.#symbolRuns,
      size,
      tokens: symbols,
      tokenStarts: symbolStarts,
      withDensePieces: false,
      withTypos: false,
    });
    const labelNames = this.#labelNumbers.words();
    const tracks: TrackColumns = {
      rowIds,
      ids,
      idTable,
      releasedAt,
      durations,
      bpms,
      names: nameBytes,
      nameStarts,
      ...names,
      labels,
      labelStarts,
      isrcs,
      byIsrc: yield* orderByIsrc(isrcs, size),
    };
    const labelLists = yield* buildLabelLists(
      { labels, labelStarts },
      labelNames.length,
      isLarge ? size >>> 8 : size >>> 5,
    );
    const pairs = isLarge
      ? yield* countPairs({ labels, labelStarts }, labelNames, labelLists)
      : noPairs(labelNames.length);
    const columns = {
      meta: {
        size,
        seq,
        labels: labelNames,
        words: words.meta,
        symbols: symbolWords.meta,
        artistWords: artists.meta,
        tagWords: tags.meta,
      },
      tracks,
      labels: { ...labelLists, ...pairs },
      words: words.columns,
      artists: artists.values,
      artistWords: artists.words,
      tags: tags.values,
      tagWords: tags.words,
      symbols: symbolWords.columns,
      orders: yield* buildOrders({ size, ...names, bpms, durations }),
    };
    return isLarge ? withBitMemory(columns) : columns;
  }

  #labelsOf({ type, hasVocals, filterIds, songKeys }: IndexEntry): Iterable<number> {
    const labels = [
      this.#labelNumbers.of(typeLabel(type)),
      this.#labelNumbers.of(vocalsLabel(hasVocals)),
      ...filterIds.map((id) => this.#filterLabel(id)),
      ...songKeys.map((key) => this.#labelNumbers.of(keyLabel(key))),
    ];
    return new Set(labels);
  }

  /** The label of a filter, from a cache: its text would otherwise be made again for each track. */
  #filterLabel(filterId: string): number {
    let label = this.#filterLabels.get(filterId);
    if (label === undefined) {
      label = this.#labelNumbers.of(filterLabel(filterId));
      this.#filterLabels.set(filterId, label);
    }
    return label;
  }

  /**
   * Makes the hash table of ids, which maps them to the positions at which tracks were added, and finds the
   * positions of tracks that were replaced.
   */
  *#enterIds(): Generator<void, { idTable: Uint32Array; repeated: ReadonlySet<number> }> {
    const ids = this.#ids.view;
    const idTable = shared.uint32(idTableLength(this.size));
    const repeated = new Set<number>();
    for (let i = 0; i < this.size; i++) {
      const earlier = enterId(idTable, ids, i);
      if (earlier !== undefined) repeated.add(earlier);
      if (i % TRACKS_A_STEP === TRACKS_A_STEP - 1) yield;
    }
    return { idTable, repeated };
  }

  /** The positions of the tracks, except for some, in catalog order: newest release first, then by id. */
  *#catalogOrder(without: ReadonlySet<number>): Generator<void, Uint32Array> {
    const releasedAt = this.#releasedAt.view;
    const ids = this.#ids.view;
    const all = Uint32Array.from({ length: this.size }, (_, i) => i);
    const order = without.size === 0 ? all : all.filter((i) => !without.has(i));
    const compare = (a: number, b: number) =>
      releasedAt[b]! - releasedAt[a]! || compareIds(ids, a, ids, b);
    if (order.some((at, i) => i > 0 && compare(order[i - 1]!, at) > 0)) {
      yield* sortedInSteps(order, compare);
    }
    return order;
  }
}

/** Replaces the positions in the hash table of ids by ordinals. */
function* renumber(idTable: Uint32Array, order: Uint32Array, came: number): Generator<void> {
  const ordinals = new Uint32Array(came);
  for (let ordinal = 0; ordinal < order.length; ordinal++) {
    ordinals[order[ordinal]!] = ordinal;
  }
  yield;
  for (let i = 0; i < idTable.length; i++) {
    if (idTable[i] !== 0) idTable[i] = ordinals[idTable[i]! - 1]! + 1;
  }
  yield;
}

/** The ordinals of the tracks that have an ISRC, sorted by it. */
function* orderByIsrc(isrcs: Uint8Array, size: number): Generator<void, Uint32Array> {
  const known: number[] = [];
  for (let ordinal = 0; ordinal < size; ordinal++) {
    if (isrcs[ordinal * ISRC_LENGTH] !== 0) known.push(ordinal);
  }
  const order = sharedUint32(known);
  yield* sortedInSteps(order, (a, b) => compareIsrcs(isrcs, a, b) || a - b);
  return order;
}

function compareIsrcs(isrcs: Uint8Array, a: number, b: number): number {
  for (let i = 0; i < ISRC_LENGTH; i++) {
    const difference = isrcs[a * ISRC_LENGTH + i]! - isrcs[b * ISRC_LENGTH + i]!;
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/** Builds a segment of the tracks, in steps of a few milliseconds. */
export function* buildSegment(
  entries: Iterable<IndexEntry>,
  seq: number,
  options?: SegmentOptions,
): Generator<void, SegmentColumns> {
  const builder = new SegmentBuilder(options);
  for (const entry of entries) {
    builder.add(entry);
    if (builder.size % 512 === 0) yield;
  }
  return yield* builder.finish(seq);
}
