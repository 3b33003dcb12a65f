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
    const started = this.#last.then(() => performance.now());
    const done = started.then(job);
    const ended = done.then(nothing, nothing);
    this.#last = Promise.all([started, ended]).then(([startedAt]) => this.#pauseSince(startedAt));
    return done;
  }

  /** Ends the pauses. */
  close(): void {
    this.#closing.abort();
  }

  /** Has a scope of its own: the pause would keep the job, which may be hundreds of megabytes. */
  #pauseSince(startedAt: number): Promise<void> {
    const ms = performance.now() - startedAt;
    return sleep(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(nothing);
  }
}

function nothing(): void {}
