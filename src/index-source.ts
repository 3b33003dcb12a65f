import { Worker } from 'node:worker_threads';
import type { IndexSource, LoadedIndex } from './catalog/catalog-index.ts';
import type { IndexJob, IndexNews } from './index-thread.ts';
import type { Clock } from './kernel/clock.ts';
import type { Log } from './kernel/log.ts';
import { buildFromStore } from './search/build-index.ts';
import type { SegmentColumns } from './search/columns.ts';
import { mergeSegments } from './search/merge.ts';
import { Segment } from './search/segment.ts';
import { SegmentedIndex } from './search/segmented-index.ts';
import { completedInTurns } from './search/steps.ts';
import type { Store } from './storage/store.ts';

/** With fewer tracks, a thread and a snapshot take longer than building does. */
const THREAD_FROM = 20_000;

/** What the source works with. */
export interface ServiceIndexSourceOptions {
  dataFolder: string;
  store: Store;
  clock: Clock;
  log: Log;
  /** From how many tracks on the work is done in a thread of its own, and kept in a snapshot; 20,000. */
  threadFrom?: number;
}

/**
 * Makes the indexes of a service: large ones in a thread of their own, and from a snapshot where there
 * is a good one; small ones in this thread's idle moments.
 */
export class ServiceIndexSource implements IndexSource {
  readonly #options: Required<ServiceIndexSourceOptions>;
  readonly #running = new Map<Worker, { isKeeping: boolean }>();
  #isClosed = false;

  constructor(options: ServiceIndexSourceOptions) {
    this.#options = { threadFrom: THREAD_FROM, ...options };
  }

  open(): Promise<LoadedIndex> {
    return this.#make('open');
  }

  build(): Promise<LoadedIndex> {
    return this.#make('build');
  }

  /** Ends what is under way, but for a snapshot that is being written: that takes a second or two. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      [...this.#running].map(async ([thread, { isKeeping }]) => {
        if (isKeeping) await new Promise((resolve) => thread.once('exit', resolve));
        else await thread.terminate();
      }),
    );
  }

  async #make(kind: 'open' | 'build'): Promise<LoadedIndex> {
    const { store, threadFrom } = this.#options;
    const { live } = await store.catalog.counts();
    const columns = live < threadFrom ? await buildFromStore(store) : await this.#run({ kind });
    const index = new SegmentedIndex(new Segment(columns), {
      merge: (input) =>
        input.base.meta.size + input.delta.meta.size < threadFrom
          ? completedInTurns(mergeSegments(input))
          : this.#run({ kind: 'merge', input }),
    });
    return { index, seq: columns.meta.seq };
  }

  /** Resolves with what the thread made; it goes on to keep it as a snapshot. */
  async #run(work: IndexJob['work']): Promise<SegmentColumns> {
    if (this.#isClosed) {
      throw new Error('The index thread was ended');
    }
    const { dataFolder, clock } = this.#options;
    const job: IndexJob = { dataFolder, now: clock.now(), work };
    const thread = new Worker(new URL('./index-thread.ts', import.meta.url), { workerData: job });
    const state = { isKeeping: false };
    this.#running.set(thread, state);
    thread.once('exit', () => this.#running.delete(thread));
    return new Promise((resolve, reject) => {
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('The index thread was ended')));
      thread.on('message', (news: IndexNews) => {
        if ('columns' in news) {
          state.isKeeping = news.from !== 'snapshot';
          this.#report(news);
          resolve(news.columns);
        } else if ('keptNot' in news) {
          this.#options.log.warn(
            { reason: news.keptNot },
            'the snapshot of the search index was not written',
          );
        }
      });
    });
  }

  #report({ from, columns, refused }: Extract<IndexNews, { columns: SegmentColumns }>): void {
    if (refused !== undefined) {
      this.#options.log.warn(
        { reason: refused },
        'the snapshot of the search index was passed over',
      );
    }
    this.#options.log.info({ from, tracks: columns.meta.size }, 'search index ready');
  }
}
