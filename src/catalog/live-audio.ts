import { LRUCache } from 'lru-cache';
import type { StaveError } from '../common/errors.ts';
import type { CatalogStore, TrackAudio } from './store.ts';

/** The greatest number of remembered tracks, which take about 15 MB. */
const MAX_REMEMBERED = 50_000;

/**
 * What media requests need of tracks. It is read from the store for each request, so that a takedown ends
 * streams at once; while the store is unavailable, it comes from memory, so that streams continue. Must be
 * notified of every change.
 */
export class LiveAudio implements Pick<CatalogStore, 'trackAudio'> {
  readonly #store: Pick<CatalogStore, 'trackAudio'>;
  readonly #cache = new LRUCache<string, TrackAudio>({ max: MAX_REMEMBERED });
  /** Incremented by each change, so that a value that was read before a change can be recognized. */
  #changes = 0;

  constructor(store: Pick<CatalogStore, 'trackAudio'>) {
    this.#store = store;
  }

  async trackAudio(id: string): Promise<TrackAudio | undefined> {
    const changes = this.#changes;
    try {
      const audio = await this.#store.trackAudio(id);
      // A value that was read before a change may be outdated, so it is not kept.
      if (audio !== undefined && changes === this.#changes) this.#cache.set(id, audio);
      return audio;
    } catch (error) {
      const known = this.#cache.get(id);
      if (known !== undefined && (error as Partial<StaveError>).kind === 'unavailable')
        return known;
      throw error;
    }
  }

  /** Must be called with the ids of all changed tracks, in the order of the log. */
  forget(ids: Iterable<string>): void {
    this.#changes++;
    for (const id of ids) this.#cache.delete(id);
  }
}
