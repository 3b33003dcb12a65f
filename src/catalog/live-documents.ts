import { LRUCache } from 'lru-cache';
import { RecentKeys } from '../common/recent-keys.ts';
import type { CatalogStore } from './store.ts';
import type { TrackDocument } from './track.ts';

/** The memory of a cached document besides its text: keys, objects, and the bookkeeping of the cache. */
const OVERHEAD_BYTES = 400;

/** The slots for recently shown tracks: some more than the cache has room for. */
const SHOWN_SLOTS = 1 << 17;

/**
 * The documents of live tracks by row id. Documents that were recently shown more than once come from memory,
 * the others from the store.
 */
export class LiveDocuments {
  readonly #store: Pick<CatalogStore, 'documents'>;
  readonly #cache: LRUCache<number, TrackDocument>;
  readonly #shown = new RecentKeys(SHOWN_SLOTS);
  /** Incremented by each change, so that a document that was read before a change can be recognized. */
  #changes = 0;

  constructor(store: Pick<CatalogStore, 'documents'>, maxBytes: number) {
    this.#store = store;
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: memoryOf });
  }

  /**
   * The documents in the order of the row ids; undefined for tracks that are no longer live. Returns at once
   * if all of them are in memory, otherwise reads the rest from the store in one call.
   */
  of(
    tracks: readonly number[],
  ): (TrackDocument | undefined)[] | Promise<(TrackDocument | undefined)[]> {
    const documents = tracks.map((track) => this.#cache.get(track));
    return documents.includes(undefined) ? this.#withMissing(tracks, documents) : documents;
  }

  /** Must be called with every track that changed. */
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
      // A document that was read before a change may be outdated, so it is not kept.
      if (
        found !== undefined &&
        changes === this.#changes &&
        this.#shown.remember(missing[next]!)
      ) {
        this.#cache.set(missing[next]!, found);
      }
      next++;
      return found;
    });
  }
}

/** A string takes two bytes per character if one of its characters is not in Latin-1. */
function memoryOf({ json, bytes }: TrackDocument): number {
  return (bytes === json.length ? bytes : 2 * json.length) + OVERHEAD_BYTES;
}
