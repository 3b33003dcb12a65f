import type { IndexQuery } from '../catalog/catalog-index.ts';
import { filterLabel, keyLabel, typeLabel, vocalsLabel } from './labels.ts';
import type { LiveTracks } from './live-tracks.ts';
import { partitionPoint } from './partition-point.ts';
import type { Segment } from './segment.ts';

/** Looking at tracks here and there costs so many times what it costs to go through them in order. */
const SCATTERED = 32;

/** A range of numbers that a column of the segment must lie in; 0 is unknown, and in none. */
interface ColumnRange {
  column: Uint32Array;
  min: number;
  max: number;
  /** The tracks whose number lies in it, in no order of use. */
  ordinals: Uint32Array;
}

/** All that a query asks of a track besides its name, in the terms of one segment. */
export class Restrictions {
  /** Release dates are ranges of ordinals: only `from` to `to - 1` pass. */
  readonly from: number;
  readonly to: number;
  /** Labels that a track must have, the rarest first. */
  readonly labels: readonly number[];
  /** The bitsets of those labels that have one, and that of the live tracks unless all are. */
  readonly bitsets: readonly Uint32Array[];
  /** Those of the labels that have no bitset. */
  readonly sparseLabels: readonly number[];
  readonly ranges: readonly ColumnRange[];
  /** Few tracks, in any order, that all others are ruled out by; undefined where none are known. */
  readonly candidates: Uint32Array | undefined;
  /** Whether all tracks pass. */
  readonly isOpen: boolean;
  readonly #segment: Segment;

  private constructor(segment: Segment, live: LiveTracks, labels: number[], query: IndexQuery) {
    const { tracks, orders, size } = segment;
    const { releasedFrom = -Infinity, releasedTo = Infinity } = query;
    this.#segment = segment;
    this.from = partitionPoint(0, size, (i) => tracks.releasedAt[i]! > releasedTo);
    this.to = partitionPoint(this.from, size, (i) => tracks.releasedAt[i]! >= releasedFrom);
    this.labels = labels.sort((a, b) => live.counts[a]! - live.counts[b]!);
    this.sparseLabels = this.labels.filter((label) => live.dense(label) === undefined);
    const dense = this.labels
      .map((label) => live.dense(label))
      .filter((bits) => bits !== undefined);
    this.bitsets = live.isWhole ? dense : [...dense, live.bits];
    this.ranges = [
      columnRange(tracks.bpms, orders.byBpm, 1000, query.bpmMin, query.bpmMax),
      columnRange(tracks.durations, orders.byDuration, 1, query.durationMin, query.durationMax),
    ].filter((range) => range !== undefined);
    this.candidates = query.isrc === undefined ? this.#fewest(live) : segment.withIsrc(query.isrc);
    this.isOpen =
      this.from === 0 &&
      this.to === size &&
      this.bitsets.length === 0 &&
      this.ranges.length === 0 &&
      this.candidates === undefined;
  }

  /** Undefined where no track of the segment can pass, for some label is on none of them. */
  static of(segment: Segment, live: LiveTracks, query: IndexQuery): Restrictions | undefined {
    const wanted = [
      ...(query.filterIds ?? []).map(filterLabel),
      ...(query.type === undefined ? [] : [typeLabel(query.type)]),
      ...(query.hasVocals === undefined ? [] : [vocalsLabel(query.hasVocals)]),
      ...(query.songKey === undefined ? [] : [keyLabel(query.songKey)]),
    ];
    const labels: number[] = [];
    for (const name of wanted) {
      const label = segment.labelNumber(name);
      if (label === undefined) {
        return undefined;
      }
      labels.push(label);
    }
    return new Restrictions(segment, live, labels, query);
  }

  /** The shortest list at hand, unless bitsets leave fewer to look at; always one where a label is sparse. */
  #fewest(live: LiveTracks): Uint32Array | undefined {
    const [rarest] = this.labels;
    const [rarestSparse] = this.sparseLabels;
    let fewest = rarestSparse === undefined ? undefined : live.sparse(rarestSparse);
    let fewestCount =
      fewest?.length ?? (rarest === undefined ? this.to - this.from : live.counts[rarest]!);
    for (const { ordinals } of this.ranges) {
      if (ordinals.length * SCATTERED < fewestCount) {
        fewest = ordinals;
        fewestCount = ordinals.length;
      }
    }
    return fewest;
  }

  /** Whether a track passes, but for an ISRC that is asked for: `candidates` are all that have it. */
  admits(ordinal: number): boolean {
    if (ordinal < this.from || ordinal >= this.to) {
      return false;
    }
    const i = ordinal >>> 5;
    const mask = 1 << (ordinal & 31);
    for (let j = 0; j < this.bitsets.length; j++) {
      if ((this.bitsets[j]![i]! & mask) === 0) {
        return false;
      }
    }
    for (let j = 0; j < this.sparseLabels.length; j++) {
      if (!this.#segment.hasLabel(ordinal, this.sparseLabels[j]!)) {
        return false;
      }
    }
    return this.inRanges(ordinal);
  }

  /** Whether the track's numbers lie in the ranges. */
  inRanges(ordinal: number): boolean {
    for (let j = 0; j < this.ranges.length; j++) {
      const { column, min, max } = this.ranges[j]!;
      const number = column[ordinal]!;
      if (number === 0 || number < min || number > max) {
        return false;
      }
    }
    return true;
  }
}

/** A range in the column's unit, of which `scale` make one of the query's; undefined where there is none. */
function columnRange(
  column: Uint32Array,
  order: Uint32Array,
  scale: number,
  min: number | undefined,
  max: number | undefined,
): ColumnRange | undefined {
  if (min === undefined && max === undefined) {
    return undefined;
  }
  const bounds = scaledBounds(scale, min ?? 0, max ?? Infinity);
  const known = (i: number) => column[order[i]!]! || Infinity;
  const from = partitionPoint(0, order.length, (i) => known(i) < Math.max(bounds.min, 1));
  const to = partitionPoint(
    from,
    order.length,
    (i) => known(i) <= bounds.max && known(i) < Infinity,
  );
  return { column, ...bounds, ordinals: order.subarray(from, to) };
}

/** The least and the greatest whole number that, divided by the scale, lies within the bounds. */
function scaledBounds(scale: number, min: number, max: number): { min: number; max: number } {
  const least = Math.round(min * scale);
  const greatest = Math.round(max * scale);
  return {
    min: least / scale >= min ? least : least + 1,
    max: greatest / scale <= max ? greatest : greatest - 1,
  };
}
