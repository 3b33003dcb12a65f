import { LRUCache } from 'lru-cache';
import { Repeats } from '../kernel/repeats.ts';
import type { CatalogStore } from './store.ts';
import type { TrackDocument } from './track.ts';

/** What a cached document takes besides its text: keys, objects, the cache's own bookkeeping. */
const OVERHEAD_BYTES = 400;

/** So many tracks that were shown are remembered: some more than the cache has room for. */
const SHOWN_PLACES = 1 << 17;

/** Documents of live tracks by number: those shown more than once of late from memory, the rest from the store. */
export class LiveDocuments {
  readonly #store: Pick<CatalogStore, 'documents'>;
  readonly #cache: LRUCache<number, TrackDocument>;
  readonly #shown = new Repeats(SHOWN_PLACES);
  /** Rises with each change; tells whether a document was read before it. */
  #changes = 0;

  constructor(store: Pick<CatalogStore, 'documents'>, maxBytes: number) {
    this.#store = store;
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: memoryOf });
  }

  /**
   * In the order of the numbers; undefined for what is no longer live. At once where all of them are
   * in memory, else with one reading of the store for the rest.
   */
  of(
    tracks: readonly number[],
  ): (TrackDocument | undefined)[] | Promise<(TrackDocument | undefined)[]> {
    const documents = tracks.map((track) => this.#cache.get(track));
    return documents.includes(undefined) ? this.#withMissing(tracks, documents) : documents;
  }

  /** To be called with every track that changed. */
  forget(tracks: Iterable<number>): void {
    this.#changes++;
    for (const track of tracks) this.#cache.delete(track);
  }

  forgetAll(): void {
    this.#changes++;
    this.#cache.clear();
  }

  async #withMissing(
    tracks: readonly number[],
    documents: readonly (TrackDocument | undefined)[],
  ): Promise<(TrackDocument | undefined)[]> {
    const changes = this.#changes;
    const missing = tracks.filter((_, i) => documents[i] === undefined);
    const read = await this.#store.documents(missing);
    let next = 0;
    return documents.map((document) => {
      if (document !== undefined) return document;
      const found = read[next];
      // Read before a change that has been taken in since, it may be the old one: not kept.
      if (found !== undefined && changes === this.#changes && this.#shown.has(missing[next]!)) {
        this.#cache.set(missing[next]!, found);
      }
      next++;
      return found;
    });
  }
}

/** A text takes two bytes a character as soon as one of them is not Latin. */
function memoryOf({ json, bytes }: TrackDocument): number {
  return (bytes === json.length ? bytes : 2 * json.length) + OVERHEAD_BYTES;
}
