import {
  type LabelCountColumns,
  type LabelListColumns,
  type LabelNumbers,
  shared,
} from '../segments/columns.ts';
import { RARELY_WANTED, type TrackLabels, typeLabel, vocalsLabel } from './labels.ts';

/** The kinds of tracks: music or effect, with or without vocals. */
export const KINDS = 4;

/** The largest table of pairs, in entries: 16 MB. If the labels do not fit, the most frequent ones get rows. */
const MAX_PAIRS = 4 * 1024 * 1024;

/** The number of labels that have triples, the most frequent ones: 161,700 triples, or 2.6 MB of counts. */
const MAX_TRIPLE_LABELS = 100;

const TRACKS_PER_STEP = 4_096;

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

  kindOf(labels: LabelNumbers, from: number, to: number): number {
    let kind = 0;
    for (let i = from; i < to; i++) {
      if (labels[i] === this.#sfx) kind |= 1;
      else if (labels[i] === this.#vocals) kind |= 2;
    }
    return kind;
  }

  /** Splits labels into the kinds that they allow and the labels that do not depend on a kind. */
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

export function noLabelCounts(labelCount: number): LabelCountColumns {
  return {
    kindCounts: shared.uint32(0),
    pairSlots: shared.uint32(labelCount),
    pairs: shared.uint32(0),
    triplePlaces: shared.uint32(0),
    triples: shared.uint32(0),
  };
}

/** Counts the pairs and triples of labels that tracks have, in steps of a few milliseconds. */
export function* countLabels(
  tracks: TrackLabels,
  labelNames: readonly string[],
  { counts }: Pick<LabelListColumns, 'counts'>,
): Generator<void, LabelCountColumns> {
  const labelCount = counts.length;
  const size = tracks.labelStarts.length - 1;
  const numbers = new Map(labelNames.map((name, label) => [name, label]));
  const kindLabels = new KindLabels((name) => numbers.get(name));
  const rarelyWanted = RARELY_WANTED.map((name) => numbers.get(name));
  const byCount = Array.from(counts.keys())
    .filter((label) => kindLabels.split([label]).others.length > 0)
    .filter((label) => !rarelyWanted.includes(label))
    .sort((a, b) => counts[b]! - counts[a]!);
  const inPairs = byCount.slice(0, Math.floor(MAX_PAIRS / (KINDS * Math.max(1, labelCount))));
  const inTriples = byCount
    // A label that all tracks have restricts nothing. A catalog without regions has one: `region:WORLD`.
    .filter((label) => counts[label]! < size)
    .slice(0, MAX_TRIPLE_LABELS)
    .sort((a, b) => a - b);
  const pairSlots = shared.uint32(labelCount);
  for (const [row, label] of inPairs.entries()) pairSlots[label] = row + 1;
  const triplePlaces = shared.uint32(labelCount);
  for (const [i, label] of inTriples.entries()) triplePlaces[label] = i + 1;
  const columns = {
    kindCounts: shared.uint32(KINDS * labelCount),
    pairSlots,
    pairs: shared.uint32(inPairs.length * KINDS * labelCount),
    triplePlaces,
    triples: shared.uint32(triplesOf(inTriples.length) * KINDS),
  };
  const table = new LabelCounts(columns, kindLabels, tracks);
  for (let ordinal = 0; ordinal < size; ordinal++) {
    table.count(ordinal, 1);
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  return columns;
}

/**
 * The number of tracks of each kind that have one label, two labels of which one is frequent, or three frequent labels.
 * Most queries are counted from these tables without reading any track.
 */
export class LabelCounts {
  readonly #columns: LabelCountColumns;
  readonly #kindLabels: KindLabels;
  readonly #tracks: TrackLabels;
  readonly #labelCount: number;
  /** The places of the frequent labels of a track, ascending. */
  readonly #places = new Uint32Array(MAX_TRIPLE_LABELS);

  /** The columns belong to this object from now on, and it changes them. */
  constructor(columns: LabelCountColumns, kindLabels: KindLabels, tracks: TrackLabels) {
    this.#columns = columns;
    this.#kindLabels = kindLabels;
    this.#tracks = tracks;
    this.#labelCount = columns.pairSlots.length;
  }

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
    this.#countTriples(from, to, kind, one);
  }

  #countTriples(from: number, to: number, kind: number, one: 1 | -1): void {
    const { triplePlaces, triples } = this.#columns;
    const { labels } = this.#tracks;
    const places = this.#places;
    let length = 0;
    for (let i = from; i < to; i++) {
      const place = triplePlaces[labels[i]!]!;
      if (place === 0) continue;
      let at = length++;
      for (; at > 0 && places[at - 1]! > place - 1; at--) places[at] = places[at - 1]!;
      places[at] = place - 1;
    }
    for (let k = 2; k < length; k++) {
      const last = triplesOf(places[k]!);
      for (let j = 1; j < k; j++) {
        const row = last + pairsOf(places[j]!);
        for (let i = 0; i < j; i++) {
          triples[(row + places[i]!) * KINDS + kind]! += one;
        }
      }
    }
  }

  /**
   * The number of tracks that have all of the labels, of which there must be at least one; undefined if the
   * table does not tell.
   */
  countOf(labels: readonly number[]): number | undefined {
    if (this.#columns.kindCounts.length === 0) return undefined;
    const { kinds, others } = this.#kindLabels.split(labels);
    const [one = labels[0]!, other] = others;
    if (other === undefined) return this.#sum(this.#columns.kindCounts, 0, kinds, one);
    if (others.length > 2) return this.#countOfTriple(kinds, others);
    const slot = this.#columns.pairSlots[one]!;
    if (slot > 0) return this.#sum(this.#columns.pairs, slot - 1, kinds, other);
    const otherSlot = this.#columns.pairSlots[other]!;
    return otherSlot > 0 ? this.#sum(this.#columns.pairs, otherSlot - 1, kinds, one) : undefined;
  }

  #countOfTriple(kinds: readonly number[], others: readonly number[]): number | undefined {
    const { triplePlaces, triples } = this.#columns;
    const places = others.map((label) => triplePlaces[label]!).sort((a, b) => a - b);
    const [i, j, k, another] = places;
    const isTriple = k !== undefined && another === undefined && i! > 0 && i! < j! && j! < k;
    if (!isTriple) return undefined;
    const row = triplesOf(k - 1) + pairsOf(j! - 1) + i! - 1;
    return kinds.reduce((sum, kind) => sum + triples[row * KINDS + kind]!, 0);
  }

  /**
   * By label, the number of tracks that have this label and all of the given ones; undefined if the table
   * does not tell.
   */
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

  /** The sum of the counts of a label in a row of a table over some kinds. */
  #sum(table: Uint32Array, row: number, kinds: readonly number[], label: number): number {
    let sum = 0;
    for (const kind of kinds) {
      sum += table[(row * KINDS + kind) * this.#labelCount + label]!;
    }
    return sum;
  }
}

/** The number of pairs of different numbers below `n`. */
function pairsOf(n: number): number {
  return (n * (n - 1)) / 2;
}

/** The number of triples of different numbers below `n`. */
function triplesOf(n: number): number {
  return (n * (n - 1) * (n - 2)) / 6;
}
