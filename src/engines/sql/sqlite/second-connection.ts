import type { CompiledQuery, QueryResult } from 'kysely';
import { LazyThread, LITTLE_MEMORY, ThreadEnded } from '../../../common/threads/thread.ts';

export interface SecondThreadData {
  /** The path of the database. */
  path: string;
  /** How long a statement waits for a lock of another process. Default: 8 seconds. */
  busyTimeoutMs?: number;
  /** The size of the cache of pages. Default: 48 MB. */
  cacheKilobytes?: number | undefined;
}

export interface SecondThread {
  read(query: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<unknown[]>;
  checkpoint(): Promise<void>;
  giveBack(pages: number): Promise<void>;
  run(module: string, ...args: unknown[]): Promise<unknown>;
}

/**
 * A second connection to a SQLite file, in a thread of its own, for what would block the event loop: long reads,
 * checkpoints, and writes that are many. The thread starts with the first task.
 */
export class SecondConnection {
  readonly path: string;
  readonly #thread: LazyThread<SecondThread>;
  readonly #running = new Set<Promise<unknown>>();
  #checkpoint: Promise<void> | undefined;
  #isClosed = false;

  constructor(data: SecondThreadData) {
    this.path = data.path;
    this.#thread = new LazyThread(new URL('./second-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: LITTLE_MEMORY,
    });
  }

  /** Executes a query that only reads. Its parameters must be plain values. */
  async read({ sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> {
    if (this.#isClosed) throw new ThreadEnded();
    return { rows: await this.#thread.call('read', { sql, parameters }) };
  }

  /** Copies the WAL into the database, or waits for the end if that is already being done. Writers do not wait for it. */
  async checkpoint(): Promise<void> {
    if (this.#isClosed) throw new ThreadEnded();
    this.#checkpoint ??= this.#thread.call('checkpoint').finally(() => {
      this.#checkpoint = undefined;
    });
    await this.#checkpoint;
  }

  /** As `Database.giveBack`. */
  async giveBack(pages: number): Promise<void> {
    if (this.#isClosed) throw new ThreadEnded();
    await this.#thread.call('giveBack', pages);
  }

  /**
   * Calls the function `run` of a module in the thread, with a SqlDatabase on its connection and the arguments, which are
   * cloned. Those that are functions run here. Rejects if the thread ends meanwhile.
   */
  async run(module: URL, ...args: unknown[]): Promise<unknown> {
    if (this.#isClosed) throw new ThreadEnded();
    const running = this.#thread.call('run', module.href, ...args);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Ends the thread when all calls of `run` have ended. Reads that are not finished are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await this.#thread.close();
  }
}
