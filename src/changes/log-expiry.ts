import { type Clock, DAY_MS } from '../common/clock.ts';
import type { ChangeLog } from './change-log.ts';

/**
 * The number of days after which entries of the change log expire. Takedowns, withdrawals and removals of
 * tracks never expire.
 */
export const LOG_DAYS = 90;

/** Deletes expired entries of the change log, at the start and then once a day. */
export class LogExpiry {
  readonly #log: Pick<ChangeLog, 'expire'>;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: {
    log: Pick<ChangeLog, 'expire'>;
    clock: Clock;
    /** The interval of the runs, in milliseconds. Default: one day. */
    intervalMs?: number;
    /** Called for each error. The next run tries again. */
    onError: (error: unknown) => void;
  }) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#intervalMs = options.intervalMs ?? DAY_MS;
    this.#onError = options.onError;
  }

  /** Starts the runs, the first at once. The timer does not keep the process alive. */
  start(): void {
    this.#timer = setInterval(() => this.#run(), this.#intervalMs).unref();
    this.#run();
  }

  /** Stops the runs. Resolves after the present run, which ends after its transaction. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  #run(): void {
    this.#running = this.#running.then(async () => {
      try {
        await this.#log.expire(this.#clock.now() - LOG_DAYS * DAY_MS, this.#stopping.signal);
      } catch (error) {
        this.#onError(error);
      }
    });
  }
}
