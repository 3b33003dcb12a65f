import { type LabelListColumns, type LabelTripleColumns, shared } from '../segments/columns.ts';
import type { TrackLabels } from './label-lists.ts';
import { KINDS, KindLabels } from './label-pairs.ts';

/** The number of labels that have triples, the most frequent ones: 161,700 triples, or 2.6 MB of counts. */
const MAX_LABELS = 100;

const TRACKS_PER_STEP = 4_096;

/** Empty columns, for small segments. */
export function noTriples(): LabelTripleColumns {
  return { triplePlaces: shared.uint32(0), triples: shared.uint32(0) };
}

/** Counts the triples of frequent labels that tracks have, in steps of a few milliseconds. */
export function* countTriples(
  tracks: TrackLabels,
  labelNames: readonly string[],
  { counts }: Pick<LabelListColumns, 'counts'>,
): Generator<void, LabelTripleColumns> {
  const numbers = new Map(labelNames.map((name, label) => [name, label]));
  const kindLabels = new KindLabels((name) => numbers.get(name));
  const size = tracks.labelStarts.length - 1;
  const frequent = Array.from(counts.keys())
    .filter((label) => kindLabels.split([label]).others.length > 0)
    // A label that all tracks have restricts nothing. A catalog without regions has one: `region:WORLD`.
    .filter((label) => counts[label]! < size)
    .sort((a, b) => counts[b]! - counts[a]!)
    .slice(0, MAX_LABELS)
    .sort((a, b) => a - b);
  const triplePlaces = shared.uint32(counts.length);
  for (const [i, label] of frequent.entries()) triplePlaces[label] = i + 1;
  const triples = shared.uint32(triplesOf(frequent.length) * KINDS);
  const table = new LabelTriples({ triplePlaces, triples }, kindLabels, tracks);
  for (let ordinal = 0; ordinal < size; ordinal++) {
    table.count(ordinal, 1);
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  return { triplePlaces, triples };
}

/** The number of tracks of each kind that have three frequent labels. */
export class LabelTriples {
  readonly #columns: LabelTripleColumns;
  readonly #kindLabels: KindLabels;
  readonly #tracks: TrackLabels;
  /** The places of the frequent labels of a track, ascending. */
  readonly #places = new Uint32Array(MAX_LABELS);

  /** The columns belong to this object from now on, and it changes them. */
  constructor(columns: LabelTripleColumns, kindLabels: KindLabels, tracks: TrackLabels) {
    this.#columns = columns;
    this.#kindLabels = kindLabels;
    this.#tracks = tracks;
  }

  /** Adds a track to the counts (1), or removes it (-1). */
  count(ordinal: number, one: 1 | -1): void {
    const { triplePlaces, triples } = this.#columns;
    if (triples.length === 0) return;
    const { labels, labelStarts } = this.#tracks;
    const from = labelStarts[ordinal]!;
    const to = labelStarts[ordinal + 1]!;
    const places = this.#places;
    let length = 0;
    for (let i = from; i < to; i++) {
      const place = triplePlaces[labels[i]!]!;
      if (place === 0) continue;
      let at = length++;
      for (; at > 0 && places[at - 1]! > place - 1; at--) places[at] = places[at - 1]!;
      places[at] = place - 1;
    }
    const kind = this.#kindLabels.kindOf(labels, from, to);
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

  /** The number of tracks that have all of the labels; undefined if the table does not tell. */
  countOf(labels: readonly number[]): number | undefined {
    const { triplePlaces, triples } = this.#columns;
    if (triples.length === 0) return undefined;
    const { kinds, others } = this.#kindLabels.split(labels);
    const places = others.map((label) => triplePlaces[label]!).sort((a, b) => a - b);
    const [i, j, k, another] = places;
    const isTriple = k !== undefined && another === undefined && i! > 0 && i! < j! && j! < k;
    if (!isTriple) return undefined;
    const row = triplesOf(k - 1) + pairsOf(j! - 1) + i! - 1;
    return kinds.reduce((sum, kind) => sum + triples[row * KINDS + kind]!, 0);
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
