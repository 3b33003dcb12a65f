import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { LanguageView } from '../../../common/caller.ts';
import { RecentKeys } from '../../../common/memory/caches.ts';
import type { CatalogIndex } from '../../../engines/search/catalog-index.ts';
import { RowIdSet } from '../../../engines/search/row-id-set.ts';
import type { Allocate, DocumentCopy } from '../document-copy.ts';
import type { CatalogStore } from '../store/catalog-store.ts';
import type { TrackDocument } from '../track.ts';
import type { TextDocument } from '../track-document.ts';
import { locateAll } from './catch-up.ts';
import type { LiveLanguages } from './live-languages.ts';

/** The number of tracks that `forgetMany` forgets without a pause. */
const TRACKS_PER_STEP = 4_096;

/** The slots for recently shown tracks: some more than the cache has room for. */
const SHOWN_SLOTS = 1 << 17;

/** The numbers of documents by their origin. */
export interface DocumentReads {
  file: number;
  memory: number;
  store: number;
}

/**
 * The documents of live tracks by row id, in every language. The originals come from a copy of the catalog if there is
 * one, except those that changed since. Of the others, those that were recently shown more than once come from memory,
 * and the rest from the store.
 */
export class LiveDocuments {
  readonly reads: DocumentReads = { file: 0, memory: 0, store: 0 };
  readonly #store: Pick<CatalogStore, 'documents'>;
  readonly #languages: LiveLanguages;
  readonly #cache: LRUCache<number, TextDocument>;
  readonly #shown = new RecentKeys(SHOWN_SLOTS);
  /** Incremented by each change, so that a document that was read before a change can be recognized. */
  #changes = 0;
  #copy: DocumentCopy | undefined;
  /** The tracks that changed since the copy. */
  #changed = new RowIdSet();

  constructor(store: Pick<CatalogStore, 'documents'>, maxBytes: number, languages: LiveLanguages) {
    this.#store = store;
    this.#languages = languages;
    this.#cache = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ memoryBytes }) => memoryBytes,
    });
  }

  /** The number of tracks that changed since the copy; undefined without a copy. */
  get changedSinceCopy(): number | undefined {
    return this.#copy && this.#changed.size;
  }

  /**
   * The documents in the order of the row ids; undefined for tracks that are no longer live. Returns at once
   * unless some of them must be read from the store, which takes one call. Those from the copy refer to a buffer
   * from `allocate`; by default, a new one. With a view, they are localized, and nothing is allocated.
   */
  of(
    tracks: readonly number[],
    allocate?: Allocate,
    view?: LanguageView,
  ): (TrackDocument | undefined)[] | Promise<(TrackDocument | undefined)[]> {
    return view === undefined
      ? this.#originals(tracks, allocate)
      : this.#languages.documents(tracks, view, (missing) => this.#originals(missing));
  }

  #originals(
    tracks: readonly number[],
    allocate?: Allocate,
  ): (TrackDocument | undefined)[] | Promise<(TrackDocument | undefined)[]> {
    const documents: (TrackDocument | undefined)[] =
      this.#copy?.read(tracks, this.#changed, allocate) ?? Array(tracks.length).fill(undefined);
    let missing = 0;
    let remembered = 0;
    for (let i = 0; i < documents.length; i++) {
      if (documents[i] !== undefined) continue;
      documents[i] = this.#cache.get(tracks[i]!);
      if (documents[i] === undefined) missing++;
      else remembered++;
    }
    this.reads.file += documents.length - missing - remembered;
    this.reads.memory += remembered;
    this.reads.store += missing;
    return missing > 0 ? this.#withMissing(tracks, documents) : documents;
  }

  /**
   * Reads from a copy from now on, and closes the former one. `changed` are the tracks that changed after the
   * `seq` of the copy and were in the index since.
   */
  use(copy: DocumentCopy, changed: RowIdSet): void {
    this.#copy?.close();
    this.#copy = copy;
    this.#changed = changed;
    // Only changed tracks need memory from now on.
    this.#cache.clear();
  }

  /**
   * Must be called with every track that changes, after the commit of the change and before it is visible.
   * @param seq that of the last change, or a later one. The copy may be newer than the index, and contain the changes.
   */
  forget(tracks: Iterable<number>, seq: number): void {
    this.#changes++;
    const isInCopy = this.#copy === undefined || seq <= this.#copy.seq;
    for (const track of tracks) {
      this.#cache.delete(track);
      if (!isInCopy) this.#changed.add(track);
    }
    this.#languages.forget(tracks);
  }

  /** Like `forget`, in steps of a few milliseconds. */
  async forgetMany(tracks: Uint32Array, seq = Number.POSITIVE_INFINITY): Promise<void> {
    for (let i = 0; i < tracks.length; i += TRACKS_PER_STEP) {
      this.forget(tracks.subarray(i, i + TRACKS_PER_STEP), seq);
      await nextTurn();
    }
  }

  forgetAll(): void {
    this.#changes++;
    this.#cache.clear();
    this.close();
    this.#languages.forgetAll();
  }

  /** Forgets tracks that are in one of the indexes, or all if the tracks are not known. */
  async forgetUnseen(
    ids: readonly string[] | undefined,
    indexes: readonly Pick<CatalogIndex, 'locate'>[],
  ): Promise<void> {
    if (ids === undefined) {
      this.forgetAll();
      return;
    }
    const rowIds = new Set<number>();
    for (const index of indexes) await locateAll(index, ids, rowIds);
    await this.forgetMany(Uint32Array.from(rowIds));
  }

  /** Closes the copy. */
  close(): void {
    this.#copy?.close();
    this.#copy = undefined;
    this.#changed = new RowIdSet();
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
