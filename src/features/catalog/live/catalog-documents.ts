import type { LanguageView } from '../../../common/caller/caller.ts';
import type { CatalogIndex } from '../../../engines/search/catalog-index.ts';
import type { CatalogStore } from '../catalog-stores.ts';
import type { Allocate } from '../document-copy.ts';
import type { TrackDocument } from '../track.ts';
import { locateAll } from './catch-up.ts';
import { LiveDocuments } from './live-documents.ts';
import type { LiveLanguages } from './live-languages.ts';

/** The documents of live tracks by row id, in every language. */
export class CatalogDocuments extends LiveDocuments {
  readonly #languages: LiveLanguages;

  constructor(store: Pick<CatalogStore, 'documents'>, maxBytes: number, languages: LiveLanguages) {
    super(store, maxBytes);
    this.#languages = languages;
  }

  /** As in `LiveDocuments`; with a view, localized, which allocates nothing. */
  override of(
    tracks: readonly number[],
    allocate?: Allocate,
    view?: LanguageView,
  ): (TrackDocument | undefined)[] | Promise<(TrackDocument | undefined)[]> {
    return view === undefined
      ? super.of(tracks, allocate)
      : this.#languages.documents(tracks, view, (missing) => super.of(missing));
  }

  override forget(tracks: Iterable<number>): void {
    super.forget(tracks);
    this.#languages.forget(tracks);
  }

  override forgetAll(): void {
    super.forgetAll();
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
}
