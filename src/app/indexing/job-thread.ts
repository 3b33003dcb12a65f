import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread, parentPort, type Worker } from 'node:worker_threads';
import {
  deserializeError,
  type SerializedError,
  serializeError,
} from '../../common/threads/serialized-error.ts';
import { startThread, type ThreadOptions } from '../../common/threads/start-thread.ts';

/** A message of a thread that does jobs: news of its job, or the end of the job. */
type JobMessage<News> = { news: News } | { failure: SerializedError } | { done: true };

/** Long enough for the pauses between the jobs of a large import, of which each needs the same compiled code. */
const IDLE_MS = 10_000;

/** The options of a JobThread. */
export interface JobThreadOptions extends ThreadOptions {
  /** A thread without a job ends after this time, which frees its memory. Default: 10 seconds. */
  idleMs?: number;
}

/** A thread that does one job after another. It is started for the first one. */
export class JobThread<Job, News> {
  readonly #module: URL | string;
  readonly #options: ThreadOptions;
  readonly #idleMs: number;
  #thread: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  /** The end of the last job. */
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** @param module calls `doJobs` */
  constructor(module: URL | string, { idleMs = IDLE_MS, ...options }: JobThreadOptions) {
    this.#module = module;
    this.#options = options;
    this.#idleMs = idleMs;
  }

  /** Does a job after all earlier ones. Resolves when it is done. */
  run(job: Job, onNews: (news: News) => void): Promise<void> {
    const done = this.#last.then(() => this.#do(job, onNews));
    // A function of this scope would keep the job until it is done, although the thread has it.
    this.#last = done.then(nothing, nothing);
    return done;
  }

  /** Ends the thread. Jobs that are not done are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await this.#thread?.terminate();
  }

  #do(job: Job, onNews: (news: News) => void): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The thread was ended'));
    clearTimeout(this.#idleTimer);
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ended = () => reject(new Error('The thread was ended'));
    const take = (message: JobMessage<News>) => {
      if ('news' in message) onNews(message.news);
      else if ('failure' in message) reject(deserializeError(message.failure));
      else resolve();
    };
    thread.on('message', take).on('error', reject).on('exit', ended).postMessage(job);
    return promise.finally(() => {
      thread.off('message', take).off('error', reject).off('exit', ended);
      this.#endWhenIdle(thread);
    });
  }

  /** Has a scope of its own: the timer would keep the job of `#do`, which may be hundreds of megabytes. */
  #endWhenIdle(thread: Worker): void {
    // The timer would keep the process alive.
    if (this.#isClosed) return;
    this.#idleTimer = setTimeout(() => {
      this.#forget(thread);
      thread.postMessage('end');
    }, this.#idleMs);
  }

  #start(): Worker {
    const thread = startThread(this.#module, this.#options);
    thread.once('exit', () => this.#forget(thread));
    // Without a listener, an error between two jobs would end the process.
    thread.on('error', () => this.#forget(thread));
    return thread;
  }

  #forget(thread: Worker): void {
    if (this.#thread === thread) this.#thread = undefined;
  }
}

function nothing(): void {}

/**
 * Does the jobs that a JobThread sends to this thread, and frees the memory of each one after it. Does nothing in the
 * main thread, for tests.
 */
export function doJobs<Job, News>(
  run: (job: Job, tell: (news: News) => void) => Promise<void>,
): void {
  if (isMainThread) return;
  const port = parentPort!;
  const post = (message: JobMessage<News>) => port.postMessage(message);
  port.on('message', (job: Job | 'end') => {
    if (job === 'end') {
      port.close();
      return;
    }
    run(job, (news) => post({ news }))
      .then(
        () => post({ done: true }),
        (error: unknown) => post({ failure: serializeError(error) }),
      )
      .then(() => setImmediate(collectGarbage));
  });
}

/**
 * Frees all memory of this thread that is no longer referenced, which takes some tens of milliseconds. V8 does not count
 * shared memory, so it would keep segments of hundreds of megabytes until a thread needs memory for something else.
 */
export function collectGarbage(): void {
  collect ??= makeCollect();
  collect();
}

let collect: (() => void) | undefined;

/** Only a context that is made after the flag was set has the function. */
function makeCollect(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
