import { SegmentSearch } from '../query/segment-search.ts';
import type { Segment } from '../segments/segment.ts';
import { findId, readId, writeId } from '../segments/track-id.ts';

const TRACKS_PER_STEP = 1_024;

/** The number of tombstones that are added without a pause, in a few milliseconds. */
const TOGETHER = 4_096;

/** Converts ids into a column. */
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

/** The row ids of tracks, in steps of a few milliseconds. */
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

/** Adds tombstones to those tracks that are live. */
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

/** Adds a tombstone to a track, if the segment has the track live. */
export function addTombstone({ segment, live }: SegmentSearch, id: string): void {
  const ordinal = segment.ordinalOf(id);
  if (ordinal !== undefined && live.has(ordinal)) live.remove(ordinal);
}

/** Adds tombstones to all tracks of the segment that are in a map by id. */
export function addTombstonesTo(part: SegmentSearch, hidden: ReadonlyMap<string, unknown>): void {
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
