import { LRUCache } from 'lru-cache';
import type { StaveError } from '../kernel/errors.ts';
import type { CatalogStore, TrackAudio } from './store.ts';

/** Some 15 MB when full. */
const MAX_REMEMBERED = 50_000;

/**
 * What media requests need to know of tracks, so that a takedown ends its streams at once: from the
 * store, and while that is away from memory, so that streams which have begun go on. To be told of
 * every change.
 */
export class LiveAudio implements Pick<CatalogStore, 'trackAudio'> {
  readonly #store: Pick<CatalogStore, 'trackAudio'>;
  readonly #cache = new LRUCache<string, TrackAudio>({ max: MAX_REMEMBERED });
  /** Rises with each change; tells whether something was read before it. */
  #changes = 0;

  constructor(store: Pick<CatalogStore, 'trackAudio'>) {
    this.#store = store;
  }

  async trackAudio(id: string): Promise<TrackAudio | undefined> {
    const changes = this.#changes;
    try {
      const audio = await this.#store.trackAudio(id);
      // Read before a change that was told since, it may be what was before it: not kept.
      if (audio !== undefined && changes === this.#changes) this.#cache.set(id, audio);
      return audio;
    } catch (error) {
      const known = this.#cache.get(id);
      if (known !== undefined && (error as Partial<StaveError>).kind === 'unavailable')
        return known;
      throw error;
    }
  }

  /** To be called with the ids of all tracks that changed, as the log tells of them. */
  forget(ids: Iterable<string>): void {
    this.#changes++;
    for (const id of ids) this.#cache.delete(id);
  }
}
