export interface Task {
  /** What the task does, for the log: `shortening the change log`. */
  name: string;
  /** The signal ends it soon. */
  run(signal: AbortSignal): Promise<unknown>;
}

interface PeriodicOptions {
  tasks: readonly Task[];
  /** The interval between the beginnings of the runs, in milliseconds. */
  intervalMs: number;
  /** Called for each task that fails. The next task follows, and the next run tries again. */
  onError: (error: unknown, task: Task) => void;
}

/** Runs tasks one after another, at the start and then at each interval, unless the run before has not ended. */
export class PeriodicTasks {
  readonly #options: PeriodicOptions;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** The present run; undefined between runs. */
  #running: Promise<void> | undefined;

  constructor(options: PeriodicOptions) {
    this.#options = options;
  }

  /** Starts the runs, the first at once. The timer does not keep the process alive. */
  start(): void {
    const begin = () => {
      this.#running ??= this.#run().finally(() => {
        this.#running = undefined;
      });
    };
    this.#timer = setInterval(begin, this.#options.intervalMs).unref();
    begin();
  }

  /** Stops the runs. Resolves after the present task, which the signal ends. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (const task of this.#options.tasks) {
      if (this.#stopping.signal.aborted) return;
      try {
        await task.run(this.#stopping.signal);
      } catch (error) {
        this.#options.onError(error, task);
      }
    }
  }
}
