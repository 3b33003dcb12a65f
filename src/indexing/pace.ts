import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs jobs one after another, each followed by a pause as long as the job took. While the log grows quickly,
 * each job finds more to do than the one before, but all together take at most half of the time, and leave the
 * rest to the requests and to whatever writes the log.
 */
export class Pace {
  readonly #closing = new AbortController();
  /** The end of the last job and its pause. */
  #last: Promise<void> = Promise.resolve();

  run<T>(job: () => Promise<T>): Promise<T> {
    let startedAt = 0;
    const done = this.#last.then(() => {
      startedAt = performance.now();
      return job();
    });
    const pause = () =>
      sleep(performance.now() - startedAt, undefined, {
        signal: this.#closing.signal,
        ref: false,
      }).catch(() => {});
    this.#last = done.then(pause, pause);
    return done;
  }

  /** Ends the pauses. */
  close(): void {
    this.#closing.abort();
  }
}
