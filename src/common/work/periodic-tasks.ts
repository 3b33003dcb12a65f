export interface Task {
  /** What the task does, for the log: `shortening the change log`. */
  name: string;
  /** The signal ends it soon. */
  run(signal: AbortSignal): Promise<unknown>;
}

/** Runs tasks one after another, at the start and then at each interval, unless the run before has not ended. */
export class PeriodicTasks {
  readonly #tasks: readonly Task[];
  readonly #intervalMs: number;
  readonly #onError: (error: unknown, task: Task) => void;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** The present run; undefined between runs. */
  #running: Promise<void> | undefined;

  constructor(options: {
    tasks: readonly Task[];
    /** The interval between the beginnings of the runs, in milliseconds. */
    intervalMs: number;
    /** Called for each task that fails. The next task follows, and the next run tries again. */
    onError: (error: unknown, task: Task) => void;
  }) {
    this.#tasks = options.tasks;
    this.#intervalMs = options.intervalMs;
    this.#onError = options.onError;
  }

  /** Starts the runs, the first at once. The timer does not keep the process alive. */
  start(): void {
    const begin = () => {
      this.#running ??= this.#run().finally(() => {
        this.#running = undefined;
      });
    };
    this.#timer = setInterval(begin, this.#intervalMs).unref();
    begin();
  }

  /** Stops the runs. Resolves after the present task, which the signal ends. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (const task of this.#tasks) {
      if (this.#stopping.signal.aborted) return;
      try {
        await task.run(this.#stopping.signal);
      } catch (error) {
        this.#onError(error, task);
      }
    }
  }
}
