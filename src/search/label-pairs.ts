import { type LabelListColumns, type LabelPairColumns, shared } from './columns.ts';
import type { TrackLabels } from './label-lists.ts';
import { typeLabel, vocalsLabel } from './labels.ts';

/** Music or effect, with or without vocals: every track is of one of these kinds. */
const KINDS = 4;

/** Bound on the table of pairs: 16 MB. With more labels than it has room for, the most frequent have rows. */
const MAX_PAIRS = 4 * 1024 * 1024;

const TRACKS_A_STEP = 4_096;

/** Which labels tell the kind of a track. */
export class KindLabels {
  readonly #sfx: number | undefined;
  readonly #vocals: number | undefined;
  readonly #byNumber = new Map<number, (kind: number) => boolean>();

  constructor(labelNumber: (label: string) => number | undefined) {
    this.#sfx = labelNumber(typeLabel('sfx'));
    this.#vocals = labelNumber(vocalsLabel(true));
    this.#note(labelNumber(typeLabel('music')), (kind) => (kind & 1) === 0);
    this.#note(this.#sfx, (kind) => (kind & 1) === 1);
    this.#note(labelNumber(vocalsLabel(false)), (kind) => (kind & 2) === 0);
    this.#note(this.#vocals, (kind) => (kind & 2) === 2);
  }

  /** The kind of a track whose labels stand at `from` to `to - 1`. */
  kindOf(labels: Uint32Array, from: number, to: number): number {
    let kind = 0;
    for (let i = from; i < to; i++) {
      if (labels[i] === this.#sfx) kind |= 1;
      else if (labels[i] === this.#vocals) kind |= 2;
    }
    return kind;
  }

  /** The kinds that some of the labels leave, and the labels that say nothing about kinds. */
  split(labels: readonly number[]): { kinds: number[]; others: number[] } {
    const others: number[] = [];
    let kinds = Array.from({ length: KINDS }, (_, kind) => kind);
    for (const label of labels) {
      const isOf = this.#byNumber.get(label);
      if (isOf === undefined) others.push(label);
      else kinds = kinds.filter(isOf);
    }
    return { kinds, others };
  }

  #note(label: number | undefined, isOf: (kind: number) => boolean): void {
    if (label !== undefined) this.#byNumber.set(label, isOf);
  }
}

/** Columns of no pairs, for segments that are quickly counted. */
export function noPairs(labelCount: number): LabelPairColumns {
  return {
    kindCounts: shared.uint32(0),
    pairSlots: shared.uint32(labelCount),
    pairs: shared.uint32(0),
  };
}

/** Counts which labels tracks have together, in steps of some milliseconds; about 0.2 µs a track. */
export function* countPairs(
  tracks: TrackLabels,
  labelNames: readonly string[],
  { counts, denseSlots }: Pick<LabelListColumns, 'counts' | 'denseSlots'>,
): Generator<void, LabelPairColumns> {
  const labelCount = counts.length;
  const numbers = new Map(labelNames.map((name, label) => [name, label]));
  const kindLabels = new KindLabels((name) => numbers.get(name));
  const rows = Math.floor(MAX_PAIRS / (KINDS * Math.max(1, labelCount)));
  const pairSlots = shared.uint32(labelCount);
  const frequent = Array.from(counts.keys())
    .filter((label) => denseSlots[label] !== 0 && kindLabels.split([label]).others.length > 0)
    .sort((a, b) => counts[b]! - counts[a]!)
    .slice(0, rows);
  for (const [row, label] of frequent.entries()) {
    pairSlots[label] = row + 1;
  }
  const kindCounts = shared.uint32(KINDS * labelCount);
  const pairs = shared.uint32(frequent.length * KINDS * labelCount);
  const table = new LabelPairs({ kindCounts, pairSlots, pairs }, kindLabels, tracks);
  const size = tracks.labelStarts.length - 1;
  for (let ordinal = 0; ordinal < size; ordinal++) {
    table.count(ordinal, 1);
    if (ordinal % TRACKS_A_STEP === TRACKS_A_STEP - 1) yield;
  }
  return { kindCounts, pairSlots, pairs };
}

/**
 * How many tracks of each kind have one label, and two of which one is frequent: what most questions
 * ask, answered without looking at any track.
 */
export class LabelPairs {
  readonly #columns: LabelPairColumns;
  readonly #kindLabels: KindLabels;
  readonly #tracks: TrackLabels;
  readonly #labelCount: number;

  /** Takes the columns over. */
  constructor(columns: LabelPairColumns, kindLabels: KindLabels, tracks: TrackLabels) {
    this.#columns = columns;
    this.#kindLabels = kindLabels;
    this.#tracks = tracks;
    this.#labelCount = columns.pairSlots.length;
  }

  /** Counts a track in (1), or out again (-1). */
  count(ordinal: number, one: 1 | -1): void {
    const { kindCounts, pairSlots, pairs } = this.#columns;
    if (kindCounts.length === 0) return;
    const { labels, labelStarts } = this.#tracks;
    const labelCount = this.#labelCount;
    const from = labelStarts[ordinal]!;
    const to = labelStarts[ordinal + 1]!;
    const kind = this.#kindLabels.kindOf(labels, from, to);
    for (let i = from; i < to; i++) {
      kindCounts[kind * labelCount + labels[i]!]! += one;
      const slot = pairSlots[labels[i]!]!;
      if (slot === 0) continue;
      const row = ((slot - 1) * KINDS + kind) * labelCount;
      for (let j = from; j < to; j++) {
        pairs[row + labels[j]!]! += one;
      }
    }
  }

  /** How many tracks have all of the labels, one at least; undefined where that is not known. */
  countOf(labels: readonly number[]): number | undefined {
    if (this.#columns.kindCounts.length === 0) return undefined;
    const { kinds, others } = this.#kindLabels.split(labels);
    const [one = labels[0]!, other] = others;
    if (other === undefined) return this.#sum(this.#columns.kindCounts, 0, kinds, one);
    if (others.length > 2) return undefined;
    const slot = this.#columns.pairSlots[one]!;
    if (slot > 0) return this.#sum(this.#columns.pairs, slot - 1, kinds, other);
    const otherSlot = this.#columns.pairSlots[other]!;
    return otherSlot > 0 ? this.#sum(this.#columns.pairs, otherSlot - 1, kinds, one) : undefined;
  }

  /** By label, how many of the tracks with all of the labels have it too; undefined where that is not known. */
  countsWith(labels: readonly number[]): Uint32Array | undefined {
    const { kindCounts, pairSlots, pairs } = this.#columns;
    if (kindCounts.length === 0) return undefined;
    const { kinds, others } = this.#kindLabels.split(labels);
    const [one] = others;
    const slot = one === undefined ? 0 : pairSlots[one]!;
    if (others.length > 1 || (one !== undefined && slot === 0)) return undefined;
    const [table, row] = one === undefined ? [kindCounts, 0] : [pairs, slot - 1];
    const counts = new Uint32Array(this.#labelCount);
    for (const kind of kinds) {
      const from = (row * KINDS + kind) * this.#labelCount;
      for (let label = 0; label < counts.length; label++) {
        counts[label]! += table[from + label]!;
      }
    }
    return counts;
  }

  /** The counts of a label in a row of the table, of some kinds together. */
  #sum(table: Uint32Array, row: number, kinds: readonly number[], label: number): number {
    let sum = 0;
    for (const kind of kinds) {
      sum += table[(row * KINDS + kind) * this.#labelCount + label]!;
    }
    return sum;
  }
}
