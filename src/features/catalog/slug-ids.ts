import { LRUCache } from 'lru-cache';
import type { CatalogStore } from './store/catalog-store.ts';

/** About 10 MB. */
const KEPT_SLUGS = 50_000;

/**
 * Finds the ids of slugs, and keeps the recently requested ones in memory. Forgets all when the catalog changes: a slug may belong to another track after a track was removed.
 */
export class SlugIds {
  readonly #store: Pick<CatalogStore, 'resolveTracks'>;
  readonly #version: () => number;
  readonly #kept = new LRUCache<string, string>({ max: KEPT_SLUGS });
  #keptVersion: number | undefined;

  /** @param needs.version returns a number that changes with the catalog */
  constructor(needs: { store: Pick<CatalogStore, 'resolveTracks'>; version: () => number }) {
    this.#store = needs.store;
    this.#version = needs.version;
  }

  /**
   * Returns the id of the track of each slug, live or not; undefined if there is none. Takes one call of the store
   * if some of them are not in memory.
   */
  async of(slugs: readonly string[]): Promise<(string | undefined)[]> {
    const version = this.#forgetIfChanged();
    const ids = slugs.map((slug) => this.#kept.get(slug));
    const missing = slugs.filter((_, i) => ids[i] === undefined);
    if (missing.length === 0) return ids;
    const read = await this.#store.resolveTracks(missing);
    const isCurrent = this.#forgetIfChanged() === version;
    let next = 0;
    return ids.map((known, i) => {
      if (known !== undefined) return known;
      const id = read[next++];
      if (id !== undefined && isCurrent) this.#kept.set(slugs[i]!, id);
      return id;
    });
  }

  #forgetIfChanged(): number {
    const version = this.#version();
    if (version !== this.#keptVersion) {
      this.#kept.clear();
      this.#keptVersion = version;
    }
    return version;
  }
}
