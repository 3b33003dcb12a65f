import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../common/clock.ts';
import type { Log } from '../../common/log.ts';
import {
  IN_BACKGROUND,
  LazyThread,
  LITTLE_MEMORY,
  type ThreadOptions,
} from '../../common/threads/thread.ts';
import { limited } from '../../common/work/limited.ts';
import { type WaitPolicy, waitLog } from '../../common/work/wait-policy.ts';
import type { ChangedSegment } from '../../engines/search/build/build-index.ts';
import type { MergeInput } from '../../engines/search/build/merge.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import type { StoreLocation } from '../../engines/sql/setting-store.ts';
import { DOCUMENTS_FILE, SNAPSHOT_FILE } from '../open/data-folder.ts';
import type { IndexMaker } from './index-source.ts';
import type { IndexJob, IndexNews } from './index-thread.ts';
import { JOB_IDLE_MS, type JobThread } from './offer-jobs.ts';

export interface IndexJobsOptions {
  /** Each thread opens the store itself. */
  location: StoreLocation;
  clock: Clock;
  log: Log;
  /** The language of the catalog, by default none. */
  language?: string;
  /** Default: a thread does not wait for the store. */
  waitPolicy?: WaitPolicy;
  /** The thread that opens the index, if it was started before. */
  opening?: IndexThread | undefined;
}

const NO_TRACKS = new Uint32Array();

export class IndexThread extends LazyThread<JobThread<IndexJob, IndexNews>> {
  readonly turns = limited(1);

  constructor(options: ThreadOptions) {
    super(new URL('./index-thread.ts', import.meta.url), { idleMs: JOB_IDLE_MS, ...options });
  }
}

/**
 * Starts the thread that opens the index, if the data folder has copies of a large catalog. It then loads its modules while
 * the service loads those of the API.
 */
export function startOpening(dataFolder: string): IndexThread | undefined {
  const isLarge = [SNAPSHOT_FILE, DOCUMENTS_FILE].some((name) =>
    existsSync(join(dataFolder, name)),
  );
  if (!isLarge) return undefined;
  const thread = openingThread();
  thread.prepare();
  return thread;
}

/** Nothing is served until the index is open, so this thread needs a processor as much as any other. */
function openingThread(): IndexThread {
  return new IndexThread({ name: 'stave opening' });
}

/** Makes segments, and writes snapshots of them, in threads. */
export class IndexJobs implements IndexMaker {
  readonly #deps: IndexJobsOptions;
  /** Changes do not wait for the pause after a merge, which is long. */
  readonly #paces = { changes: new Pace(), merges: new Pace() };
  readonly #opening: IndexThread;
  /** What the next call of `open` returns. */
  #begun: Promise<SegmentColumns> | undefined;
  readonly #background = new IndexThread({
    name: 'stave index',
    lowerBy: IN_BACKGROUND,
    resourceLimits: LITTLE_MEMORY,
  });
  /** The jobs that write a snapshot now. */
  readonly #writing = new Map<IndexThread, Promise<void>>();
  #isClosed = false;

  constructor(deps: IndexJobsOptions) {
    this.#deps = deps;
    const { waitPolicy, opening } = deps;
    this.#opening = opening ?? openingThread();
    // The signal does not reach a thread that waits, so the thread is ended.
    const endWaiting = () => {
      if (!waitPolicy?.isOver) void this.close();
    };
    waitPolicy?.signal?.addEventListener('abort', endWaiting, { once: true });
  }

  /**
   * Begins to read the snapshot, if there is one, for the next call of `open`. A build begins with that call, because it
   * takes all processors, and the server would listen later.
   */
  begin(): void {
    if (!existsSync(join(this.#deps.location.dataFolder, SNAPSHOT_FILE))) return;
    this.#begun = this.open();
    // The call of `open` reports an error.
    this.#begun.catch(() => {});
  }

  async open(): Promise<SegmentColumns> {
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun !== undefined) return begun;
    return (await this.#run(this.#opening, { kind: 'open' })).columns;
  }

  async build(notBefore: number): Promise<SegmentColumns> {
    return (await this.#runPaced('merges', { kind: 'build', notBefore })).columns;
  }

  async merge(input: MergeInput): Promise<SegmentColumns> {
    return (await this.#runPaced('merges', { kind: 'merge', input })).columns;
  }

  changes(after: number): Promise<ChangedSegment> {
    return this.#runPaced('changes', { kind: 'changes', after });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const pace of Object.values(this.#paces)) pace.close();
    await Promise.all(
      [this.#opening, this.#background].map(async (thread) => {
        await this.#writing.get(thread);
        await thread.close();
      }),
    );
  }

  #runPaced(pace: 'changes' | 'merges', work: IndexJob['work']): Promise<ChangedSegment> {
    return this.#paces[pace].run(() => this.#run(this.#background, work));
  }

  /** Resolves with the segment. Unless it has only changes, the thread then writes its snapshot. */
  #run(thread: IndexThread, work: IndexJob['work']): Promise<ChangedSegment> {
    const { location, clock, log, waitPolicy, language } = this.#deps;
    const { promise, resolve, reject } = Promise.withResolvers<ChangedSegment>();
    if (this.#isClosed) {
      reject(new Error('The index thread was ended'));
      return promise;
    }
    const waits = waitLog(log);
    const waitMs = waitPolicy?.ms ?? 0;
    const job: IndexJob = { store: location, language, now: clock.now(), waitMs, work };
    const onNews = (news: IndexNews) => {
      if ('waitsFor' in news) {
        waits.onWait(news.waitsFor);
      } else if ('waitedMs' in news) {
        waits.onContinue(news.waitedMs);
      } else if ('columns' in news) {
        if (news.from === 'store' || news.from === 'merge') this.#writing.set(thread, done);
        this.#report(news);
        resolve({ removed: NO_TRACKS, ...news });
      } else {
        log.warn({ reason: news.notWritten }, 'the snapshot of the search index was not written');
      }
    };
    const done = thread
      .turns(() => thread.call('run', job, onNews))
      // This has no effect if the segment has been sent.
      .catch(reject)
      .finally(() => this.#writing.delete(thread));
    return promise;
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

/**
 * Runs jobs one after another, each followed by a pause as long as the job took. While the log grows quickly,
 * each job finds more to do than the one before, but all together take at most half of the time, and leave the
 * rest to the requests and to whatever writes the log.
 */
class Pace {
  readonly #closing = new AbortController();
  /** The end of the last job and its pause. */
  #last: Promise<void> = Promise.resolve();

  run<T>(job: () => Promise<T>): Promise<T> {
    const started = this.#last.then(() => performance.now());
    const done = started.then(job);
    const ended = done.then(nothing, nothing);
    this.#last = Promise.all([started, ended]).then(([startedAt]) => this.#pauseSince(startedAt));
    return done;
  }

  close(): void {
    this.#closing.abort();
  }

  /** Has a scope of its own: the pause would keep the job, which may be hundreds of megabytes. */
  #pauseSince(startedAt: number): Promise<void> {
    const ms = performance.now() - startedAt;
    return sleep(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(nothing);
  }
}

function nothing(): void {}
