import type { IndexSource, LoadedIndex } from './catalog/catalog-index.ts';
import { buildFromStore } from './search/build-index.ts';
import type { SegmentColumns } from './search/columns.ts';
import { type MergeInput, mergeSegments } from './search/merge.ts';
import { Segment } from './search/segment.ts';
import { SegmentedIndex } from './search/segmented-index.ts';
import { completedInTurns } from './search/steps.ts';
import type { Store } from './storage/store.ts';

/** With fewer tracks, a thread and a snapshot take longer than building does. */
const THREAD_FROM = 20_000;

/** Makes segments of large catalogs, elsewhere than in the thread that serves. */
export interface IndexMaker {
  /** For a start: from the last snapshot where there is a good one, else built. */
  open(): Promise<SegmentColumns>;
  /** From the store, at least as far in the change log as `notBefore`; may be one that was made before. */
  build(notBefore: number): Promise<SegmentColumns>;
  merge(input: MergeInput): Promise<SegmentColumns>;
  /** Ends what is under way, but for a snapshot that is being written: that takes a second or two. */
  close(): Promise<void>;
}

/** What the source works with. */
export interface ServiceIndexSourceOptions {
  store: Pick<Store, 'catalog' | 'changes'>;
  maker: IndexMaker;
  /**
   * Whether its large indexes merge, as they do by default; of several in a process one does, and
   * the others are handed what comes of it.
   */
  merges?: boolean;
  /** From how many tracks on the work is left to the maker; 20,000. */
  threadFrom?: number;
}

/** Makes the indexes of a service: of large catalogs by a maker, of small ones in this thread's idle moments. */
export class ServiceIndexSource implements IndexSource {
  readonly #options: Required<ServiceIndexSourceOptions>;
  /** How far in the log the newest segment was that an index was made over. */
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

  /** As the maker's. */
  close(): Promise<void> {
    return this.#options.maker.close();
  }

  /**
   * Hands `take` an index over a segment that another's merge or build has made, where it is newer than
   * all that were used here; whether it was.
   */
  async goOver(
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
    const { size, seq } = columns.meta;
    const index = new SegmentedIndex(new Segment(columns), {
      ...(size >= threadFrom && !merges && { mergeAtLeast: Number.POSITIVE_INFINITY }),
      merge: (input) =>
        merges && input.base.meta.size + input.delta.meta.size >= threadFrom
          ? maker.merge(input)
          : completedInTurns(mergeSegments(input)),
    });
    return { index, seq };
  }
}
