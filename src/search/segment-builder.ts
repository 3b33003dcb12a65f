import type { IndexEntry } from '../catalog/catalog-index.ts';
import { fold } from '../catalog/fold.ts';
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
import { buildOrders } from './orders.ts';
import { sortedInSteps } from './steps.ts';
import { symbolRuns } from './text-query.ts';
import { compareIds, enterId, idTableLength, writeId } from './track-id.ts';

const TRACKS_A_STEP = 4_096;

/** What a segment may be made with; of use to tests. */
export interface SegmentOptions {
  /** How many tracks it takes for bitsets to be made freely, and in a memory for the kernel. */
  kernelFrom?: number;
}

/**
 * Gathers tracks, in any order, and makes a segment of them. Pure; costs about 6 µs a track. A builder is
 * used up by `finish`.
 */
export class SegmentBuilder {
  readonly #numbers = new GrowingUint32();
  readonly #ids = new GrowingUint32();
  readonly #releasedAt = new GrowingFloat64();
  readonly #durations = new GrowingUint32();
  readonly #bpms = new GrowingUint32();
  readonly #names = new GrowingText();
  readonly #nameEnds = new GrowingUint32();
  readonly #tokens = new GrowingUint32();
  readonly #tokenEnds = new GrowingUint32();
  readonly #symbols = new GrowingUint32();
  readonly #symbolEnds = new GrowingUint32();
  readonly #labels = new GrowingUint32();
  readonly #labelEnds = new GrowingUint32();
  readonly #isrcs = new GrowingText();
  readonly #words = new WordNumbers();
  readonly #symbolRuns = new WordNumbers();
  readonly #labelNumbers = new WordNumbers();
  readonly #filterLabels = new Map<string, number>();
  readonly #id = new Uint32Array(4);

  readonly #kernelFrom: number;

  constructor({ kernelFrom = KERNEL_FROM }: SegmentOptions = {}) {
    this.#kernelFrom = kernelFrom;
  }

  get size(): number {
    return this.#numbers.length;
  }

  /** Takes a track in, in place of one of the same id that came before. */
  add(entry: IndexEntry): void {
    this.#numbers.push(entry.no);
    writeId(this.#id, 0, entry.id);
    for (const word of this.#id) this.#ids.push(word);
    this.#releasedAt.push(entry.releasedAt);
    this.#durations.push(entry.durationSeconds);
    this.#bpms.push(Math.round(entry.bpm * 1000));
    const name = entry.name.normalize('NFC');
    this.#names.push(name);
    this.#nameEnds.push(this.#names.length);
    for (const word of fold(name).split(' ')) {
      if (word !== '') this.#tokens.push(this.#words.of(word));
    }
    this.#tokenEnds.push(this.#tokens.length);
    for (const run of symbolRuns(name)) {
      this.#symbols.push(this.#symbolRuns.of(run));
    }
    this.#symbolEnds.push(this.#symbols.length);
    for (const label of this.#labelsOf(entry)) this.#labels.push(label);
    this.#labelEnds.push(this.#labels.length);
    this.#isrcs.push(entry.isrc.padEnd(ISRC_LENGTH, '\0'));
  }

  /** The segment, in steps of some milliseconds, for the caller to pause between. */
  *finish(seq: number): Generator<void, SegmentColumns> {
    const { idTable, repeated } = yield* this.#enterIds();
    const order = yield* this.#catalogOrder(repeated);
    const size = order.length;
    const isLarge = size >= this.#kernelFrom;
    yield* renumber(idTable, order, this.size);
    const givenIds = this.#ids.view;
    const givenReleases = this.#releasedAt.view;
    const numbers = shared.uint32(size);
    const ids = shared.uint32(size * 4);
    const releasedAt = shared.float64(size);
    const durations = shared.uint32(size);
    const bpms = shared.uint32(size);
    for (let ordinal = 0; ordinal < size; ordinal++) {
      const from = order[ordinal]!;
      numbers[ordinal] = this.#numbers.at(from);
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
    const nameStarts = yield* arranged(order, this.#names.view, this.#nameEnds.view, nameBytes);
    const tokens = shared.uint32(this.#tokens.length);
    const tokenStarts = yield* arranged(order, this.#tokens.view, this.#tokenEnds.view, tokens);
    const symbols = new Uint32Array(this.#symbols.length);
    const symbolStarts = yield* arranged(order, this.#symbols.view, this.#symbolEnds.view, symbols);
    const labels = shared.uint32(this.#labels.length);
    const labelStarts = yield* arranged(order, this.#labels.view, this.#labelEnds.view, labels);
    const words = yield* buildDictionary({
      numbers: this.#words,
      size,
      tokens,
      tokenStarts,
      withDensePieces: isLarge,
    });
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
      numbers,
      ids,
      idTable,
      releasedAt,
      durations,
      bpms,
      names: nameBytes,
      nameStarts,
      tokens,
      tokenStarts,
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
      meta: { size, seq, labels: labelNames, words: words.meta, symbols: symbolWords.meta },
      tracks,
      labels: { ...labelLists, ...pairs },
      words: words.columns,
      symbols: symbolWords.columns,
      orders: yield* buildOrders({ size, tokens, tokenStarts, bpms, durations }),
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

  /** Remembered, for a label's text would have to be made for each track that carries it. */
  #filterLabel(filterId: string): number {
    let label = this.#filterLabels.get(filterId);
    if (label === undefined) {
      label = this.#labelNumbers.of(filterLabel(filterId));
      this.#filterLabels.set(filterId, label);
    }
    return label;
  }

  /** The table of ids with the places of the tracks as they came, and those of tracks that came again. */
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

  /** The tracks as they came, but for some, in the order of the catalog: newest release first, then id. */
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

/** Puts ordinals into the table of ids, in place of the places at which their tracks came. */
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

/** The ordinals of the tracks that have an ISRC, ordered by it. */
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

/**
 * Copies the items of each track, gathered end to end, into `target` in another order of the tracks.
 * Gives where those of each begin, and at last where all end.
 */
function* arranged<T extends Uint8Array | Uint32Array>(
  order: Uint32Array,
  items: T,
  ends: Uint32Array,
  target: T,
): Generator<void, Uint32Array> {
  const starts = shared.uint32(order.length + 1);
  let at = 0;
  for (let ordinal = 0; ordinal < order.length; ordinal++) {
    const track = order[ordinal]!;
    const end = ends[track]!;
    for (let i = track === 0 ? 0 : ends[track - 1]!; i < end; i++) {
      target[at++] = items[i]!;
    }
    starts[ordinal + 1] = at;
    if (ordinal % TRACKS_A_STEP === TRACKS_A_STEP - 1) yield;
  }
  return starts;
}

/** Builds a segment of the tracks, in steps of some milliseconds. */
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
