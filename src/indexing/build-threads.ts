import type { Worker } from 'node:worker_threads';
import { deserializeError } from '../common/serialized-error.ts';
import type { BuildNews, BuildTask, BuildThreadData, TaskResult } from './build-thread.ts';
import { startThread } from './start-thread.ts';

/** The memory for new objects of a thread. By default, a thread takes much more before it collects garbage. */
const YOUNG_MB = 24;

/** A task that waits for a thread or is being done. */
interface Pending {
  task: BuildTask;
  resolve: (result: TaskResult) => void;
  reject: (reason: unknown) => void;
}

/** The options of BuildThreads. */
export interface BuildThreadsOptions {
  count: number;
  data: BuildThreadData;
  /** Called when a thread begins to wait for the store while no other waits, and again while it waits. */
  onWait: (reason: string) => void;
  /** Called when no thread waits any longer; `ms` is how long the last one waited. */
  onContinue: (ms: number) => void;
}

/** Threads that do the tasks of builds, each one task at a time. After a failure, all tasks fail. */
export class BuildThreads {
  readonly #options: BuildThreadsOptions;
  readonly #threads: readonly Worker[];
  readonly #idle: Worker[];
  readonly #queue: Pending[] = [];
  readonly #busy = new Map<Worker, Pending>();
  /** The threads that wait for the store, the first of which is reported. */
  readonly #waiting = new Set<Worker>();
  #failure: Error | undefined;

  constructor(options: BuildThreadsOptions) {
    this.#options = options;
    this.#threads = Array.from({ length: options.count }, () => this.#start());
    this.#idle = [...this.#threads];
  }

  /** Does a task as soon as a thread is free. */
  run<R extends TaskResult>(task: BuildTask): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<TaskResult>();
    this.#queue.push({ task, resolve, reject });
    this.#assign();
    return promise as Promise<R>;
  }

  /** Ends the threads. Tasks that are not done fail. */
  async close(): Promise<void> {
    const isIdle = this.#busy.size === 0 && this.#failure === undefined;
    this.#fail(new Error('The build threads were ended'));
    await Promise.all(
      this.#threads.map(async (thread) => {
        if (thread.threadId === -1) return;
        if (!isIdle) return void (await thread.terminate());
        const ended = new Promise((resolve) => thread.once('exit', resolve));
        thread.postMessage('end');
        await ended;
      }),
    );
  }

  #start(): Worker {
    const thread = startThread('./build-thread.ts', {
      workerData: this.#options.data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    thread.on('error', (error) => this.#fail(error as Error));
    thread.on('exit', () => this.#fail(new Error('A build thread was ended')));
    thread.on('message', (news: BuildNews) => this.#note(thread, news));
    return thread;
  }

  #assign(): void {
    if (this.#failure !== undefined) this.#fail(this.#failure);
    while (this.#idle.length > 0 && this.#queue.length > 0) {
      const thread = this.#idle.pop()!;
      const pending = this.#queue.shift()!;
      this.#busy.set(thread, pending);
      thread.postMessage(pending.task);
    }
  }

  #note(thread: Worker, news: BuildNews): void {
    if ('waitsFor' in news) {
      this.#waiting.add(thread);
      if (this.#waiting.values().next().value === thread) this.#options.onWait(news.waitsFor);
    } else if ('waitedMs' in news) {
      this.#waiting.delete(thread);
      if (this.#waiting.size === 0) this.#options.onContinue(news.waitedMs);
    } else if ('failure' in news) {
      this.#fail(deserializeError(news.failure));
    } else {
      this.#busy.get(thread)?.resolve(news.result);
      this.#busy.delete(thread);
      this.#idle.push(thread);
      this.#assign();
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of [...this.#busy.values(), ...this.#queue.splice(0)]) {
      reject(this.#failure);
    }
    this.#busy.clear();
  }
}
