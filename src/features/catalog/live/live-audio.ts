import { LRUCache } from 'lru-cache';
import type { StaveError } from '../../../common/errors.ts';
import type { PartAudio, TrackAudio, TrackWithParts } from '../catalog-stores.ts';
import type { CatalogStore } from '../store/catalog-store.ts';

/** The most tracks in memory, which take about 20 MB. */
const MAX_TRACKS = 50_000;
/**
 * The most parts in memory that were requested one by one, and the most that were requested with their tracks. Each
 * takes about 8 MB.
 */
const MAX_PARTS = 20_000;

type MediaCatalog = Pick<CatalogStore, 'trackAudio' | 'trackParts' | 'partAudio'>;

/** The memory for one id. */
interface Memory<Value> {
  recall(): Value | undefined;
  keep(value: Value): void;
}

/**
 * What media requests need of tracks and their parts. Each request reads it from the store, so that a takedown
 * ends streams at once. While the store is unavailable, it comes from memory, so that streams continue.
 */
export class LiveAudio implements MediaCatalog {
  readonly #store: MediaCatalog;
  readonly #tracks = new LRUCache<string, TrackAudio>({ max: MAX_TRACKS });
  readonly #archives = new LRUCache<string, TrackWithParts>({
    maxSize: MAX_PARTS,
    sizeCalculation: ({ parts: { stems, versions } }) => 1 + stems.length + versions.length,
  });
  readonly #parts = new LRUCache<string, PartAudio>({
    max: MAX_PARTS,
    dispose: ({ trackId }, id) => {
      const ids = this.#partIds.get(trackId);
      ids?.delete(id);
      if (ids?.size === 0) this.#partIds.delete(trackId);
    },
  });
  /** The ids of the parts in `#parts` by the id of their track. */
  readonly #partIds = new Map<string, Set<string>>();
  /** Incremented by each change, so that a value that was read before a change can be recognized. */
  #changes = 0;

  constructor(store: MediaCatalog) {
    this.#store = store;
  }

  trackAudio(id: string): Promise<TrackAudio | undefined> {
    return this.#read(() => this.#store.trackAudio(id), {
      recall: () => this.#tracks.get(id),
      keep: (audio) => this.#tracks.set(id, audio),
    });
  }

  /** Comes from memory only by an id in lower case. */
  trackParts(slugOrId: string): Promise<TrackWithParts | undefined> {
    return this.#read(() => this.#store.trackParts(slugOrId), {
      recall: () => this.#archives.get(slugOrId),
      keep: (track) => this.#archives.set(track.id, track),
    });
  }

  partAudio(id: string): Promise<PartAudio | undefined> {
    return this.#read(() => this.#store.partAudio(id), {
      recall: () => this.#parts.get(id),
      keep: (part) => {
        this.#parts.set(id, part);
        const ids = this.#partIds.get(part.trackId) ?? new Set();
        this.#partIds.set(part.trackId, ids.add(id));
      },
    });
  }

  /** Must be called with the ids of all changed tracks, in the order of the log. */
  forget(ids: Iterable<string>): void {
    this.#changes++;
    for (const id of ids) {
      this.#tracks.delete(id);
      this.#archives.delete(id);
      for (const partId of this.#partIds.get(id) ?? []) this.#parts.delete(partId);
    }
  }

  async #read<Value>(
    read: () => Promise<Value | undefined>,
    { recall, keep }: Memory<Value>,
  ): Promise<Value | undefined> {
    const changes = this.#changes;
    try {
      const value = await read();
      // A value that was read before a change may be outdated, so it is not kept.
      if (value !== undefined && changes === this.#changes) keep(value);
      return value;
    } catch (error) {
      const known = recall();
      if (known !== undefined && (error as Partial<StaveError>).kind === 'unavailable')
        return known;
      throw error;
    }
  }
}
