import type { Worker } from 'node:worker_threads';
import type { StoreLocation } from '../app/open-store.ts';
import type { Clock } from '../common/clock.ts';
import type { Log } from '../common/log.ts';
import { deserializeError } from '../common/serialized-error.ts';
import { type WaitPolicy, waitLog } from '../common/wait-policy.ts';
import type { ChangedSegment } from '../search/changed-segment.ts';
import type { SegmentColumns } from '../search/columns.ts';
import type { MergeInput } from '../search/merge.ts';
import type { IndexMaker } from './index-source.ts';
import type { IndexJob, IndexNews } from './index-thread.ts';
import { Pace } from './pace.ts';
import { startThread } from './start-thread.ts';

/** The dependencies of IndexJobs. */
export interface IndexJobsOptions {
  /** The location of the store, which each thread opens itself. */
  location: StoreLocation;
  clock: Clock;
  log: Log;
  /** How long a thread waits for the store. Default: not at all. */
  waitPolicy?: WaitPolicy;
}

/** No removed tracks. */
const NOTHING = new Uint32Array();

/** Makes each segment in a thread of its own, and writes snapshots of them. */
export class IndexJobs implements IndexMaker {
  readonly #deps: IndexJobsOptions;
  readonly #pace = new Pace();
  readonly #running = new Map<Worker, { isKeeping: boolean }>();
  #isClosed = false;

  constructor(deps: IndexJobsOptions) {
    this.#deps = deps;
    // The signal does not reach a thread that waits, so the thread is ended.
    deps.waitPolicy?.signal?.addEventListener('abort', () => void this.close(), { once: true });
  }

  /** Not paced: nothing is served until the index is open. */
  async open(): Promise<SegmentColumns> {
    return (await this.#run({ kind: 'open' })).columns;
  }

  build(notBefore: number): Promise<SegmentColumns> {
    return this.#pace.run(async () => (await this.#run({ kind: 'build', notBefore })).columns);
  }

  merge(input: MergeInput): Promise<SegmentColumns> {
    return this.#pace.run(async () => (await this.#run({ kind: 'merge', input })).columns);
  }

  changes(after: number): Promise<ChangedSegment> {
    return this.#pace.run(() => this.#run({ kind: 'changes', after }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pace.close();
    await Promise.all(
      [...this.#running].map(async ([thread, { isKeeping }]) => {
        if (isKeeping) await new Promise((resolve) => thread.once('exit', resolve));
        else await thread.terminate();
      }),
    );
  }

  /** Resolves with the segment. Unless it has only changes, the thread then writes its snapshot. */
  async #run(work: IndexJob['work']): Promise<ChangedSegment> {
    if (this.#isClosed) {
      throw new Error('The index thread was ended');
    }
    const { location, clock, log, waitPolicy } = this.#deps;
    const waits = waitLog(log);
    const job: IndexJob = { store: location, now: clock.now(), waitMs: waitPolicy?.ms ?? 0, work };
    const thread = startThread('./index-thread.ts', { workerData: job });
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
          state.isKeeping = news.from === 'store' || news.from === 'merge';
          this.#report(news);
          resolve({ removed: NOTHING, ...news });
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

  #report(news: Extract<IndexNews, { columns: SegmentColumns }>): void {
    const { log } = this.#deps;
    const { from, columns } = news;
    if ('refused' in news) {
      log.warn({ reason: news.refused }, 'the snapshot of the search index was not used');
    }
    // Such a segment is a part of an index, and there may be several in a second.
    if (from === 'changes') log.debug({ tracks: columns.meta.size }, 'search index extended');
    else log.info({ from, tracks: columns.meta.size }, 'search index ready');
  }
}
