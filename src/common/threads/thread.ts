import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads';
import { Calls, type Moved, type Offer } from './calls.ts';

/** The limits of a thread that need not be fast. By default, a thread takes much more before it collects garbage. */
export const LITTLE_MEMORY: ResourceLimits = { maxYoungGenerationSizeMb: 24 };

/** Lowers the priority of a thread so that it gives way to all others that need a processor. */
export const IN_BACKGROUND = 10;
/** Lowers the priority of a thread that writes to the store: it holds locks, so it must not wait for long. */
export const BELOW_REQUESTS = 5;

export interface ThreadOptions extends Omit<WorkerOptions, 'argv'> {
  /**
   * How much lower its priority is than that of the calling thread. This also applies to each thread that it starts,
   * and has an effect on Linux only.
   */
  lowerBy?: number;
  /** What the thread may call. */
  offer?: object;
  moved?: Moved;
}

/** A thread has ended without an error, or was ended. */
export class ThreadEnded extends Error {
  constructor() {
    super('The thread was ended');
  }
}

/**
 * A thread that runs a module, given as an absolute URL, with the compile cache. The module calls `offerToStarter`. The
 * thread does not keep the process alive while it has nothing to respond to.
 */
export class Thread<Offered extends Offer<Offered>> {
  readonly #worker: Worker;
  readonly #calls: Calls<Offered>;
  /** The process must not end before `terminate` has. */
  #isEnding = false;
  readonly #ended = Promise.withResolvers<Error>();

  constructor(
    module: URL | string,
    { lowerBy = 0, offer = {}, moved, ...options }: ThreadOptions = {},
  ) {
    const argv = [String(module), String(lowerBy)];
    this.#worker = new Worker(new URL('./thread-entry.ts', import.meta.url), { ...options, argv });
    this.#calls = new Calls<Offered>(this.#worker, offer, moved);
    this.#worker.unref();
    this.#worker.on('error', (error) => this.#end(error as Error));
    this.#worker.on('exit', () => this.#end(new ThreadEnded()));
    if (options.stdout) this.#worker.stdout.resume();
    if (options.stderr) this.#worker.stderr.resume();
  }

  /** Resolves with the reason when the thread has ended or is being ended. Never rejects. */
  get ended(): Promise<Error> {
    return this.#ended.promise;
  }

  get isIdle(): boolean {
    return this.#calls.isIdle;
  }

  /** Calls a function of the thread. Rejects with its error, or with the reason of the end of the thread. */
  readonly call: Calls<Offered>['call'] = (name, ...args) => {
    const response = this.#calls.call(name, ...args);
    this.#worker.ref();
    return response.finally(() => {
      if (this.#calls.isIdle && !this.#isEnding) this.#worker.unref();
    });
  };

  readonly tell: Calls<Offered>['tell'] = (name, ...args) => {
    this.call(name, ...args).catch(() => {});
  };

  /** Ends the thread. Rejects the open calls with the reason. */
  async terminate(reason: Error = new ThreadEnded()): Promise<void> {
    this.#isEnding = true;
    this.#end(reason);
    await this.#worker.terminate();
  }

  #end(reason: Error): void {
    this.#calls.fail(reason);
    this.#ended.resolve(reason);
  }
}

export interface LazyThreadOptions extends ThreadOptions {
  /** The thread ends when it had nothing to do for this time, which frees its memory. Default: it does not. */
  idleMs?: number;
}

/** A thread that is started by the first call, and again by the first call after its end. */
export class LazyThread<Offered extends Offer<Offered>> {
  readonly #module: URL | string;
  readonly #options: ThreadOptions;
  readonly #idleMs: number | undefined;
  #thread: Thread<Offered> | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(module: URL | string, { idleMs, ...options }: LazyThreadOptions = {}) {
    this.#module = module;
    this.#options = options;
    this.#idleMs = idleMs;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Starts the thread before its first call, so that it loads its modules meanwhile. */
  prepare(): void {
    this.#thread ??= this.#start();
  }

  readonly call: Calls<Offered>['call'] = (name, ...args) => {
    if (this.#isClosed) return Promise.reject(new ThreadEnded());
    clearTimeout(this.#idleTimer);
    this.#thread ??= this.#start();
    return this.#thread.call(name, ...args).finally(() => this.#endWhenIdle());
  };

  /** Ends the thread. The next call starts another one. */
  async end(reason?: Error): Promise<void> {
    clearTimeout(this.#idleTimer);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate(reason);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.end();
  }

  #start(): Thread<Offered> {
    const thread = new Thread<Offered>(this.#module, this.#options);
    void thread.ended.then(() => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    return thread;
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    if (this.#idleMs === undefined || this.#thread?.isIdle !== true) return;
    this.#idleTimer = setTimeout(() => void this.end(), this.#idleMs).unref();
  }
}

/**
 * Keeps the heap small in a process that makes many short-lived objects, such as the records of an import. Such objects
 * let V8 grow its young generation to 130 MB, and its old generation to five times what is in use. With these limits an
 * import is as fast. Node ignores the first flag on its command line. The script bin/stave limits the young generation of an
 * import itself, to 8 MB, which takes a tenth less time than not letting it grow.
 */
export function keepHeapSmall(): void {
  const isLimited = process.execArgv.some((flag) => flag.startsWith('--max-semi-space-size'));
  if (!isLimited) setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=100');
}
