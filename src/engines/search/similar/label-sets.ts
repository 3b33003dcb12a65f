import { GrowingUint32 } from '../build/growing.ts';
import type { ComparedFilters } from '../catalog-index.ts';
import { inverted } from '../segments/columns.ts';
import type { Segment } from '../segments/segment.ts';
import { filterLabel } from '../sets/labels.ts';

export const [OTHER, GENRE, MOOD] = [0, 1, 2];

export interface ComparedLabels {
  /** By label: `OTHER`, `GENRE` or `MOOD`. */
  kinds: Uint8Array;
  /** Undefined if the segment has so few tracks that it needs none. */
  sets: LabelSets | undefined;
}

/**
 * The tracks of a segment, live or not, grouped by equal sets of genres and moods. At a million tracks, it takes
 * four megabytes, and about 50 bytes for each set.
 */
export interface LabelSets {
  /** By label: `OTHER`, `GENRE` or `MOOD`. */
  kinds: Uint8Array;
  /** The numbers of genres and of moods of each set. */
  genres: Uint32Array;
  moods: Uint32Array;
  /** The sets that have each label. The sets of label `i` begin at `ownerStarts[i]`. */
  owners: Uint32Array;
  ownerStarts: Uint32Array;
  /**
   * The tracks of each set by tempo, unknown ones last, ties in catalog order. The tracks of set `i` begin at
   * `trackStarts[i]`.
   */
  tracks: Uint32Array;
  trackStarts: Uint32Array;
}

const TRACKS_PER_STEP = 8_192;

export function kindsOf({ labelNames }: Segment, { genres, moods }: ComparedFilters): Uint8Array {
  const prefix = filterLabel('');
  return Uint8Array.from(labelNames, (name) => {
    if (!name.startsWith(prefix)) return OTHER;
    const id = name.slice(prefix.length);
    return genres.has(id) ? GENRE : moods.has(id) ? MOOD : OTHER;
  });
}

/** Groups the tracks, in steps of a few milliseconds. */
export function* groupByLabels(segment: Segment, kinds: Uint8Array): Generator<void, LabelSets> {
  const { tracks, orders, size } = segment;
  const table = new SetTable();
  const setOf = new Uint32Array(size);
  const compared = new GrowingUint32();
  for (let ordinal = 0; ordinal < size; ordinal++) {
    compared.length = 0;
    for (let i = tracks.labelStarts[ordinal]!; i < tracks.labelStarts[ordinal + 1]!; i++) {
      const label = tracks.labels[i]!;
      if (kinds[label] !== OTHER) compared.push(label);
    }
    setOf[ordinal] = table.enter(compared);
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  const counts = new Uint32Array(table.size);
  for (let ordinal = 0; ordinal < size; ordinal++) counts[setOf[ordinal]!]!++;
  yield;
  const trackStarts = startsOf(counts);
  const next = trackStarts.slice();
  const ordered = new Uint32Array(size);
  for (let place = 0; place < size; place++) {
    const ordinal = orders.byBpm[place]!;
    ordered[next[setOf[ordinal]!]!++] = ordinal;
    if (place % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  return {
    kinds,
    ...(yield* ownersOf(table.labels.view, table.labelStarts.view, kinds)),
    tracks: ordered,
    trackStarts,
  };
}

function* ownersOf(
  labels: Uint32Array,
  labelStarts: Uint32Array,
  kinds: Uint8Array,
): Generator<void, Pick<LabelSets, 'genres' | 'moods' | 'owners' | 'ownerStarts'>> {
  const setCount = labelStarts.length - 1;
  const genres = new Uint32Array(setCount);
  const moods = new Uint32Array(setCount);
  for (let set = 0; set < setCount; set++) {
    for (let i = labelStarts[set]!; i < labelStarts[set + 1]!; i++) {
      (kinds[labels[i]!] === GENRE ? genres : moods)[set]!++;
    }
  }
  yield;
  return { genres, moods, ...(yield* inverted(labels, labelStarts, kinds.length)) };
}

function startsOf(counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) starts[i + 1] = starts[i]! + counts[i]!;
  return starts;
}

class SetTable {
  /** The labels of each set, ascending. The labels of set `i` begin at `labelStarts[i]`. */
  readonly labels = new GrowingUint32();
  readonly labelStarts = new GrowingUint32();
  /** Open-addressed: the number of a set + 1; 0 marks a free entry. */
  #table = new Uint32Array(1024);

  constructor() {
    this.labelStarts.push(0);
  }

  get size(): number {
    return this.labelStarts.length - 1;
  }

  /** Enters a set of ascending labels, and returns its number. */
  enter(labels: GrowingUint32): number {
    const mask = this.#table.length - 1;
    let slot = hashOf(labels, 0, labels.length) & mask;
    for (; this.#table[slot] !== 0; slot = (slot + 1) & mask) {
      const set = this.#table[slot]! - 1;
      if (this.#isEqual(set, labels)) return set;
    }
    const set = this.size;
    for (let i = 0; i < labels.length; i++) this.labels.push(labels.at(i));
    this.labelStarts.push(this.labels.length);
    this.#table[slot] = set + 1;
    if (this.size * 2 > this.#table.length) this.#grow();
    return set;
  }

  #isEqual(set: number, labels: GrowingUint32): boolean {
    const start = this.labelStarts.at(set);
    if (this.labelStarts.at(set + 1) - start !== labels.length) return false;
    for (let i = 0; i < labels.length; i++) {
      if (this.labels.at(start + i) !== labels.at(i)) return false;
    }
    return true;
  }

  #grow(): void {
    const table = new Uint32Array(this.#table.length * 2);
    const mask = table.length - 1;
    for (let set = 0; set < this.size; set++) {
      const { labels, labelStarts } = this;
      let slot = hashOf(labels, labelStarts.at(set), labelStarts.at(set + 1)) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = set + 1;
    }
    this.#table = table;
  }
}

function hashOf(labels: GrowingUint32, from: number, to: number): number {
  let hash = to - from;
  for (let i = from; i < to; i++) {
    hash = Math.imul(hash ^ labels.at(i), 0x9e37_79b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
