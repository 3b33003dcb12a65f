import { Worker } from 'node:worker_threads';
import type { StoreLocation } from '../app/open-store.ts';
import type { Clock } from '../common/clock.ts';
import type { Log } from '../common/log.ts';
import { deserializeError } from '../common/serialized-error.ts';
import { type WaitPolicy, waitLog } from '../common/wait-policy.ts';
import type { SegmentColumns } from '../search/columns.ts';
import type { MergeInput } from '../search/merge.ts';
import type { IndexMaker } from './index-source.ts';
import type { IndexJob, IndexNews } from './index-thread.ts';

/** The dependencies of IndexJobs. */
export interface IndexJobsOptions {
  /** The location of the store, which each thread opens itself. */
  location: StoreLocation;
  clock: Clock;
  log: Log;
  /** How long a thread waits for the store. Default: not at all. */
  waitPolicy?: WaitPolicy;
}

/** Makes each segment in a thread of its own, and writes snapshots of them. */
export class IndexJobs implements IndexMaker {
  readonly #deps: IndexJobsOptions;
  readonly #running = new Map<Worker, { isKeeping: boolean }>();
  #isClosed = false;

  constructor(deps: IndexJobsOptions) {
    this.#deps = deps;
    // The signal does not reach a thread that waits, so the thread is ended.
    deps.waitPolicy?.signal?.addEventListener('abort', () => void this.close(), { once: true });
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

  /** Resolves with the segment, whose snapshot the thread then writes. */
  async #run(work: IndexJob['work']): Promise<SegmentColumns> {
    if (this.#isClosed) {
      throw new Error('The index thread was ended');
    }
    const { location, clock, log, waitPolicy } = this.#deps;
    const waits = waitLog(log);
    const job: IndexJob = { store: location, now: clock.now(), waitMs: waitPolicy?.ms ?? 0, work };
    const thread = new Worker(new URL('./index-thread.ts', import.meta.url), { workerData: job });
    const state = { isKeeping: false };
    this.#running.set(thread, state);
    thread.once('exit', () => this.#running.delete(thread));
    return new Promise((resolve, reject) => {
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('The index thread was ended')));
      thread.on('message', (news: IndexNews) => {
        if ('waitsFor' in news) {
          waits.onWait(news.waitsFor);
        } else if ('waitedMs' in news) {
          waits.onContinue(news.waitedMs);
        } else if ('columns' in news) {
          state.isKeeping = news.from !== 'snapshot';
          this.#report(news);
          resolve(news.columns);
        } else if ('failure' in news) {
          reject(deserializeError(news.failure));
        } else if ('notWritten' in news) {
          this.#deps.log.warn(
            { reason: news.notWritten },
            'the snapshot of the search index was not written',
          );
        }
      });
    });
  }

  #report({ from, columns, refused }: Extract<IndexNews, { columns: SegmentColumns }>): void {
    const { log } = this.#deps;
    if (refused !== undefined) {
      log.warn({ reason: refused }, 'the snapshot of the search index was not used');
    }
    log.info({ from, tracks: columns.meta.size }, 'search index ready');
  }
}
