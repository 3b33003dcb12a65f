import type { LanguageView } from '../../../common/caller.ts';
import { keptIn } from '../../../common/memory/caches.ts';
import { inStep, tracing } from '../../../common/tracing.ts';
import { limited } from '../../../common/work/limited.ts';
import type { Change, ChangeLog } from '../../../engines/change-log/change-log.ts';
import type {
  CatalogIndex,
  IndexFacets,
  IndexPage,
  IndexQuery,
  IndexSource,
  LoadedIndex,
  PageRequest,
  RankedPage,
  Ranking,
  RankRequest,
} from '../../../engines/search/catalog-index.ts';
import { RowIdSet } from '../../../engines/search/row-id-set.ts';
import type { DocumentCopy } from '../document-copy.ts';
import type { CatalogStore } from '../store/catalog-store.ts';
import type { Completions, CountedFilter, Filter, FilterType } from '../track.ts';
import {
  type CatalogQuery,
  type ExampleRequest,
  findSimilar,
  findSoundingLike,
  NO_INDEX,
  namesFilters,
  nothingFound,
  nothingRanked,
  PageCache,
  resolveQuery,
  type SimilarItem,
  type SimilarRequest,
} from './catalog-query.ts';
import {
  APPLY_HERE,
  changedSince,
  EarlyChanges,
  type GivenCounts,
  isIndexed,
  isOfTrack,
  isShown,
  isTooFarBehind,
  locateAll,
  Popularities,
  readChanged,
} from './catch-up.ts';
import { choiceFacets } from './choice-facets.ts';
import { LiveDocuments } from './live-documents.ts';
import {
  type FilterConflict,
  LiveFilters,
  type NamedFilters,
  type UnknownFilter,
} from './live-filters.ts';
import type { FilterNames, LiveLanguages } from './live-languages.ts';

const FACETS_ONLY = { offset: 0, limit: 0, facets: true };

/**
 * The live tracks for the endpoints, kept current by the change log. Everything except the first read of a
 * document is synchronous.
 */
export class LiveCatalog {
  readonly languages: LiveLanguages;
  readonly #store: LiveCatalogOptions['store'];
  readonly #source: IndexSource;
  /** The documents of tracks in the index, so that a change of a track always removes its document. */
  readonly #documents: LiveDocuments;
  readonly #pages = new PageCache();
  /** By the facets of the index for the same query, which the cache replaces after each change. */
  readonly #choiceFacets = new WeakMap<IndexFacets, IndexFacets>();
  readonly #filters: LiveFilters;
  readonly #early = new EarlyChanges();
  readonly #popularities = new Popularities();
  readonly #operations = limited(1);
  #index: CatalogIndex = NO_INDEX;
  #position = 0;
  #version = 0;

  /** The catalog is empty until `load`. */
  constructor({
    store,
    source,
    documentCacheBytes = 64 * 1024 * 1024,
    languages,
  }: LiveCatalogOptions) {
    this.#store = store;
    this.#source = source;
    this.#documents = new LiveDocuments(store, documentCacheBytes, languages);
    this.languages = languages;
    this.#filters = new LiveFilters(() => this.#index.filterCounts(), languages);
  }

  /** Opens the index. From then on, the log must be followed from `position`. */
  async load(): Promise<void> {
    await this.#replaceIndex(await this.#source.open());
  }

  /** The `seq` up to which the catalog contains every change of a track. */
  get position(): number {
    return this.#position;
  }

  /** Incremented whenever something changes that the catalog shows. */
  get version(): number {
    return this.#version;
  }

  /** The number of live tracks. */
  get size(): number {
    return this.#index.size;
  }

  /** One page of the matching tracks, as row ids, with the exact total and the filters that do not exist. */
  search(
    query: CatalogQuery,
    page: PageRequest,
  ): Readonly<IndexPage> & { unknown?: UnknownFilter[] | undefined } {
    const resolved = resolveQuery(query, this.#filters, (key) => this.hasKey(key));
    const found = resolved === undefined ? nothingFound(page) : this.#found(resolved, page);
    return namesFilters(query) ? { ...found, unknown: this.#filters.unknown(query) } : found;
  }

  #found(query: IndexQuery, page: PageRequest): Readonly<IndexPage> {
    const found = this.#counted(query, page);
    if (found.facets === undefined) return found;
    const facetsOf = (open: IndexQuery) => this.#counted(open, FACETS_ONLY).facets!;
    const facets = keptIn(this.#choiceFacets, found.facets, () =>
      choiceFacets(query, found.facets!, facetsOf, this.#filters),
    );
    return { ...found, facets };
  }

  #counted(query: IndexQuery, page: PageRequest): Readonly<IndexPage> {
    return this.#pages.getOrFind(query, page, (request) => this.#find(query, request));
  }

  #find(...query: Parameters<CatalogIndex['search']>): ReturnType<CatalogIndex['search']> {
    if (tracing === undefined) return this.#index.search(...query);
    return tracing.step('search', {}, () => this.#index.search(...query));
  }

  /** One page of the tracks of a ranking; without one, no track matches. */
  rank(
    query: CatalogQuery,
    ranking: Ranking | undefined,
    page: RankRequest,
  ): RankedPage & { unknown?: UnknownFilter[] | undefined } {
    const resolved = resolveQuery(query, this.#filters, (key) => this.hasKey(key));
    const unknown = this.#filters.unknown(query);
    if (resolved === undefined || ranking === undefined) return { ...nothingRanked(page), unknown };
    const rank = (open: IndexQuery, request: RankRequest) =>
      inStep('search', {}, () => this.#index.rank(open, ranking, request));
    const found = rank(resolved, page);
    if (found.facets === undefined) return { ...found, unknown };
    const facetsOf = (open: IndexQuery) => rank(open, FACETS_ONLY).facets!;
    const facets = choiceFacets(resolved, found.facets, facetsOf, this.#filters);
    return { ...found, facets, unknown };
  }

  /** For each id, the row id of its track; undefined if the track is not live or does not match. */
  locate(ids: readonly string[], query: CatalogQuery): (number | undefined)[] {
    const resolved = resolveQuery(query, this.#filters, (key) => this.hasKey(key));
    return resolved === undefined ? ids.map(() => undefined) : this.#index.locate(ids, resolved);
  }

  /** The filters of a query that do not exist; undefined if all exist. */
  unknownFilters(query: NamedFilters): UnknownFilter[] | undefined {
    return this.#filters.unknown(query);
  }

  /** Whether a track has a key, in this notation or in another one. */
  hasKey(key: string): boolean {
    return this.#index.search({ songKeys: [key] }, { offset: 0, limit: 0 }).total > 0;
  }

  /** The filters that a query both excludes and asks for, which therefore matches nothing. */
  filterConflicts(query: NamedFilters): FilterConflict[] {
    return this.#filters.conflicts(query);
  }

  /**
   * The completions of a text: at most `limit` filters, most tracks first, and at most `limit` names, best
   * match first. With a view, translated names complete it, too.
   */
  suggest(text: string, limit: number, view?: LanguageView): Completions {
    return {
      filters: this.#filters.completing(text, limit, view),
      names: inStep('suggest', {}, () => this.#index.suggest(text, limit, view !== undefined)),
    };
  }

  /**
   * The tracks that are most similar to one, best first; undefined if that one is not live. Rejects as
   * `CatalogIndex.similar` does.
   */
  similar(request: SimilarRequest): Promise<SimilarItem[] | undefined> {
    return inStep('similar tracks', {}, () => findSimilar(this.#index, this.#filters, request));
  }

  /** The tracks that sound most like an example, best first. */
  soundingLike(request: ExampleRequest): SimilarItem[] {
    return inStep('similar tracks', {}, () =>
      findSoundingLike(this.#index, this.#filters, request),
    );
  }

  /**
   * The documents of tracks by the row ids that this catalog has just returned; undefined if no longer live.
   * Returns at once unless some of them must be read from the store, which takes one call. `allocate` as in
   * `LiveDocuments`.
   */
  documents(...request: Parameters<LiveDocuments['of']>): ReturnType<LiveDocuments['of']> {
    return this.#documents.of(...request);
  }

  /** All filters, or those of a type, by type and original name, with their live tracks and names in a view. */
  filters(type?: FilterType, view?: LanguageView): readonly CountedFilter[] {
    return this.#filters.list(type, view);
  }

  /** What briefs name. */
  get vocabulary(): VocabularySource {
    return {
      filters: this.#filters.all,
      filterNames: this.languages.filterNames,
      valuesInText: (field, text) => this.#index.valuesInText(field, text),
      commonTags: (limit) => this.#index.commonTags(limit),
    };
  }

  /**
   * Applies changes of tracks, in the order of the log; visible when the promise resolves. Returns the position
   * that the catalog has reached. If it is far behind `head`, the end of the log, it applies all changes up to
   * there together; if it is too far behind, the index is rebuilt. The old index serves meanwhile.
   * Changes that the catalog already contains are skipped. Calls must not overlap.
   */
  apply(changes: readonly Change[], head: number = changes.at(-1)?.seq ?? 0): Promise<number> {
    return this.#operations(async () => {
      const first = this.#news(changes)[0];
      if (first === undefined) {
        // The call before may have applied these changes to tracks, and failed to read the languages.
        if (await this.languages.take([])) this.#show();
        return this.#position;
      }
      const behind = head - first.seq;
      if (isTooFarBehind(behind, this.size)) {
        await this.#replaceIndex(await this.#source.build(first.seq));
      } else if (behind >= APPLY_HERE) {
        await this.#catchUp();
      }
      const news = this.#news(changes);
      if (news.length > 0) await this.#applyAll(news);
      return this.#position;
    });
  }

  /**
   * Hides removed tracks at once, and shows those that a command restored, and new names of filters and languages of
   * playlists, before `apply` brings these changes in order. Calls must not overlap.
   */
  async applyEarly(changes: readonly Change[]): Promise<void> {
    const tracks = changes.filter(isOfTrack);
    if (this.#early.hide(tracks, this.#position, this.#index)) this.#show();
    const restored = this.#early.restored(tracks, this.#position);
    if (restored.length > 0) await this.#showRestored(restored);
    const others = this.#news(changes).filter((change) => !isIndexed(change));
    if (await this.languages.take(others)) this.#show();
  }

  async #showRestored(restored: readonly Change[]): Promise<void> {
    const before = this.#position;
    const { entries, filters } = await readChanged(restored, this.#store, this.#filters);
    // The rest is synchronous. Meanwhile, `apply` may have applied some of them, and read newer filters.
    this.#documents.forget(
      entries.map(({ rowId }) => rowId),
      Math.max(...restored.map(({ seq }) => seq)),
    );
    this.#early.show(entries, restored, this.#position, this.#index);
    this.#show(this.#position === before ? filters : undefined);
  }

  /**
   * Replaces the index by one that was made elsewhere, which first catches up with the log while the old one
   * serves. No visible change is undone: the log contains every change that the old index has.
   */
  async adopt({ index }: LoadedIndex, log: Pick<ChangeLog, 'since'>): Promise<void> {
    await index.catchUp(async () => {});
    const given: GivenCounts = new Map();
    await this.#popularities.giveTo(index, given);
    await this.#operations(async () => {
      const reached = await index.catchUp(async () => {});
      const { changed } = await changedSince(this.#position, log);
      await this.#replaceIndex(
        { index, seq: Math.max(reached, this.#position) },
        { given, unseen: [...changed.keys()] },
      );
    });
  }

  /**
   * Reads documents from a copy from now on, except those that changed after it. A copy that was made before the
   * last changes is suitable, as long as the log has them.
   */
  async adoptDocuments(copy: DocumentCopy, log: Pick<ChangeLog, 'since'>): Promise<void> {
    const before = await changedSince(copy.seq, log);
    // No change is being applied meanwhile: each one is in the index and the log, or it calls `forget` later.
    await this.#operations(async () => {
      const last = await changedSince(before.seq, log);
      const changed = new RowIdSet();
      for (const { changed: ids } of [before, last]) {
        await locateAll(this.#index, ids.keys(), changed);
      }
      this.#documents.use(copy, changed);
    });
  }

  closeDocuments(): void {
    this.#documents.close();
  }

  get documentState(): Pick<LiveDocuments, 'reads' | 'changedSinceCopy'> {
    return this.#documents;
  }

  /** Sets the counts of a popularity, as the index does. They are kept when the index is rebuilt. */
  async setPopularity(name: string, counts: ReadonlyMap<string, number>): Promise<void> {
    this.#popularities.set(name, counts);
    await this.#index.setPopularity(name, counts);
    this.#show();
  }

  #news(changes: readonly Change[]): Change[] {
    return changes.filter((change) => isShown(change) && change.seq > this.#position);
  }

  /**
   * Replaces the index. `unseen`: the tracks whose changes only the new index has, if known. `given`: its
   * popularity.
   */
  async #replaceIndex(
    { index, seq }: LoadedIndex,
    { given = new Map(), unseen }: { given?: GivenCounts; unseen?: readonly string[] } = {},
  ): Promise<void> {
    const filters = await this.#store.filters();
    await this.languages.refresh();
    await this.#documents.forgetUnseen(unseen, [this.#index, index]);
    while (!this.#popularities.areIn(given)) await this.#popularities.giveTo(index, given);
    // The rest is synchronous.
    this.#early.applyTo(index, seq);
    this.#index = index;
    this.#moveTo(seq, filters);
  }

  /** Applies all changes of the log together. */
  async #catchUp(): Promise<void> {
    const seq = await this.#index.catchUp((rowIds, last) =>
      this.#documents.forgetMany(rowIds, last),
    );
    await this.languages.refresh();
    this.#moveTo(seq, await this.#store.filters());
  }

  async #applyAll(news: readonly Change[]): Promise<void> {
    const tracks = news.filter(isIndexed);
    if (tracks.length > 0) await this.#applyToTracks(tracks);
    if (await this.languages.take(news)) this.#show();
    this.#position = Math.max(this.#position, news.at(-1)!.seq);
  }

  async #applyToTracks(changes: readonly Change[]): Promise<void> {
    const changed = new Set(changes.map(({ entityId }) => entityId));
    const before = this.#index.locate([...changed], {});
    const { entries, filters } = await readChanged(changes, this.#store, this.#filters);
    for (const { id } of entries) changed.delete(id);
    const { seq } = changes.at(-1)!;
    this.#documents.forget(
      before.filter((track) => track !== undefined),
      seq,
    );
    this.#documents.forget(
      entries.map(({ rowId }) => rowId),
      seq,
    );
    await this.#index.apply(entries, [...changed], seq);
    this.#moveTo(seq, filters);
  }

  #moveTo(seq: number, filters?: readonly Filter[]): void {
    this.#position = seq;
    this.#early.forgetUpTo(seq);
    this.#show(filters);
  }

  /** Shows what the index has now, with new filters if given, and clears cached results, which may be outdated. */
  #show(filters?: readonly Filter[]): void {
    if (filters !== undefined) this.#filters.take(filters);
    this.#filters.recount();
    this.#version++;
    this.#pages.clear();
  }
}

/** The filters with their translated names, and artists and tags. The lists are the same until one changes. */
export interface VocabularySource extends Pick<CatalogIndex, 'valuesInText' | 'commonTags'> {
  filters: readonly Filter[];
  filterNames: FilterNames;
}

export interface LiveCatalogOptions {
  store: Pick<CatalogStore, 'indexEntries' | 'documents' | 'filters'>;
  source: IndexSource;
  /** The greatest size of the document cache. Default: 64 MB. */
  documentCacheBytes?: number;
  languages: LiveLanguages;
}
