import type { Change, ChangeLog } from '../changes/change-log.ts';
import type {
  CatalogIndex,
  IndexEntry,
  IndexPage,
  IndexQuery,
  IndexSource,
  LoadedIndex,
  PageRequest,
} from './catalog-index.ts';
import { catchUp } from './catch-up.ts';
import type { CountedFilter, FilterType } from './filter.ts';
import { LiveDocuments } from './live-documents.ts';
import { LiveFilters } from './live-filters.ts';
import { NO_INDEX, nothingFound } from './no-index.ts';
import { PageCache } from './page-cache.ts';
import type { CatalogStore } from './store.ts';
import type { TrackDocument } from './track.ts';

/**
 * A question to the catalog as a caller asks it: ids in either case, duplicates allowed, empty
 * lists and texts as if not given. A filter that does not exist matches nothing.
 */
export interface CatalogQuery extends IndexQuery {
  /** A track must carry every one of them, besides the `filterIds`. */
  filterSlugs?: readonly string[];
}

/** What completes a text that someone is still typing. */
export interface Completions {
  filters: CountedFilter[];
  /** Of tracks. */
  names: string[];
}

export interface LiveCatalogOptions {
  store: Pick<CatalogStore, 'indexEntries' | 'documents' | 'filters'>;
  source: IndexSource;
  /** Bound on the documents kept in memory; 64 MB by default. */
  documentCacheBytes?: number;
}

/**
 * With this many changes to catch up with, as during an import, the index is built anew: taking
 * them in one batch after the other would cost more in all.
 */
const REBUILD_BEYOND_CHANGES = 50_000;

/** By name, how often tracks were licensed. */
type Popularities = Map<string, ReadonlyMap<string, number>>;

/**
 * The live tracks as the endpoints see them: searched in memory, shown from a cache of documents,
 * kept up to date by the change log. Everything but a document's first reading is synchronous.
 */
export class LiveCatalog {
  readonly #store: LiveCatalogOptions['store'];
  readonly #source: IndexSource;
  /** Of tracks that the index holds, so that a change of one always finds it here. */
  readonly #documents: LiveDocuments;
  readonly #pages = new PageCache();
  readonly #filters = new LiveFilters(() => this.#index.filterCounts());
  /** As set last, for an index that is built anew. */
  readonly #popularity: Popularities = new Map();
  /** The last piece of work that moves it on; the next begins after it. */
  #turn: Promise<void> = Promise.resolve();
  #index: CatalogIndex = NO_INDEX;
  #position = 0;
  #version = 0;

  /** Empty until `load`. */
  constructor({ store, source, documentCacheBytes = 64 * 1024 * 1024 }: LiveCatalogOptions) {
    this.#store = store;
    this.#source = source;
    this.#documents = new LiveDocuments(store, documentCacheBytes);
  }

  /** Opens the index; from then on the log is to be followed from `position`. */
  async load(): Promise<void> {
    await this.#use(await this.#source.open());
  }

  /** How far it is in the change log: every change of a track up to here is in it. */
  get position(): number {
    return this.#position;
  }

  /** Rises whenever anything changes that it shows. */
  get version(): number {
    return this.#version;
  }

  /** How many live tracks there are. */
  get size(): number {
    return this.#index.size;
  }

  /** One page of the tracks that match, as store numbers, with the exact total. */
  search(query: CatalogQuery, page: PageRequest): Readonly<IndexPage> {
    const resolved = this.#resolve(query);
    return resolved === undefined
      ? nothingFound(page)
      : this.#pages.through(resolved, page, (request) => this.#index.search(resolved, request));
  }

  /** For each of the ids the number of its track; undefined where that is not live or does not match. */
  locate(ids: readonly string[], query: CatalogQuery): (number | undefined)[] {
    const resolved = this.#resolve(query);
    return resolved === undefined ? ids.map(() => undefined) : this.#index.locate(ids, resolved);
  }

  /** What completes the text: at most `limit` filters, most tracks first, and as many names, best first. */
  suggest(text: string, limit: number): Completions {
    return {
      filters: this.#filters.completing(text, limit),
      names: this.#index.suggest(text, limit),
    };
  }

  /**
   * The documents of tracks, by the numbers that this catalog has just given for them; undefined for
   * what is no longer live. At once where all of them are in memory, else with one reading of the
   * store for the rest.
   */
  documents(
    tracks: readonly number[],
  ): (TrackDocument | undefined)[] | Promise<(TrackDocument | undefined)[]> {
    return this.#documents.of(tracks);
  }

  /** Every filter, or those of a type, ordered by type and name, with counts of live tracks. */
  filters(type?: FilterType): readonly CountedFilter[] {
    return this.#filters.list(type);
  }

  /**
   * Takes in what the log says of tracks, in order; visible when the promise resolves. `head` is
   * how far the log went: a catalog too far behind it is built anew beside the old one, and changes
   * that are in it already are passed over. Calls must not overlap.
   */
  apply(changes: readonly Change[], head: number = changes.at(-1)?.seq ?? 0): Promise<void> {
    return this.#inTurn(async () => {
      const first = this.#news(changes)[0];
      if (first === undefined) return;
      const enough = head - REBUILD_BEYOND_CHANGES;
      if (first.seq <= enough) await this.#use(await this.#source.build(enough));
      const news = this.#news(changes);
      if (news.length > 0) await this.#takeIn(news);
    });
  }

  /**
   * Goes over to an index that was made elsewhere, however far in the log, once it has caught up:
   * beside the old one first, then, while no other changes are taken in, with what came meanwhile.
   * Nothing that was shown is undone: what the old index read of a track before the change that it
   * belongs to is in the log by then, and so in the new one.
   */
  async adopt({ index, seq }: LoadedIndex, log: Pick<ChangeLog, 'since'>): Promise<void> {
    const from = { log, store: this.#store };
    const beside = await catchUp(index, seq, from);
    const given: Popularities = new Map();
    await this.#givePopularity(index, given);
    await this.#inTurn(async () => {
      const last = await catchUp(index, beside.seq, from);
      const changed = [...beside.changed, ...last.changed];
      const unseen = changed.filter(([, at]) => at > this.#position).map(([id]) => id);
      await this.#use({ index, seq: Math.max(last.seq, this.#position) }, { given, unseen });
    });
  }

  /** Sets what `popular` goes by for those who ask by that name, as the index does; kept over rebuilds. */
  async setPopularity(name: string, counts: ReadonlyMap<string, number>): Promise<void> {
    this.#popularity.set(name, counts);
    await this.#index.setPopularity(name, counts);
    this.#renew();
  }

  #news(changes: readonly Change[]): Change[] {
    return changes.filter(({ entity, seq }) => entity === 'track' && seq > this.#position);
  }

  /** Lets no two pieces of work that move it on overlap. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  /**
   * Goes over to an index. `unseen`: the tracks of which it knows more than the old one, if these
   * are known; `given`: the popularity that it has been given before.
   */
  async #use(
    { index, seq }: LoadedIndex,
    { given = new Map(), unseen }: { given?: Popularities; unseen?: readonly string[] } = {},
  ): Promise<void> {
    const filters = await this.#store.filters();
    while (this.#lacking(given) !== undefined) await this.#givePopularity(index, given);
    if (unseen === undefined) {
      this.#documents.forgetAll();
    } else {
      const numbers = [this.#index, index].flatMap((one) => one.locate(unseen, {}));
      this.#documents.forget(numbers.filter((track) => track !== undefined));
    }
    this.#index = index;
    this.#filters.take(filters);
    this.#moveTo(seq);
  }

  async #givePopularity(index: CatalogIndex, given: Popularities): Promise<void> {
    // Asked again each time: meanwhile other counts may have come.
    for (let next = this.#lacking(given); next !== undefined; next = this.#lacking(given)) {
      await index.setPopularity(...next);
      given.set(...next);
    }
  }

  #lacking(given: Popularities): [name: string, ReadonlyMap<string, number>] | undefined {
    return [...this.#popularity].find(([name, counts]) => given.get(name) !== counts);
  }

  async #takeIn(changes: readonly Change[]): Promise<void> {
    const ids = [...new Set(changes.map(({ entityId }) => entityId))];
    const before = this.#index.locate(ids, {});
    const entries = await this.#store.indexEntries(ids);
    const live = new Set(entries.map(({ id }) => id));
    const filters = this.#mayChangeFilters(changes, entries, live)
      ? await this.#store.filters()
      : undefined;
    const { seq } = changes.at(-1)!;
    await this.#index.apply(
      entries,
      ids.filter((id) => !live.has(id)),
      seq,
    );
    this.#documents.forget(before.filter((track) => track !== undefined));
    this.#documents.forget(entries.map(({ no }) => no));
    if (filters !== undefined) this.#filters.take(filters);
    this.#moveTo(seq);
  }

  /**
   * Filters come with a track that carries them, which may be one that was taken down and so has no
   * entry, and go, perhaps to come back by another name, when the tracks of a source are removed.
   */
  #mayChangeFilters(
    changes: readonly Change[],
    entries: readonly IndexEntry[],
    live: ReadonlySet<string>,
  ): boolean {
    return (
      entries.some(({ filterIds }) => filterIds.some((id) => !this.#filters.has(id))) ||
      changes.some(
        ({ kind, entityId }) =>
          kind === 'removed' || ((kind === 'created' || kind === 'updated') && !live.has(entityId)),
      )
    );
  }

  #moveTo(seq: number): void {
    this.#position = seq;
    this.#filters.recount();
    this.#renew();
  }

  /** What was found before may be found no longer. */
  #renew(): void {
    this.#version++;
    this.#pages.clear();
  }

  /** The question as the index understands it, spelled in one way; undefined where a filter does not exist. */
  #resolve(query: CatalogQuery): IndexQuery | undefined {
    const { text, filterIds, filterSlugs, isrc, songKey, ...rest } = query;
    const resolved: IndexQuery = rest;
    if (text) resolved.text = text;
    if (isrc) resolved.isrc = isrc.toUpperCase();
    if (songKey) resolved.songKey = songKey;
    if (filterIds?.length || filterSlugs?.length) {
      const wanted = new Set(filterIds?.map((id) => id.toLowerCase()));
      for (const slug of filterSlugs ?? []) {
        const id = this.#filters.idOf(slug);
        if (id === undefined) return undefined;
        wanted.add(id);
      }
      resolved.filterIds = [...wanted].sort();
    }
    return resolved;
  }
}
