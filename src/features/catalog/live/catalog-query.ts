import { LRUCache } from 'lru-cache';
import type { LanguageView } from '../../../common/caller.ts';
import { RecentKeys } from '../../../common/memory/caches.ts';
import {
  AI_SHARES,
  type CatalogIndex,
  type ExampleQuery,
  type IndexFacets,
  type IndexPage,
  type IndexQuery,
  type PageRequest,
  type RankedPage,
  type RankRequest,
  type SimilarQuery,
  type SimilarTrack,
  TEXT_FIELDS,
  VOCALS,
} from '../../../engines/search/catalog-index.ts';
import { meaningOf } from '../../../engines/search/text/song-keys.ts';
import { FILTER_MEMBERS, type LiveFilters, type NamedFilters } from './live-filters.ts';

/** The greatest size of the cached pages, and of the cached facets. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The memory of an entry besides its row ids, and of a counted filter with its serialized text. */
const OVERHEAD_BYTES = 300;
const FACET_BYTES = 180;

const RECENT_SLOTS = 1 << 14;

/** Caches the results of queries from their second request on. Must be cleared after each change. */
export class PageCache {
  readonly #pages = new LRUCache<string, IndexPage>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ rowIds }, key) => OVERHEAD_BYTES + key.length + rowIds.length * 8,
  });
  /** The key is the query alone, because facets are the same for each page in any order. */
  readonly #facets = new LRUCache<string, IndexFacets>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ filters }, key) => OVERHEAD_BYTES + key.length + filters.size * FACET_BYTES,
  });
  readonly #recent = new RecentKeys(RECENT_SLOTS);

  /**
   * Returns the cached page, or calls `find` for it. `find` need not compute what is cached. Equal queries
   * should be normalized to one form.
   */
  getOrFind(
    query: IndexQuery,
    { facets: withFacets, ...request }: PageRequest,
    find: (request: PageRequest) => IndexPage,
  ): Readonly<IndexPage> {
    if (!withFacets) return this.#page(query, request, () => find(request));
    const key = `facets ${JSON.stringify(query)}`;
    const known = this.#facets.get(key);
    if (known !== undefined) {
      return { ...this.#page(query, request, () => find(request)), facets: known };
    }
    const page = find({ ...request, facets: true });
    if (this.#recent.rememberText(key)) this.#facets.set(key, page.facets!);
    return page;
  }

  #page(query: IndexQuery, request: PageRequest, find: () => IndexPage): IndexPage {
    // A page of all tracks in catalog order is only a slice, which costs less than a cache key.
    if (isEmpty(query) && request.sort === undefined) return find();
    const key = JSON.stringify([query, request]);
    let page = this.#pages.get(key);
    if (page === undefined) {
      page = find();
      if (this.#recent.rememberText(key)) this.#pages.set(key, page);
    }
    return page;
  }

  clear(): void {
    this.#pages.clear();
    this.#facets.clear();
    this.#recent.clear();
  }
}

function isEmpty(query: IndexQuery): boolean {
  for (const _ in query) return false;
  return true;
}

type FilterQuery = Pick<IndexQuery, 'filterIds' | 'anyFilterIds' | 'notFilterIds'>;

/** A query as a caller sends it, with its filters in any form; empty lists and texts count as absent. */
export interface CatalogQuery
  extends Omit<IndexQuery, keyof FilterQuery | 'filterNames'>,
    NamedFilters {
  /** The language whose names of filters are searched besides those of the catalog. */
  view?: LanguageView | undefined;
}

/** Converts a query into one normalized form for the index; undefined if its filters allow no track. */
export function resolveQuery(
  query: CatalogQuery,
  filters: Pick<LiveFilters, 'idsIn' | 'typeOf' | 'searchedNames'>,
  isStoredKey: (key: string) => boolean = () => false,
): IndexQuery | undefined {
  const { text, in: fields, aliases, isrc, songKeys, vocals, ai, artist, ...others } = query;
  const { filterIds, filterSlugs, anyFilterIds, anyFilterSlugs, ...more } = others;
  const { notFilterIds, notFilterSlugs, view, ...rest } = more;
  const resolved: IndexQuery = rest;
  if (text) resolved.text = text;
  if (text && aliases) resolved.aliases = true;
  if (text && fields) {
    const searched = TEXT_FIELDS.filter((field) => fields.includes(field));
    if (searched.length > 1 || (searched[0] ?? 'name') !== 'name') resolved.in = searched;
    if (searched.includes('filters')) resolved.filterNames = filters.searchedNames(view);
  }
  if (isrc) resolved.isrc = isrc.toUpperCase();
  const keys = songKeys === undefined ? [] : keysIn(songKeys, isStoredKey);
  if (keys.length > 0) resolved.songKeys = [...new Set(keys.map(meaningOf))].sort();
  const known = restricting(VOCALS, vocals);
  if (known !== undefined) resolved.vocals = known;
  const shares = restricting(AI_SHARES, ai);
  if (shares !== undefined) resolved.ai = shares;
  const artistName = artist?.trim();
  if (artistName) resolved.artist = artistName;
  const chosen = resolveFilters(query, filters);
  return chosen && Object.assign(resolved, chosen);
}

/** The wanted values in the order of all; undefined if none or each is wanted, which restricts nothing. */
function restricting<Value>(
  all: readonly Value[],
  wanted: readonly Value[] | undefined,
): Value[] | undefined {
  if (wanted === undefined) return undefined;
  const chosen = all.filter((one) => wanted.includes(one));
  return chosen.length > 0 && chosen.length < all.length ? chosen : undefined;
}

/**
 * Returns the keys that a query names. A text with commas is a list of keys, unless a track has it as one.
 * @param isStored whether a track has the key
 */
export function keysIn(texts: readonly string[], isStored: (key: string) => boolean): string[] {
  return texts
    .map((text) => text.trim().normalize('NFC'))
    .flatMap((text) => (text.includes(',') && !isStored(text) ? text.split(',') : [text]))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/**
 * Returns the filters of a query by id, in ascending order. Unknown ones of `any…` and `not…` are left out. Undefined if
 * one of all is unknown, or each of an `any…` list, or if one is required and excluded.
 */
function resolveFilters(
  query: NamedFilters,
  filters: Pick<LiveFilters, 'idsIn' | 'typeOf' | 'searchedNames'>,
): FilterQuery | undefined {
  if (!namesFilters(query)) return {};
  const all = [...filters.idsIn(query, 'filterIds'), ...filters.idsIn(query, 'filterSlugs')];
  const anyLists = [filters.idsIn(query, 'anyFilterIds'), filters.idsIn(query, 'anyFilterSlugs')];
  const isUnknown = (id: string | undefined) => id === undefined;
  const isEmptied = anyLists.some((ids) => ids.length > 0 && ids.every(isUnknown));
  if (all.some(isUnknown) || isEmptied) return undefined;
  const required = different(all);
  const any = different(anyLists.flat());
  const not = different([
    ...filters.idsIn(query, 'notFilterIds'),
    ...filters.idsIn(query, 'notFilterSlugs'),
  ]);
  if (not.some((id) => required.includes(id) || any.includes(id))) return undefined;
  const groups = Map.groupBy(any, (id) => filters.typeOf(id));
  return {
    ...(required.length > 0 && { filterIds: required }),
    ...(any.length > 0 && { anyFilterIds: [...groups.values()] }),
    ...(not.length > 0 && { notFilterIds: not }),
  };
}

/** Whether a query names any filter, known or not. */
export function namesFilters(query: NamedFilters): boolean {
  return FILTER_MEMBERS.some((member) => query[member]?.length);
}

function different(ids: readonly (string | undefined)[]): string[] {
  return [...new Set(ids)].filter((id) => id !== undefined).sort();
}

/** A query for similar tracks as a caller sends it; an empty list counts as absent. */
export interface SimilarRequest extends Omit<SimilarQuery, 'filterIds'> {
  filterSlugs?: readonly string[];
}

/** A similar track, with the slugs of the shared filters in ascending order. */
export interface SimilarItem extends Omit<SimilarTrack, 'sharedFilterIds'> {
  sharedFilters: readonly string[];
}

/** A query for tracks that sound like an example, as a caller sends it. */
export interface ExampleRequest extends Omit<ExampleQuery, 'filterIds'> {
  filterSlugs?: readonly string[];
}

/**
 * Finds similar tracks; undefined if the seed is not live. An unknown filter matches nothing. Rejects as
 * `CatalogIndex.similar` does.
 */
export async function findSimilar(
  index: Pick<CatalogIndex, 'similar' | 'locate'>,
  filters: Pick<LiveFilters, 'idsIn' | 'typeOf' | 'searchedNames' | 'slugOf' | 'compared'>,
  { filterSlugs = [], ...query }: SimilarRequest,
): Promise<SimilarItem[] | undefined> {
  const resolved = resolveQuery({ filterSlugs }, filters);
  if (resolved === undefined) return index.locate([query.id], {})[0] === undefined ? undefined : [];
  const { filterIds } = resolved;
  const found = await index.similar(
    { ...query, ...(filterIds !== undefined && { filterIds }) },
    filters.compared,
  );
  return found && withSlugs(found, filters);
}

/** Finds the tracks that sound most like an example. An unknown filter matches nothing. */
export function findSoundingLike(
  index: Pick<CatalogIndex, 'soundingLike'>,
  filters: Pick<LiveFilters, 'idsIn' | 'typeOf' | 'searchedNames' | 'slugOf' | 'compared'>,
  { filterSlugs = [], ...query }: ExampleRequest,
): SimilarItem[] {
  const resolved = resolveQuery({ filterSlugs }, filters);
  if (resolved === undefined) return [];
  const { filterIds } = resolved;
  const restricted = { ...query, ...(filterIds !== undefined && { filterIds }) };
  return withSlugs(index.soundingLike(restricted, filters.compared), filters);
}

function withSlugs(
  found: readonly SimilarTrack[],
  filters: Pick<LiveFilters, 'slugOf'>,
): SimilarItem[] {
  return found.map(({ sharedFilterIds, ...track }) => ({
    ...track,
    sharedFilters: sharedFilterIds
      .map((id) => filters.slugOf(id))
      .filter((slug) => slug !== undefined)
      .sort(),
  }));
}

export const NO_INDEX: CatalogIndex = {
  size: 0,
  search: (_query, page) => nothingFound(page),
  rank: (_query, _ranking, page) => nothingRanked(page),
  locate: (ids) => ids.map(() => undefined),
  suggest: () => [],
  similar: async () => undefined,
  soundingLike: () => [],
  filterCounts: () => new Map(),
  valuesInText: () => [],
  commonTags: () => [],
  setPopularity: async () => {},
  hide: () => {},
  show: () => {},
  apply: notLoaded,
  catchUp: notLoaded,
};

function notLoaded(): never {
  throw new Error('The catalog is not loaded yet');
}

export function nothingRanked(page: RankRequest): RankedPage {
  return { ...nothingFound(page), ids: [], carried: [] };
}

export function nothingFound({ facets }: Pick<PageRequest, 'facets'>): IndexPage {
  const none = {
    filters: new Map(),
    types: new Map(),
    hasVocals: new Map(),
    vocals: new Map(),
    ai: new Map(),
    trainingAllowed: new Map(),
  };
  return { total: 0, rowIds: [], ...(facets && { facets: none }) };
}
