import type { IndexQuery, Vocals } from '../catalog-index.ts';
import type { Segment } from '../segments/segment.ts';
import { partitionPoint } from '../sets/bits.ts';
import type { FoundTracks } from '../sets/label-unions.ts';
import {
  AI_LABELS,
  filterLabel,
  INSTRUMENTAL,
  SILENT,
  TRAINING_LABELS,
  typeLabel,
  vocalsLabel,
} from '../sets/labels.ts';
import type { LiveTracks } from '../sets/live-tracks.ts';
import type { TrackSet } from '../sets/track-set.ts';
import { tracksOfArtist } from './artist-tracks.ts';

/** The cost of checking one track at a random position, in tracks of a bitset that are processed in the same time. */
const TRACKS_A_CHECK = 256;

/** The cost of reading the number of one member, in tracks that are added to a set in the same time. */
const TRACKS_A_LOOKUP = 2;

/** A range that the number of a track in a column must lie in. */
interface ColumnRange {
  column: Uint32Array;
  /** At least 1, because 0 means unknown and lies in no range. */
  min: number;
  max: number;
  /** The tracks whose number lies in the range, in no particular order. */
  ordinals: Uint32Array;
}

/** The restrictions of a query, in the numbers of one segment. */
export class Restrictions {
  /** A range of release dates is a range of ordinals: `from` to `to - 1`. */
  readonly from: number;
  readonly to: number;
  /** The labels that a track must have, the rarest first. */
  readonly labels: readonly number[];
  /** The bitsets of the dense labels, of several labels, and of the live tracks unless all are live. */
  readonly bitsets: readonly Uint32Array[];
  readonly ranges: readonly ColumnRange[];
  /** A small list that contains every track that passes, in any order; undefined if no such list is known. */
  readonly candidates: Uint32Array | undefined;
  /** Whether every track passes. */
  readonly isOpen: boolean;
  /** Whether labels are the only restrictions. */
  readonly isByLabels: boolean;
  /** Whether the sets restrict alone: neither a range, a date nor an ISRC. */
  readonly #isBySets: boolean;
  /** The tracks that are in all lists: of sparse labels, and of several labels; ascending. Undefined without a list. */
  readonly #common: Uint32Array | undefined;

  private constructor(
    segment: Segment,
    live: LiveTracks,
    labels: number[],
    others: readonly FoundTracks[],
    query: IndexQuery,
  ) {
    const { tracks, orders, size } = segment;
    const { releasedFrom, releasedTo } = query;
    const { releasedAt } = tracks;
    this.from =
      releasedTo === undefined ? 0 : partitionPoint(0, size, (i) => releasedAt[i]! > releasedTo);
    this.to =
      releasedFrom === undefined
        ? size
        : partitionPoint(this.from, size, (i) => releasedAt[i]! >= releasedFrom);
    this.labels = labels.sort((a, b) => live.counts[a]! - live.counts[b]!);
    const lists = this.labels
      .map((label) => live.sparse(label))
      .filter((list) => list !== undefined);
    for (const { ordinals } of others) if (ordinals !== undefined) lists.push(ordinals);
    this.#common = intersection(lists.sort((a, b) => a.length - b.length));
    const dense = this.labels
      .map((label) => live.dense(label))
      .filter((bits) => bits !== undefined);
    for (const { bits } of others) if (bits !== undefined) dense.push(bits);
    this.bitsets = live.isWhole ? dense : [...dense, live.bits];
    this.ranges = [
      columnRange(tracks.bpms, orders.byBpm, 1000, query.bpmMin, query.bpmMax),
      columnRange(tracks.durations, orders.byDuration, 1, query.durationMin, query.durationMax),
      columnRange(tracks.rowIds, orders.byRowId, 1, next(query.rowIdAbove), query.rowIdTo),
    ].filter((range) => range !== undefined);
    this.candidates = query.isrc === undefined ? this.#fewest(live) : segment.withIsrc(query.isrc);
    this.#isBySets =
      this.from === 0 && this.to === size && this.ranges.length === 0 && query.isrc === undefined;
    this.isByLabels = this.#isBySets && others.length === 0;
    this.isOpen = this.#isBySets && this.bitsets.length === 0 && this.candidates === undefined;
  }

  /** Returns undefined if no track can pass, because none has one of the labels. */
  static of(segment: Segment, live: LiveTracks, query: IndexQuery): Restrictions | undefined {
    const wanted = [
      ...(query.filterIds ?? []).map(filterLabel),
      ...(query.type === undefined ? [] : [typeLabel(query.type)]),
      ...(query.hasVocals === undefined ? [] : [vocalsLabel(query.hasVocals)]),
    ];
    const labels: number[] = [];
    for (const name of wanted) {
      const label = segment.labelNumber(name);
      if (label === undefined) {
        return undefined;
      }
      labels.push(label);
    }
    const others: FoundTracks[] = [];
    for (const found of choicesOf(segment, live, query)) {
      if (found === undefined) return undefined;
      if (found.ordinals ?? found.bits) others.push(found);
      else if (found.label !== undefined && !labels.includes(found.label)) labels.push(found.label);
    }
    return new Restrictions(segment, live, labels, others, query);
  }

  /** The shortest list of candidates, unless the bitsets leave fewer. There always is a list if a label is sparse. */
  #fewest(live: LiveTracks): Uint32Array | undefined {
    const [rarest] = this.labels;
    let fewest = this.#common;
    let fewestCount =
      fewest?.length ?? (rarest === undefined ? this.to - this.from : live.counts[rarest]!);
    for (const { ordinals } of this.ranges) {
      if (ordinals.length * TRACKS_A_CHECK < fewestCount) {
        fewest = ordinals;
        fewestCount = ordinals.length;
      }
    }
    return fewest;
  }

  /**
   * Adds all tracks that pass, and are in all additional bitsets, to an empty set.
   * @param takeSet returns other empty sets that stay valid for the current query
   */
  collect(set: TrackSet, takeSet: () => TrackSet, bitsets: readonly Uint32Array[] = []): void {
    if (this.candidates !== undefined) {
      this.addAdmitted(this.candidates, set);
      for (const bits of bitsets) set.keep(bits);
      return;
    }
    set.become([...bitsets, ...this.bitsets], this.from, this.to);
    for (const range of this.ranges) {
      if (set.count * TRACKS_A_LOOKUP < range.ordinals.length) {
        set.keepWhere((ordinal) => isIn(range, ordinal));
      } else {
        const inRange = takeSet();
        inRange.addAll(range.ordinals);
        set.keepAll(inRange);
      }
    }
  }

  /** Adds the tracks that pass, regardless of the ISRC: only `candidates` restrict by it. */
  addAdmitted(ordinals: Uint32Array, set: TrackSet): void {
    if (this.isOpen) {
      set.addAll(ordinals);
      return;
    }
    const [one, other, ...others] = this.bitsets;
    const isCommon = ordinals === this.#common;
    const isByBits = this.#isBySets && others.length === 0 && (isCommon || !this.#common);
    if (isByBits && one !== undefined) {
      set.addCommon(ordinals, one, other);
      return;
    }
    for (let i = 0; i < ordinals.length; i++) {
      if (this.admits(ordinals[i]!, isCommon)) {
        set.add(ordinals[i]!);
      }
    }
  }

  /** Whether a track passes, regardless of the ISRC: only `candidates` restrict by it. */
  admits(ordinal: number, isCommon = false): boolean {
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
    if (!isCommon && this.#common !== undefined && !includes(this.#common, ordinal)) {
      return false;
    }
    for (let j = 0; j < this.ranges.length; j++) {
      if (!isIn(this.ranges[j]!, ordinal)) {
        return false;
      }
    }
    return true;
  }
}

/** Where the tracks of each group of labels are found of which a track needs one or none; undefined for a group without tracks. */
function choicesOf(
  segment: Segment,
  { regions, unions }: LiveTracks,
  query: IndexQuery,
): (FoundTracks | undefined)[] {
  const choices: (FoundTracks | undefined)[] = [];
  if (query.regions) choices.push(regions.of(query.regions, query.territories ?? []));
  for (const ids of query.anyFilterIds ?? []) {
    choices.push(unions.of(segment.labelNumbers(ids.map(filterLabel))));
  }
  const { vocals, hasAudio, ai, trainingAllowed, songKeys, artist } = query;
  if (songKeys !== undefined) choices.push(unions.of(segment.keyLabels(songKeys)));
  if (artist !== undefined) choices.push(tracksOfArtist(segment, artist));
  const names = query.notFilterIds?.map(filterLabel) ?? [];
  if (hasAudio === false) choices.push(unions.of(segment.labelNumbers([SILENT])));
  if (hasAudio === true) names.push(SILENT);
  for (const { any, none } of [
    ...(vocals === undefined ? [] : [labelsOfVocals(vocals)]),
    ...(ai === undefined ? [] : [labelsOf(ai, AI_LABELS)]),
    ...(trainingAllowed === undefined ? [] : [labelsOf([trainingAllowed], TRAINING_LABELS)]),
  ]) {
    if (any.length > 0) choices.push(unions.of(segment.labelNumbers(any)));
    names.push(...none);
  }
  if (names.length > 0) {
    const excluded = segment.labelNumbers(names);
    if (excluded.length > 0) choices.push(unions.without(excluded));
  }
  return choices;
}

/** The labels of which a track has at least one, unless there are none, and those that it lacks. */
interface ChosenLabels {
  any: string[];
  none: string[];
}

/** Returns the labels of tracks with one of some values, of which `unknown` has no label. */
function labelsOf<Value extends string>(
  chosen: readonly (Value | 'unknown')[],
  labels: Readonly<Record<Value, string>>,
): ChosenLabels {
  const { any = [], none = [] } = Object.groupBy(Object.keys(labels) as Value[], (value) =>
    chosen.includes(value) ? 'any' : 'none',
  );
  const named = (values: Value[]) => values.map((value) => labels[value]);
  return chosen.includes('unknown')
    ? { any: [], none: named(none) }
    : { any: named(any), none: [] };
}

/** As `labelsOf`. Tracks with unknown vocals have the label of those without. */
function labelsOfVocals(vocals: readonly Vocals[]): ChosenLabels {
  const isIn = (one: Vocals) => vocals.includes(one);
  const [vocal, instrumental] = [isIn('vocal'), isIn('instrumental')];
  if (isIn('unknown')) {
    return { any: vocal ? [] : [vocalsLabel(false)], none: instrumental ? [] : [INSTRUMENTAL] };
  }
  const any = [...(vocal ? [vocalsLabel(true)] : []), ...(instrumental ? [INSTRUMENTAL] : [])];
  return { any, none: [] };
}

function next(rowId: number | undefined): number | undefined {
  return rowId === undefined ? undefined : rowId + 1;
}

function isIn({ column, min, max }: ColumnRange, ordinal: number): boolean {
  const number = column[ordinal]!;
  return number >= min && number <= max;
}

/** The intersection of sorted lists, of which the shortest comes first; undefined if there is no list. */
function intersection([first, ...others]: readonly Uint32Array[]): Uint32Array | undefined {
  let common = first;
  for (const list of others) {
    let at = 0;
    common = common!.filter((ordinal) => {
      while (at < list.length && list[at]! < ordinal) at++;
      return list[at] === ordinal;
    });
  }
  return common;
}

function includes(sorted: Uint32Array, ordinal: number): boolean {
  return sorted[partitionPoint(0, sorted.length, (i) => sorted[i]! < ordinal)] === ordinal;
}

/**
 * Converts a range of the query into the unit of the column, of which `scale` make one unit of the query;
 * undefined if the query has no such range, or all tracks are in it.
 */
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
  const least = Math.max(bounds.min, 1);
  const known = (i: number) => column[order[i]!]! || Infinity;
  const from = partitionPoint(0, order.length, (i) => known(i) < least);
  const to = partitionPoint(
    from,
    order.length,
    (i) => known(i) <= bounds.max && known(i) < Infinity,
  );
  if (from === 0 && to === order.length) return undefined;
  return { column, min: least, max: bounds.max, ordinals: order.subarray(from, to) };
}

/** The least and the greatest integer whose quotient by the scale is within the bounds. */
function scaledBounds(scale: number, min: number, max: number): { min: number; max: number } {
  const least = Math.round(min * scale);
  const greatest = Math.round(max * scale);
  return {
    min: least / scale >= min ? least : least + 1,
    max: greatest / scale <= max ? greatest : greatest - 1,
  };
}
