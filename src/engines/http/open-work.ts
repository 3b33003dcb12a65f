/** The work that must end before the service does, also if the callers have left that requested it. */
export class OpenWork {
  readonly #open = new Set<Promise<unknown>>();

  /** Returns the promise that it is given, and remembers it until it is settled. */
  add<Result>(work: Promise<Result>): Promise<Result> {
    this.#open.add(work);
    const forget = () => this.#open.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Resolves when all work that is open now has ended. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#open);
  }
}
