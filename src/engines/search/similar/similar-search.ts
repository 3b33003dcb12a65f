import type { SegmentSearch } from '../query/segment-search.ts';
import { runStepsWithPauses } from '../query/steps.ts';
import type { Segment } from '../segments/segment.ts';
import { type ComparedLabels, groupByLabels, kindsOf } from '../sets/label-sets.ts';
import type { ComparedFilters, SimilarQuery, SimilarTrack } from '../similar-tracks.ts';
import { similarTracks } from './similar.ts';

/** The compared labels of a segment, and the filters that they were made with. */
interface Known {
  compared: ComparedFilters;
  labels: ComparedLabels;
}

/** The number of candidates of a segment up to which scoring each of them costs less than grouping them. */
const SCORE_EACH_UP_TO = 8_192;

/**
 * Finds similar tracks in the segments of an index. The labels of a segment are prepared when similar tracks are
 * first requested, so that an index without such requests needs no memory for them.
 */
export class SimilarSearch {
  readonly #scoreEachUpTo: number;
  readonly #known = new WeakMap<Segment, Known>();
  /** The filters of the last request. */
  #compared: ComparedFilters | undefined;
  #lastPreparation: Promise<void> = Promise.resolve();

  constructor(scoreEachUpTo: number = SCORE_EACH_UP_TO) {
    this.#scoreEachUpTo = scoreEachUpTo;
  }

  /**
   * Implements the port. Synchronous once the labels of all segments are known.
   * @param parts returns the segments, which may be replaced while the labels of others are prepared
   */
  async find(
    parts: () => readonly SegmentSearch[],
    query: SimilarQuery,
    compared: ComparedFilters,
  ): Promise<SimilarTrack[] | undefined> {
    this.#compared = compared;
    const isUnknown = ({ segment }: SegmentSearch) =>
      this.#labelsOf(segment, compared) === undefined;
    for (let next = parts().find(isUnknown); next !== undefined; next = parts().find(isUnknown)) {
      await this.#prepare(next.segment, compared);
    }
    return similarTracks(parts(), query, {
      compared,
      labelsOf: (segment) => this.#labelsOf(segment, compared)!,
      scoreEachUpTo: this.#scoreEachUpTo,
    });
  }

  /** Prepares the labels of a new segment, if similar tracks were requested before. */
  async expect(segment: Segment): Promise<void> {
    if (this.#compared !== undefined) await this.#prepare(segment, this.#compared);
  }

  /** The labels of a segment; undefined if they must be prepared. */
  #labelsOf(segment: Segment, compared: ComparedFilters): ComparedLabels | undefined {
    const known = this.#known.get(segment);
    if (known === undefined) return undefined;
    if (known.compared !== compared) {
      // Most changes of filters change no filter of the segment.
      const kinds = kindsOf(segment, compared);
      if (!kinds.every((kind, label) => kind === known.labels.kinds[label])) return undefined;
      known.compared = compared;
    }
    return known.labels;
  }

  /** Prepares the labels of a segment in steps of a few milliseconds, unless they are known. */
  #prepare(segment: Segment, compared: ComparedFilters): Promise<void> {
    const prepared = this.#lastPreparation.then(async () => {
      if (this.#labelsOf(segment, compared) !== undefined) return;
      const kinds = kindsOf(segment, compared);
      const isLarge = segment.size > this.#scoreEachUpTo;
      const sets = isLarge ? await runStepsWithPauses(groupByLabels(segment, kinds)) : undefined;
      this.#known.set(segment, { compared, labels: { kinds, sets } });
    });
    this.#lastPreparation = prepared.catch(() => {});
    return prepared;
  }
}
