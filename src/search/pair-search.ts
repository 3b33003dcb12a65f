import type { IndexFacets, IndexPage, IndexQuery, PageRequest } from '../catalog/catalog-index.ts';
import { MergedCatalog, type Pair } from './merged-matches.ts';
import { orderedPage } from './ordered-page.ts';
import { type LicensedTracks, popularPage } from './popularity.ts';
import type { SegmentSearch } from './segment-search.ts';
import { readText, type TextQuery, typosForgiven } from './text-query.ts';
import type { TrackSet } from './track-set.ts';

/** The licensed tracks of the base and the delta, by the name of the popularity. */
export type Licensed = ReadonlyMap<string, readonly [LicensedTracks, LicensedTracks]>;

/** The matches of a query, with everything that its pages are made from. */
interface Found {
  text: TextQuery | undefined;
  /** Whether typos were forgiven because nothing matched exactly. */
  forgiving: boolean;
  pair: Pair;
}

/**
 * Answers queries from a base and a delta together. A new one is made whenever the base or the delta is
 * replaced; tombstones are added to the base in place.
 */
export class PairSearch {
  readonly base: SegmentSearch;
  readonly delta: SegmentSearch;
  /** For each track of the delta, the number of ordinals of the base that come before it. */
  readonly places: Uint32Array;
  readonly licensed: Licensed;
  readonly #catalog: MergedCatalog;

  constructor(base: SegmentSearch, delta: SegmentSearch, places: Uint32Array, licensed: Licensed) {
    this.base = base;
    this.delta = delta;
    this.places = places;
    this.licensed = licensed;
    this.#catalog = new MergedCatalog(base.segment, delta.segment, places);
  }

  get size(): number {
    return this.base.live.count + this.delta.live.count;
  }

  /** Implements the port (catalog-index.ts), as do the methods that follow. */
  search(query: IndexQuery, { facets, sort = 'relevance', ...page }: PageRequest): IndexPage {
    const found = this.#find(query);
    const [inBase, inDelta] = found.pair;
    const total = inBase.count + inDelta.count;
    // Facets are counted before the page is made, which consumes the sets.
    const counts = facets === true ? { facets: this.#facets(found.pair, query) } : {};
    const { offset, limit, popularity } = page;
    const count = Math.max(0, Math.min(limit, total - offset));
    if (count === 0) {
      return { total, rowIds: [], ...counts };
    }
    const { pair } = found;
    switch (sort) {
      case 'relevance':
        return { total, rowIds: this.#byRank(found, offset, count), ...counts };
      case 'newest':
        return { total, rowIds: this.#catalog.page(pair, offset, count), ...counts };
      case 'oldest':
        return {
          total,
          rowIds: this.#catalog.page(pair, total - offset - count, count).reverse(),
          ...counts,
        };
      case 'popular':
        return { total, rowIds: this.#popular(pair, popularity, offset, count), ...counts };
      default:
        return {
          total,
          rowIds: orderedPage(this.#catalog, pair, sort, this.base.take(), offset, count),
          ...counts,
        };
    }
  }

  locate(ids: readonly string[], query: IndexQuery): (number | undefined)[] {
    const [inBase, inDelta] = this.#find(query).pair;
    const { base, delta } = this.#catalog;
    return ids.map((id) => {
      const changed = delta.ordinalOf(id);
      if (changed !== undefined) {
        return inDelta.has(changed) ? delta.tracks.rowIds[changed] : undefined;
      }
      const ordinal = base.ordinalOf(id);
      return ordinal !== undefined && inBase.has(ordinal) ? base.tracks.rowIds[ordinal] : undefined;
    });
  }

  suggest(text: string, limit: number): string[] {
    const found = this.#find({ text });
    const names = new Map<string, string>();
    if (found.text === undefined || found.forgiving || limit === 0) {
      return [];
    }
    for (const pair of this.#ranks(found, found.text)) {
      this.#catalog.visit(pair, 0, (segment, ordinal) => {
        const name = segment.name(ordinal);
        const key = found.text!.kind === 'literal' ? name : segment.searchName(ordinal);
        if (!names.has(key)) names.set(key, name);
        return names.size === limit;
      });
      // The last rank holds names with the text only inside words, which are not suggested.
      if (names.size === limit) break;
    }
    return [...names.values()];
  }

  filterCounts(): ReadonlyMap<string, number> {
    return summed(
      this.base.segment.filterCounts(this.base.live.counts),
      this.delta.segment.filterCounts(this.delta.live.counts),
    );
  }

  #find(query: IndexQuery): Found {
    const [base, delta] = [this.base, this.delta];
    base.begin();
    delta.begin();
    const text = readText(query.text, query.in);
    if (text === undefined) {
      return { text, forgiving: false, pair: [base.findAll(query), delta.findAll(query)] };
    }
    const pair = [base.find(text, query), delta.find(text, query)] as const;
    if (text.kind === 'literal' || pair.some(({ count }) => count > 0)) {
      return { text, forgiving: false, pair };
    }
    // Without the filters: whether typos are forgiven depends only on the text and the catalog.
    const isRestricted = Object.keys(query).some((key) => key !== 'text' && key !== 'in');
    if (isRestricted && base.find(text, {}).count + delta.find(text, {}).count > 0) {
      return { text, forgiving: false, pair };
    }
    if (text.readings[0].words.every((word) => typosForgiven(word) === 0)) {
      return { text, forgiving: false, pair };
    }
    const forgiven = [base.findForgiving(text, query), delta.findForgiving(text, query)] as const;
    return { text, forgiving: true, pair: forgiven };
  }

  #byRank(found: Found, offset: number, limit: number): number[] {
    if (found.text === undefined) {
      return this.#catalog.page(found.pair, offset, limit);
    }
    const rowIds: number[] = [];
    let skip = offset;
    const take = (pair: Pair) => {
      const count = pair[0].count + pair[1].count;
      if (skip < count && rowIds.length < limit) {
        rowIds.push(...this.#catalog.page(pair, skip, limit - rowIds.length));
      }
      skip = Math.max(0, skip - count);
    };
    for (const pair of this.#ranks(found, found.text)) {
      take(pair);
      if (rowIds.length === limit) return rowIds;
    }
    // The ranks were removed from the set, so the last rank is left.
    take(found.pair);
    return rowIds;
  }

  /**
   * Yields the matches of each rank but the last. A rank is computed when it is requested, and removed from
   * the matches.
   */
  *#ranks({ pair, forgiving }: Found, text: TextQuery): Generator<Pair> {
    // A query with a text finds sets that may be changed.
    const [inBase, inDelta] = pair as readonly [TrackSet, TrackSet];
    const ranksInDelta = this.delta.ranks(text, inDelta, forgiving);
    for (const rankInBase of this.base.ranks(text, inBase, forgiving)) {
      yield [rankInBase, ranksInDelta.next().value as TrackSet];
    }
  }

  #popular(pair: Pair, name: string | undefined, offset: number, limit: number): number[] {
    const licensed = this.licensed.get(name ?? '');
    return licensed === undefined
      ? this.#catalog.page(pair, offset, limit)
      : popularPage(
          this.#catalog,
          pair,
          licensed,
          [this.base.take(), this.delta.take()],
          offset,
          limit,
        );
  }

  #facets([inBase, inDelta]: Pair, query: IndexQuery): IndexFacets {
    const base = this.base.facets(inBase, query);
    if (inDelta.count === 0) {
      return base;
    }
    const delta = this.delta.facets(inDelta, query);
    return {
      filters: summed(base.filters, delta.filters),
      types: summed(base.types, delta.types),
      hasVocals: summed(base.hasVocals, delta.hasVocals),
    };
  }
}

function summed<Key>(
  one: ReadonlyMap<Key, number>,
  other: ReadonlyMap<Key, number>,
): ReadonlyMap<Key, number> {
  const sums = new Map(one);
  for (const [key, count] of other) {
    sums.set(key, (sums.get(key) ?? 0) + count);
  }
  return sums;
}
