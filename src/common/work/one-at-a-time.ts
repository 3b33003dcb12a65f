/** Runs operations one after another, in the order of the calls. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins when the operations before have ended, also if one of them has failed. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = Promise.allSettled([done]);
    return done;
  }
}
