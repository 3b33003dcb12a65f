import { buildSegment, type SegmentOptions } from '../build/segment-builder.ts';
import type { IndexEntry, RestoredTrack } from '../catalog-index.ts';
import { SegmentSearch } from '../query/segment-search.ts';
import { runSteps } from '../query/steps.ts';
import { licensedTracks } from '../segments/popularity.ts';
import { Segment } from '../segments/segment.ts';
import { addTombstone, addTombstonesTo } from './tombstones.ts';

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

  /** Hides the segments' state of a track in the same way. `segments` has its new state. */
  show({ entry, seq }: RestoredTrack, parts: readonly SegmentSearch[]): void {
    this.hide(entry.id, seq, parts);
    this.#shown.set(entry.id, entry);
  }

  /** Hides all of them in a new segment. */
  hideIn(part: SegmentSearch): void {
    addTombstonesTo(part, this.#hidden);
  }

  /** Removes those whose changes the index contains up to `seq`. */
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
