import {
  buildFromStore,
  type ChangedSegment,
  changedSegment,
} from '../../engines/search/build/build-index.ts';
import { type MergeInput, mergeSegments } from '../../engines/search/build/merge.ts';
import { runStepsWithPauses } from '../../engines/search/build/steps.ts';
import type { IndexSource, LoadedIndex } from '../../engines/search/catalog-index.ts';
import { SegmentedIndex } from '../../engines/search/segmented-index.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import { Segment } from '../../engines/search/segments/segment.ts';
import type { Store } from '../../features/store.ts';

/** The number of tracks from which a thread and a snapshot are faster than building here. */
const THREAD_FROM = 20_000;

/** The number of changes from which a thread makes a segment of them. */
const CHANGES_FROM = 1_000;

/** Makes segments of large catalogs outside of the thread that serves. */
export interface IndexMaker {
  /** Opens a segment for a start: from the last snapshot if it is valid, otherwise by building one. */
  open(): Promise<SegmentColumns>;
  /**
   * Builds a segment from the store that contains at least all changes up to `notBefore`. It may be a segment
   * that was made before.
   */
  build(notBefore: number): Promise<SegmentColumns>;
  merge(input: MergeInput): Promise<SegmentColumns>;
  /** Makes a segment of all changes of tracks in the log after `after`, or of those and some before. */
  changes(after: number): Promise<ChangedSegment>;
  /** Ends all jobs, except for writing a snapshot, which takes a second or two. */
  close(): Promise<void>;
}

export interface ServiceIndexSourceOptions {
  store: Pick<Store, 'catalog' | 'changes'>;
  maker: IndexMaker;
  /**
   * Whether its large indexes merge their base. Default: true. Of several sources in a process, only one does,
   * and the others get the result.
   */
  merges?: boolean;
  /** The number of tracks from which the maker does the work. Default: 20,000. */
  threadFrom?: number;
}

/** Makes the indexes of a service: large ones by a maker, small ones in this thread, in steps between other work. */
export class ServiceIndexSource implements IndexSource {
  readonly #options: Required<ServiceIndexSourceOptions>;
  /** The `seq` of the newest segment that an index was made over. */
  #newest = 0;

  constructor(options: ServiceIndexSourceOptions) {
    this.#options = { threadFrom: THREAD_FROM, merges: true, ...options };
  }

  open(): Promise<LoadedIndex> {
    return this.#make((maker) => maker.open());
  }

  build(notBefore: number): Promise<LoadedIndex> {
    return this.#make((maker) => maker.build(notBefore));
  }

  /** Closes the maker. */
  close(): Promise<void> {
    return this.#options.maker.close();
  }

  /**
   * Calls `take` with an index over a segment that another source has merged or built, if it is newer than
   * all segments used here. Returns whether it was.
   */
  async adopt(
    columns: SegmentColumns,
    take: (loaded: LoadedIndex) => Promise<void>,
  ): Promise<boolean> {
    if (columns.meta.seq <= this.#newest) return false;
    await take(this.#indexOver(columns));
    this.#used(columns);
    return true;
  }

  async #make(make: (maker: IndexMaker) => Promise<SegmentColumns>): Promise<LoadedIndex> {
    const { store, threadFrom, maker } = this.#options;
    const { live } = await store.catalog.counts();
    const columns = live < threadFrom ? await buildFromStore(store) : await make(maker);
    this.#used(columns);
    return this.#indexOver(columns);
  }

  #used({ meta }: SegmentColumns): void {
    this.#newest = Math.max(this.#newest, meta.seq);
  }

  #indexOver(columns: SegmentColumns): LoadedIndex {
    const { threadFrom, merges, maker } = this.#options;
    const { seq } = columns.meta;
    const index = new SegmentedIndex(new Segment(columns), {
      ...(!merges && { keepsBaseFrom: threadFrom }),
      merge: (input) => {
        const tracks = input.parts.reduce((sum, { columns }) => sum + columns.meta.size, 0);
        return tracks < threadFrom ? runStepsWithPauses(mergeSegments(input)) : maker.merge(input);
      },
      changes: (after) => this.#changes(after),
    });
    return { index, seq };
  }

  async #changes(after: number): Promise<ChangedSegment> {
    const { store, maker } = this.#options;
    const head = await store.changes.head();
    return head - after < CHANGES_FROM ? changedSegment(store, after) : maker.changes(after);
  }
}
