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

/** From so many tracks on, a thread and a snapshot are faster than building here. */
const THREAD_FROM = 20_000;

/** From so many changes on, a thread makes a segment of them. */
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
  /** The segment has all changes of tracks after this `seq` of the log, and may have some earlier ones. */
  changes(after: number): Promise<ChangedSegment>;
  /** Ends all jobs, but waits for the writing of a snapshot, which takes a second or two. */
  close(): Promise<void>;
}

export interface ServiceIndexSourceOptions {
  store: Pick<Store, 'catalog' | 'changes'>;
  maker: IndexMaker;
  /** The language of the catalog, by default none. */
  language?: string;
  /**
   * Whether its large indexes merge their base. Default: true. Of several sources in a process, only one does,
   * and the others get the result.
   */
  merges?: boolean;
  /** From so many tracks on, the maker does the work. Default: 20,000. */
  threadFrom?: number;
}

/** Makes the indexes of a service: large ones by a maker, small ones in this thread, in steps between other work. */
export class ServiceIndexSource implements IndexSource {
  readonly #options: ServiceIndexSourceOptions & { threadFrom: number; merges: boolean };
  /** The `seq` of the newest segment that an index here uses. */
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

  close(): Promise<void> {
    return this.#options.maker.close();
  }

  /**
   * Calls `take` with an index over a segment of another source, if the segment is newer than all segments that are used
   * here. Returns whether it was newer.
   */
  async adopt(
    columns: SegmentColumns,
    take: (loaded: LoadedIndex) => Promise<void>,
  ): Promise<boolean> {
    if (columns.meta.seq <= this.#newest) return false;
    await take(this.#indexOver(columns));
    this.#noteUsed(columns);
    return true;
  }

  async #make(make: (maker: IndexMaker) => Promise<SegmentColumns>): Promise<LoadedIndex> {
    const { store, threadFrom, maker, language } = this.#options;
    const { live } = await store.catalog.counts();
    const columns =
      live < threadFrom ? await buildFromStore(store, { language }) : await make(maker);
    this.#noteUsed(columns);
    return this.#indexOver(columns);
  }

  #noteUsed({ meta }: SegmentColumns): void {
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
    const { store, maker, language } = this.#options;
    const head = await store.changes.head();
    return head - after < CHANGES_FROM
      ? changedSegment(store, after, { language })
      : maker.changes(after);
  }
}
