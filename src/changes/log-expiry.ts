import { type Clock, DAY_MS } from '../kernel/clock.ts';
import type { ChangeLog } from './change-log.ts';

/** How long the change log keeps what it may forget; takedowns and removals it keeps for ever. */
export const LOG_DAYS = 90;

/** Makes the change log forget what is past its time, at the start and then once a day. */
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
    /** Pause between two runs, in milliseconds; a day by default. */
    intervalMs?: number;
    /** Told of each failure; the next run tries again. */
    onError: (error: unknown) => void;
  }) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#intervalMs = options.intervalMs ?? DAY_MS;
    this.#onError = options.onError;
  }

  /** The first run is at once. The timer does not keep the process alive. */
  start(): void {
    this.#timer = setInterval(() => this.#run(), this.#intervalMs).unref();
    this.#run();
  }

  /** Runs no more. Resolves once a run under way has ended, which it does after its transaction. */
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
