import type { Worker } from 'node:worker_threads';
import type { CompiledQuery, QueryResult } from 'kysely';
import {
  deserializeError,
  type SerializedError,
} from '../../../common/threads/serialized-error.ts';
import { LITTLE_MEMORY, startThread } from '../../../common/threads/start-thread.ts';

/** A task of the thread: a query that only reads, or a checkpoint. */
export type SecondTask = Pick<CompiledQuery, 'sql' | 'parameters'> | 'checkpoint';

/** The message of the thread at the end of a task. */
export type SecondResult = { rows: unknown[] } | { failure: SerializedError };

/** The data that the thread is started with. */
export interface SecondThreadData {
  /** The path of the database. */
  path: string;
  /** The size of the cache of pages. Default: 48 MB. */
  cacheKilobytes?: number | undefined;
}

/**
 * A second connection to a SQLite file, in a thread of its own, for what would block the event loop: long reads and
 * checkpoints. It does one task after the other. The thread starts with the first task.
 */
export class SecondConnection {
  readonly #data: SecondThreadData;
  #thread: Worker | undefined;
  /** The tasks that the thread has not finished, in the order in which it does them. */
  #waiting: PromiseWithResolvers<SecondResult>[] = [];
  #checkpoint: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(data: SecondThreadData) {
    this.#data = data;
  }

  /** Executes a query that only reads. Its parameters must be plain values. */
  async read({ sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> {
    return { rows: await this.#do({ sql, parameters }) };
  }

  /** Copies the WAL into the database, or waits for the end if that is already being done. Writers do not wait for it. */
  async checkpoint(): Promise<void> {
    this.#checkpoint ??= this.#do('checkpoint').finally(() => {
      this.#checkpoint = undefined;
    });
    await this.#checkpoint;
  }

  /** Ends the thread. Tasks that are not finished are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.terminate();
  }

  async #do(task: SecondTask): Promise<unknown[]> {
    if (this.#isClosed) throw ended();
    this.#thread ??= this.#start();
    const waiting = Promise.withResolvers<SecondResult>();
    this.#waiting.push(waiting);
    // A thread without a task must not keep a process alive that forgets to close the store.
    this.#thread.ref();
    this.#thread.postMessage(task);
    const result = await waiting.promise;
    if (this.#waiting.length === 0) this.#thread?.unref();
    if ('failure' in result) throw deserializeError(result.failure);
    return result.rows;
  }

  #start(): Worker {
    const thread = startThread(new URL('./second-thread.ts', import.meta.url), {
      workerData: this.#data,
      resourceLimits: LITTLE_MEMORY,
    });
    // Each thread has tasks of its own, because one that has failed ends when the next may be at work.
    const waiting: PromiseWithResolvers<SecondResult>[] = [];
    this.#waiting = waiting;
    const end = (error: Error) => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const { reject } of waiting.splice(0)) reject(error);
    };
    thread.on('message', (result: SecondResult) => waiting.shift()?.resolve(result));
    thread.on('error', (error) => end(error as Error)).on('exit', () => end(ended()));
    return thread;
  }
}

function ended(): Error {
  return new Error('The thread of the second connection was ended');
}
