import type { IndexEntry } from '../catalog/catalog-index.ts';
import type { SegmentColumns } from './columns.ts';
import { compareInCatalog, Segment } from './segment.ts';
import { buildSegment, type SegmentOptions } from './segment-builder.ts';

/** The input of a merge: segments as plain data, so that another thread can merge them. */
export interface MergeInput {
  parts: readonly MergePart[];
  /** Whether the first part is the base, so that the result is a new base and contains the whole catalog. */
  isWhole: boolean;
  /** The `seq` up to which all changes are in the merged segment. */
  seq: number;
}

/** One segment of a merge. */
interface MergePart {
  columns: SegmentColumns;
  /** The live tracks, as a bitset. A track is live in at most one segment. */
  live: Uint32Array;
}

/** Makes one segment of the live tracks of all parts, in steps of a few milliseconds. */
export function mergeSegments(
  { parts, seq }: MergeInput,
  options?: SegmentOptions,
): Generator<void, SegmentColumns> {
  return buildSegment(liveEntries(parts), seq, options);
}

/** All live tracks in catalog order, so that the builder need not sort them. */
function* liveEntries(parts: readonly MergePart[]): Iterable<IndexEntry> {
  const cursors = parts.map((part) => new Cursor(part)).filter(({ isAtEnd }) => !isAtEnd);
  while (cursors.length > 0) {
    let first = cursors[0]!;
    for (let i = 1; i < cursors.length; i++) {
      if (cursors[i]!.isBefore(first)) first = cursors[i]!;
    }
    yield first.entry();
    first.advance();
    if (first.isAtEnd) cursors.splice(cursors.indexOf(first), 1);
  }
}

/** A position among the live tracks of a segment. */
class Cursor {
  readonly #segment: Segment;
  readonly #live: Uint32Array;
  #ordinal = -1;

  constructor({ columns, live }: MergePart) {
    this.#segment = new Segment(columns);
    this.#live = live;
    this.advance();
  }

  get isAtEnd(): boolean {
    return this.#ordinal === this.#segment.size;
  }

  isBefore(other: Cursor): boolean {
    return compareInCatalog(this.#segment, this.#ordinal, other.#segment, other.#ordinal) < 0;
  }

  entry(): IndexEntry {
    return this.#segment.entry(this.#ordinal);
  }

  /** Moves to the next live track. */
  advance(): void {
    do this.#ordinal++;
    while (!this.isAtEnd && !this.#isLive());
  }

  #isLive(): boolean {
    return (this.#live[this.#ordinal >>> 5]! & (1 << (this.#ordinal & 31))) !== 0;
  }
}
