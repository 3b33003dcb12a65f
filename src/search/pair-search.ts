import type { IndexFacets, IndexPage, IndexQuery, PageRequest } from '../catalog/catalog-index.ts';
import { MergedCatalog, type Pair } from './merged-matches.ts';
import { orderedPage } from './ordered-page.ts';
import { type LicensedTracks, popularPage } from './popularity.ts';
import type { SegmentSearch } from './segment-search.ts';
import { readText, type TextQuery, typosForgiven } from './text-query.ts';
import type { TrackSet } from './track-set.ts';

/** The licensed tracks of the base and of the delta, by the name of the popularity. */
export type Licensed = ReadonlyMap<string, readonly [LicensedTracks, LicensedTracks]>;

/** What a question found, with all that its pages are made from. */
interface Found {
  text: TextQuery | undefined;
  /** Whether typos had to be forgiven: then all matches rank alike. */
  forgiving: boolean;
  pair: Pair;
}

/**
 * Answers questions from a base and a delta together. Made anew, in no time, whenever one of its
 * parts is replaced; tracks are struck from the base in place.
 */
export class PairSearch {
  readonly base: SegmentSearch;
  readonly delta: SegmentSearch;
  /** For each track of the delta, how many ordinals of the base come before it. */
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

  /** As the port says (catalog-index.ts), and so the others. */
  search(query: IndexQuery, { facets, sort = 'relevance', ...page }: PageRequest): IndexPage {
    const found = this.#find(query);
    const [inBase, inDelta] = found.pair;
    const total = inBase.count + inDelta.count;
    // Before the page, for that uses the sets up.
    const counts = facets === true ? { facets: this.#facets(found.pair, query) } : {};
    const { offset, limit, popularity } = page;
    const count = Math.max(0, Math.min(limit, total - offset));
    if (count === 0) {
      return { total, tracks: [], ...counts };
    }
    const { pair } = found;
    switch (sort) {
      case 'relevance':
        return { total, tracks: this.#byRank(found, offset, count), ...counts };
      case 'newest':
        return { total, tracks: this.#catalog.page(pair, offset, count), ...counts };
      case 'oldest':
        return {
          total,
          tracks: this.#catalog.page(pair, total - offset - count, count).reverse(),
          ...counts,
        };
      case 'popular':
        return { total, tracks: this.#popular(pair, popularity, offset, count), ...counts };
      default:
        return {
          total,
          tracks: orderedPage(this.#catalog, pair, sort, this.base.take(), offset, count),
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
        return inDelta.has(changed) ? delta.tracks.numbers[changed] : undefined;
      }
      const ordinal = base.ordinalOf(id);
      return ordinal !== undefined && inBase.has(ordinal)
        ? base.tracks.numbers[ordinal]
        : undefined;
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
        const key = found.text!.kind === 'literal' ? name : segment.foldedName(ordinal);
        if (!names.has(key)) names.set(key, name);
        return names.size === limit;
      });
      // The last rank has the text inside words only.
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
    const text = readText(query.text);
    if (text === undefined) {
      return { text, forgiving: false, pair: [base.findAll(query), delta.findAll(query)] };
    }
    const pair = [base.find(text, query), delta.find(text, query)] as const;
    if (text.kind === 'literal' || pair.some(({ count }) => count > 0)) {
      return { text, forgiving: false, pair };
    }
    // Filters left aside: whether typos are forgiven depends on the text and the catalog alone.
    const isRestricted = Object.keys(query).length > 1;
    if (isRestricted && base.find(text, {}).count + delta.find(text, {}).count > 0) {
      return { text, forgiving: false, pair };
    }
    if (text.words.every((word) => typosForgiven(word) === 0)) {
      return { text, forgiving: false, pair };
    }
    const forgiven = [base.findForgiving(text, query), delta.findForgiving(text, query)] as const;
    return { text, forgiving: true, pair: forgiven };
  }

  #byRank(found: Found, offset: number, limit: number): number[] {
    if (found.text === undefined || found.forgiving) {
      return this.#catalog.page(found.pair, offset, limit);
    }
    const numbers: number[] = [];
    let skip = offset;
    const take = (pair: Pair) => {
      const count = pair[0].count + pair[1].count;
      if (skip < count && numbers.length < limit) {
        numbers.push(...this.#catalog.page(pair, skip, limit - numbers.length));
      }
      skip = Math.max(0, skip - count);
    };
    for (const pair of this.#ranks(found, found.text)) {
      take(pair);
      if (numbers.length === limit) return numbers;
    }
    // The ranks have taken theirs out: what is left has a word inside one only.
    take(found.pair);
    return numbers;
  }

  /** The matches rank by rank, but for the last; each is worked out when it is asked for, and taken out of what was found. */
  *#ranks({ pair }: Found, text: TextQuery): Generator<Pair> {
    // A text finds sets of its own.
    const [inBase, inDelta] = pair as readonly [TrackSet, TrackSet];
    const [equalInBase, startingInBase] = this.base.takeByName(text, inBase);
    const [equalInDelta, startingInDelta] = this.delta.takeByName(text, inDelta);
    yield [equalInBase, equalInDelta];
    yield [startingInBase, startingInDelta];
    const [wholeInBase, beginningInBase] = this.base.takeByWords(text, inBase);
    const [wholeInDelta, beginningInDelta] = this.delta.takeByWords(text, inDelta);
    yield [wholeInBase, wholeInDelta];
    yield [beginningInBase, beginningInDelta];
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
