import { Worker } from 'node:worker_threads';
import type { IndexMaker } from './index-source.ts';
import type { IndexJob, IndexNews } from './index-thread.ts';
import type { Clock } from './kernel/clock.ts';
import type { Log } from './kernel/log.ts';
import type { StoreLocation } from './open-store.ts';
import type { SegmentColumns } from './search/columns.ts';
import type { MergeInput } from './search/merge.ts';

/** Makes segments in a thread for each, and keeps them as snapshots. */
export class IndexJobs implements IndexMaker {
  readonly #deps: { location: StoreLocation; clock: Clock; log: Log };
  readonly #running = new Map<Worker, { isKeeping: boolean }>();
  #isClosed = false;

  /** @param deps.location where the store lies, for a thread to open it again. */
  constructor(deps: { location: StoreLocation; clock: Clock; log: Log }) {
    this.#deps = deps;
  }

  open(): Promise<SegmentColumns> {
    return this.#run({ kind: 'open' });
  }

  build(notBefore: number): Promise<SegmentColumns> {
    return this.#run({ kind: 'build', notBefore });
  }

  merge(input: MergeInput): Promise<SegmentColumns> {
    return this.#run({ kind: 'merge', input });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      [...this.#running].map(async ([thread, { isKeeping }]) => {
        if (isKeeping) await new Promise((resolve) => thread.once('exit', resolve));
        else await thread.terminate();
      }),
    );
  }

  /** Resolves with what the thread made; it goes on to keep it as a snapshot. */
  async #run(work: IndexJob['work']): Promise<SegmentColumns> {
    if (this.#isClosed) {
      throw new Error('The index thread was ended');
    }
    const { location, clock } = this.#deps;
    const job: IndexJob = { store: location, now: clock.now(), work };
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
          this.#deps.log.warn(
            { reason: news.keptNot },
            'the snapshot of the search index was not written',
          );
        }
      });
    });
  }

  #report({ from, columns, refused }: Extract<IndexNews, { columns: SegmentColumns }>): void {
    const { log } = this.#deps;
    if (refused !== undefined) {
      log.warn({ reason: refused }, 'the snapshot of the search index was passed over');
    }
    log.info({ from, tracks: columns.meta.size }, 'search index ready');
  }
}
