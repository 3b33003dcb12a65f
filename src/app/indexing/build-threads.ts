import type { Worker } from 'node:worker_threads';
import { deserializeError } from '../../common/threads/serialized-error.ts';
import { LITTLE_MEMORY, startThread } from '../../common/threads/start-thread.ts';
import { type BuildTask, buffersOf, type TaskResult } from './build-tasks.ts';
import type { BuildNews, BuildThreadData } from './build-thread.ts';

/** A task that waits for a thread or is being done. */
interface Pending {
  task: BuildTask;
  resolve: (result: TaskResult) => void;
  reject: (reason: unknown) => void;
}

/** The options of BuildThreads. */
export interface BuildThreadsOptions {
  /** The number of threads besides the present one. */
  count: number;
  /** Does a task in the present thread, with pauses. */
  runHere: (task: BuildTask) => Promise<TaskResult>;
  data: BuildThreadData;
  /** Called when a thread begins to wait for the store while no other waits, and again while it waits. */
  onWait: (reason: string) => void;
  /** Called when no thread waits any longer; `ms` is how long the last one waited. */
  onContinue: (ms: number) => void;
}

/**
 * Threads that do the tasks of builds, each one task at a time. The present thread is one of them: it has loaded the
 * modules already, and would otherwise have nothing to do. After a failure, all tasks fail.
 */
export class BuildThreads {
  readonly #options: BuildThreadsOptions;
  readonly #threads: readonly Worker[];
  readonly #idle: (Worker | 'here')[];
  readonly #queue: Pending[] = [];
  readonly #busy = new Map<Worker | 'here', Pending>();
  /** The threads that wait for the store, the first of which is reported. */
  readonly #waiting = new Set<Worker>();
  #failure: Error | undefined;

  constructor(options: BuildThreadsOptions) {
    this.#options = options;
    this.#threads = Array.from({ length: options.count }, () => this.#start());
    this.#idle = [...this.#threads, 'here'];
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
    const thread = startThread(new URL('./build-thread.ts', import.meta.url), {
      workerData: this.#options.data,
      name: 'stave build',
      resourceLimits: LITTLE_MEMORY,
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
      if (thread === 'here') this.#runHere(pending.task);
      else thread.postMessage(pending.task, ownedBy(pending.task));
    }
  }

  #runHere(task: BuildTask): void {
    this.#options.runHere(task).then(
      (result) => this.#noteResult('here', result),
      (error: Error) => this.#fail(error),
    );
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
      this.#noteResult(thread, news.result);
    }
  }

  #noteResult(thread: Worker | 'here', result: TaskResult): void {
    this.#busy.get(thread)?.resolve(result);
    this.#busy.delete(thread);
    this.#idle.push(thread);
    this.#assign();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of [...this.#busy.values(), ...this.#queue.splice(0)]) {
      reject(this.#failure);
    }
    this.#busy.clear();
  }
}

/** The buffers that a task takes with it. */
function ownedBy(task: BuildTask): ArrayBuffer[] {
  return task.kind === 'section' ? buffersOf(task.parts) : [];
}
