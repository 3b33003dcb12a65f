import type { LanguageCount, LanguageStore } from '../translations.ts';

/** Counts the texts of each language once for all requests until they change, because that may take a second. */
export class SharedCounts {
  readonly #store: Pick<LanguageStore, 'counts'>;
  readonly #version: () => number;
  #latest: { version: number; counts: Promise<LanguageCount[]> } | undefined;
  /** Resolves when the latest count has ended. */
  #ended: Promise<unknown> = Promise.resolve();
  /** The count that begins then. */
  #next: Promise<LanguageCount[]> | undefined;

  /** @param version returns a number that rises with each change of the texts, after the change is committed. */
  constructor(store: Pick<LanguageStore, 'counts'>, version: () => number) {
    this.#store = store;
    this.#version = version;
  }

  read(): Promise<LanguageCount[]> {
    if (this.#latest?.version === this.#version()) return this.#latest.counts;
    // A count that began before the last change is outdated. The next one waits for it, so that there is one at a time.
    this.#next ??= this.#ended.then(() => this.#count());
    return this.#next;
  }

  #count(): Promise<LanguageCount[]> {
    this.#next = undefined;
    const version = this.#version();
    const counts = this.#store.counts();
    this.#latest = { version, counts };
    this.#ended = counts.catch(() => {
      // A failed count is not shared with later requests.
      this.#latest = undefined;
    });
    return counts;
  }
}
