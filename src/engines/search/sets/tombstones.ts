import { buildSegment, type SegmentOptions } from '../build/segment-builder.ts';
import { runSteps } from '../build/steps.ts';
import type { IndexEntry, RestoredTrack } from '../catalog-index.ts';
import { SegmentSearch } from '../query/segment-search.ts';
import { licensedTracks } from '../segments/popularity.ts';
import { Segment } from '../segments/segment.ts';
import { findId, readId, writeId } from '../segments/track-id.ts';

const TRACKS_PER_STEP = 1_024;

/** The number of tombstones that are added without a pause, in a few milliseconds. */
const TOGETHER = 4_096;

export function idColumn(ids: readonly string[]): Uint32Array {
  const column = new Uint32Array(ids.length * 4);
  ids.forEach((id, i) => {
    writeId(column, i, id);
  });
  return column;
}

/** Finds the ordinals of tracks, live or not, by a column of ids, in steps of a few milliseconds. */
export function* ordinalsOf({ tracks }: Segment, ids: Uint32Array): Generator<void, number[]> {
  const ordinals: number[] = [];
  for (let i = 0; i * 4 < ids.length; i++) {
    const ordinal = findId(tracks.idTable, tracks.ids, ids, i);
    if (ordinal !== undefined) ordinals.push(ordinal);
    if (i % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  return ordinals;
}

export function* rowIdsOf(
  { tracks }: Segment,
  ordinals: readonly number[],
): Generator<void, Uint32Array> {
  const rowIds = new Uint32Array(ordinals.length);
  for (const [i, ordinal] of ordinals.entries()) {
    rowIds[i] = tracks.rowIds[ordinal]!;
    if (i % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  return rowIds;
}

export function* addTombstones(
  { live }: SegmentSearch,
  ordinals: Iterable<number>,
): Generator<void> {
  let added = 0;
  for (const ordinal of ordinals) {
    if (live.has(ordinal)) live.remove(ordinal);
    if (++added % TRACKS_PER_STEP === 0) yield;
  }
}

function addTombstone({ segment, live }: SegmentSearch, id: string): void {
  const ordinal = segment.ordinalOf(id);
  if (ordinal !== undefined && live.has(ordinal)) live.remove(ordinal);
}

/** Adds tombstones to all tracks of the segment that are in a map by id. */
function addTombstonesTo(part: SegmentSearch, hidden: ReadonlyMap<string, unknown>): void {
  const { size, tracks } = part.segment;
  if (hidden.size <= size) {
    for (const id of hidden.keys()) addTombstone(part, id);
    return;
  }
  for (let ordinal = 0; ordinal < size; ordinal++) {
    if (part.live.has(ordinal) && hidden.has(readId(tracks.ids, ordinal))) {
      part.live.remove(ordinal);
    }
  }
}

/**
 * Prepares tombstones that become visible together. Returns what has to answer queries then: the same search,
 * to which `finish` adds them, or, if they are many, another search of the same segment.
 */
export function* withTombstones(
  part: SegmentSearch,
  ordinals: readonly number[],
): Generator<void, { part: SegmentSearch; finish: () => void }> {
  if (ordinals.length <= TOGETHER) {
    return {
      part,
      finish: () => {
        for (const _ of addTombstones(part, ordinals));
      },
    };
  }
  const other = new SegmentSearch(part.segment);
  for (const [name, licensed] of part.licensed) other.licensed.set(name, licensed);
  yield;
  yield* addTombstones(other, deadOf(part));
  yield* addTombstones(other, ordinals);
  return { part: other, finish: () => {} };
}

function* deadOf({ segment, live }: SegmentSearch): Iterable<number> {
  for (let ordinal = 0; ordinal < segment.size; ordinal++) {
    if (!live.has(ordinal)) yield ordinal;
  }
}

/** The tracks whose changes an index shows before its segments contain them. */
export class EarlyTracks {
  /** The tracks that are hidden in the segments, with the `seq` of the change. */
  readonly #hidden = new Map<string, number>();
  /** The hidden tracks that are shown in their new state. */
  readonly #shown = new Map<string, IndexEntry>();

  /** Hides a track in these segments, and in every other one until the index contains the change `seq`. */
  hide(id: string, seq: number, parts: readonly SegmentSearch[]): void {
    this.#hidden.set(id, seq);
    this.#shown.delete(id);
    for (const part of parts) addTombstone(part, id);
  }

  /** Hides a track as `hide` does, and adds its new state to `segments`. */
  show({ entry, seq }: RestoredTrack, parts: readonly SegmentSearch[]): void {
    this.hide(entry.id, seq, parts);
    this.#shown.set(entry.id, entry);
  }

  /** Hides all hidden tracks in a new segment. */
  hideIn(part: SegmentSearch): void {
    addTombstonesTo(part, this.#hidden);
  }

  /** Forgets the tracks whose changes the index contains up to `seq`. */
  forgetUpTo(seq: number): void {
    for (const [id, hiddenSeq] of this.#hidden) {
      if (hiddenSeq > seq) continue;
      this.#hidden.delete(id);
      this.#shown.delete(id);
    }
  }

  /** Makes a segment of the shown tracks without a pause, or none if there are none. */
  segments(
    seq: number,
    popularity: ReadonlyMap<string, ReadonlyMap<string, number>>,
    options: SegmentOptions,
  ): SegmentSearch[] {
    if (this.#shown.size === 0) return [];
    const columns = runSteps(buildSegment(this.#shown.values(), seq, options));
    const part = new SegmentSearch(new Segment(columns));
    for (const [name, counts] of popularity) {
      part.licensed.set(name, runSteps(licensedTracks(part.segment, counts)));
    }
    return [part];
  }
}

/** The live tracks of some segments and added tracks; of those that are in both, the added ones. */
export function* withAdded(
  parts: readonly SegmentSearch[],
  added: readonly IndexEntry[],
  removedIds: readonly string[],
): Iterable<IndexEntry> {
  const entries = new Map(added.map((entry) => [entry.id, entry]));
  const removed = new Set(removedIds);
  for (const { segment, live } of parts) {
    for (let ordinal = 0; ordinal < segment.size; ordinal++) {
      if (!live.has(ordinal)) continue;
      const entry = segment.entry(ordinal);
      if (!removed.has(entry.id) && !entries.has(entry.id)) yield entry;
    }
  }
  yield* entries.values();
}
