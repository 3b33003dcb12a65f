import type { Change } from '../../engines/change-log/change-log.ts';
import type { SynonymStore } from './store/synonym-store.ts';
import { Synonyms, shippedSynonyms } from './synonyms.ts';

/** The shipped synonyms and those of the operator, as current as the follower that calls `apply`. */
export class LiveSynonyms {
  readonly #store: Pick<SynonymStore, 'all'>;
  readonly #shipped = shippedSynonyms();
  #current = new Synonyms(this.#shipped);
  #version = 0;

  constructor(store: Pick<SynonymStore, 'all'>) {
    this.#store = store;
  }

  get current(): Synonyms {
    return this.#current;
  }

  /** Rises with each change. */
  get version(): number {
    return this.#version;
  }

  /** Reads the synonyms of the operator, which replace shipped ones of the same term. */
  async load(): Promise<void> {
    this.#current = new Synonyms([...this.#shipped, ...(await this.#store.all())]);
    this.#version++;
  }

  /** Reads them again after an import. It may be repeated. */
  async apply(changes: readonly Change[]): Promise<void> {
    if (changes.some(({ entity }) => entity === 'brief')) await this.load();
  }
}
