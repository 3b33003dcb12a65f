import { otherForms, wordsOfForm } from '../../../common/text/forms/other-forms.ts';
import { KEY_KINDS } from '../../../common/text/forms/sounds.ts';
import { searchForm } from '../../../common/text/search-form.ts';
import type {
  FieldValue,
  IndexFacets,
  IndexPage,
  IndexQuery,
  PageRequest,
  RankedPage,
  Ranking,
  RankRequest,
  ValueFieldName,
  ValueInText,
} from '../catalog-index.ts';
import { popularPage } from '../segments/popularity.ts';
import type { Segment } from '../segments/segment.ts';
import type { Matches } from '../sets/matches.ts';
import type { NumberedName } from '../text/names.ts';
import { readText, type TextQuery, type TextReading, typosForgiven } from '../text/text-query.ts';
import { RANKS_BEFORE_INSIDE } from '../text/text-ranks.ts';
import { MergedCatalog } from './merged-page.ts';
import { orderedPage, type StoredOrder } from './ordered-page.ts';
import { RankedSearch } from './ranked-search.ts';
import type { SegmentSearch } from './segment-search.ts';

/** The matches of a query, with everything that its pages are made from. */
interface Found {
  text: TextQuery | undefined;
  /** Whether typos were forgiven because nothing matched exactly. */
  forgiving: boolean;
  matches: readonly Matches[];
}

/**
 * Answers queries from several segments together. A track is live in at most one of them. A new one is made
 * whenever a segment is added or replaced; tombstones are added to the segments in place.
 */
export class SegmentsSearch {
  /** The oldest segment first, which is usually the largest. */
  readonly parts: readonly SegmentSearch[];
  readonly #segments: readonly Segment[];
  readonly #catalog: MergedCatalog;

  constructor(parts: readonly SegmentSearch[]) {
    this.parts = parts;
    this.#segments = parts.map(({ segment }) => segment);
    this.#catalog = new MergedCatalog(this.#segments);
  }

  get size(): number {
    return this.parts.reduce((sum, { live }) => sum + live.count, 0);
  }

  /** CatalogIndex describes this and the following methods. */
  search(query: IndexQuery, { facets, sort = 'relevance', ...page }: PageRequest): IndexPage {
    const found = this.#find(query, sort === 'relevance' && facets !== true);
    const { matches } = found;
    const total = countOf(matches);
    // Facets are counted before the page is made, which consumes the sets.
    const counts = facets === true ? { facets: this.#facets(matches, query) } : {};
    const { offset, limit, popularity } = page;
    const count = Math.max(0, Math.min(limit, total - offset));
    const pageOf = (rowIds: number[]) => ({ total, rowIds, ...counts });
    if (count === 0) return pageOf([]);
    /** The place of the page in the reverse order. */
    const fromEnd = total - offset - count;
    switch (sort) {
      case 'relevance':
        return pageOf(this.#byRank(found, offset, count));
      case 'newest':
        return pageOf(this.#catalog.page(matches, offset, count));
      case 'oldest':
        return pageOf(this.#catalog.page(matches, fromEnd, count).reverse());
      case 'popular':
        return pageOf(this.#popular(matches, popularity, offset, count));
      case 'created':
        return pageOf(this.#ordered(found, 'rowId', fromEnd, count).reverse());
      default:
        return pageOf(this.#ordered(found, sort, offset, count));
    }
  }

  rank(query: IndexQuery, ranking: Ranking, { facets, offset, limit }: RankRequest): RankedPage {
    for (const part of this.parts) part.begin();
    const ranked = new RankedSearch(this.parts, this.#catalog, query, ranking);
    const { matches } = ranked;
    // Facets are those of a query with another condition, as a text is one.
    const counts = facets ? { facets: this.#facets(matches, { ...query, text: '*' }) } : {};
    return { total: countOf(matches), ...ranked.page(offset, limit), ...counts };
  }

  locate(ids: readonly string[], query: IndexQuery): (number | undefined)[] {
    const { matches } = this.#find(query);
    return ids.map((id) => {
      for (let i = matches.length - 1; i >= 0; i--) {
        const segment = this.#segments[i]!;
        const ordinal = segment.ordinalOf(id);
        if (ordinal !== undefined && matches[i]!.has(ordinal)) {
          return segment.tracks.rowIds[ordinal];
        }
      }
      return undefined;
    });
  }

  suggest(text: string, limit: number, aliases = false): string[] {
    const found = this.#find({ text, ...(aliases && { aliases }) });
    const names = new Map<string, string>();
    if (found.text === undefined || found.forgiving || limit === 0) {
      return [];
    }
    let rank = 0;
    for (const matches of this.#ranks(found, found.text, Infinity)) {
      // The last ranks hold names with the text only inside words, which are not suggested.
      if (++rank > RANKS_BEFORE_INSIDE) break;
      this.#addNames(names, matches, limit, found.text);
      if (names.size === limit) break;
    }
    return [...names.values()];
  }

  filterCounts(): ReadonlyMap<string, number> {
    return this.parts
      .map(({ segment, live }): ReadonlyMap<string, number> => segment.filterCounts(live.counts))
      .reduce(summed);
  }

  valuesInText(field: ValueFieldName, text: readonly (readonly string[])[]): ValueInText[] {
    const found = new Map<string, ValueInText>();
    for (const segment of this.#segments) {
      for (const value of segment.values(field).inText(text)) {
        addTo(found, `${value.from} ${value.length} ${searchForm(value.text)}`, value);
      }
    }
    return [...found.values()];
  }

  commonTags(limit: number): FieldValue[] {
    const found = new Map<string, FieldValue>();
    for (const segment of this.#segments) {
      for (const value of segment.values('tags').commonest(limit)) {
        addTo(found, searchForm(value.text), value);
      }
    }
    found.delete('');
    return [...found.values()]
      .sort((a, b) => b.tracks - a.tracks || (a.text < b.text ? -1 : 1))
      .slice(0, limit);
  }

  /** Adds the names of the matches in catalog order, until there are `limit` different ones. */
  #addNames(
    names: Map<string, string>,
    matches: readonly Matches[],
    limit: number,
    text: TextQuery,
  ): void {
    const count = countOf(matches);
    let others = 0;
    // Many tracks may have the same name, so more and more of them are read.
    for (let skip = 0, next = NAMES_FIRST; skip < count; skip += next, next *= 4) {
      for (const [part, ordinal] of this.#catalog.places(matches, skip, next)) {
        const name = completedName(this.#segments[part]!, ordinal, text);
        if (name === undefined) {
          if (++others === MAX_OTHERS) return;
          continue;
        }
        const key = text.kind === 'literal' ? name.text() : name.names.glued(name.number);
        if (!names.has(key)) names.set(key, name.text());
        if (names.size === limit) return;
      }
    }
  }

  /** @param onlyBest whether only a page of the best matches, and the number of matches, is wanted */
  #find(query: IndexQuery, onlyBest = false): Found {
    const { parts } = this;
    for (const part of parts) part.begin();
    const text = readText(query.text, query.in, query.aliases, query.filterNames);
    if (text === undefined) {
      return { text, forgiving: false, matches: parts.map((part) => part.findAll(query)) };
    }
    const matches = parts.map((part) =>
      onlyBest ? part.findBest(text, query) : part.find(text, query),
    );
    if (text.kind === 'literal' || matches.some(({ count }) => count > 0)) {
      return { text, forgiving: false, matches };
    }
    // Without the filters: whether typos are forgiven depends only on the text and the catalog.
    const isRestricted = Object.keys(query).some((key) => !OF_TEXT.has(key));
    if (isRestricted && parts.some((part) => part.find(text, {}).count > 0)) {
      return { text, forgiving: false, matches };
    }
    if (text.readings[0].words.every((word) => typosForgiven(word) === 0)) {
      return { text, forgiving: false, matches };
    }
    const forgiven = parts.map((part) => part.findForgiving(text, query));
    return { text, forgiving: true, matches: forgiven };
  }

  #byRank(found: Found, offset: number, limit: number): number[] {
    if (found.text === undefined) {
      return this.#catalog.page(found.matches, offset, limit);
    }
    const rowIds: number[] = [];
    let skip = offset;
    const take = (matches: readonly Matches[]) => {
      const count = countOf(matches);
      if (skip < count && rowIds.length < limit) {
        rowIds.push(...this.#catalog.page(matches, skip, limit - rowIds.length));
      }
      skip = Math.max(0, skip - count);
    };
    for (const matches of this.#ranks(found, found.text, offset + limit)) {
      take(matches);
      if (rowIds.length === limit) return rowIds;
    }
    // The ranks were removed from the sets, so the last rank is left.
    take(found.matches);
    return rowIds;
  }

  /**
   * Yields the matches of each rank but the last. A rank is computed when it is requested, and removed from
   * the matches. All segments have the same number of ranks.
   * @param most the number of matches of all ranks together that are needed; others may be missing
   */
  *#ranks(
    { matches, forgiving }: Found,
    text: TextQuery,
    most: number,
  ): Generator<readonly Matches[]> {
    const ranks = this.parts.map((part, i) => part.ranks(text, matches[i]!, forgiving, most));
    while (true) {
      const rank: Matches[] = [];
      // Each segment is asked, also after the first one ended: it may remove the rank before only then.
      for (const one of ranks) {
        const { value, done } = one.next();
        if (!done) rank.push(value);
      }
      if (rank.length < ranks.length) return;
      yield rank;
    }
  }

  #ordered({ matches }: Found, order: StoredOrder, offset: number, limit: number): number[] {
    const takeSet = (part: number) => this.parts[part]!.take();
    return orderedPage(this.#catalog, this.#segments, matches, order, takeSet, offset, limit);
  }

  #popular(
    matches: readonly Matches[],
    name: string | undefined,
    offset: number,
    limit: number,
  ): number[] {
    const licensed = this.parts.map((part) => part.licensed.get(name ?? ''));
    const takeSet = (part: number) => this.parts[part]!.take();
    return licensed.every((one) => one !== undefined)
      ? popularPage(this.#catalog, matches, licensed, takeSet, offset, limit)
      : this.#catalog.page(matches, offset, limit);
  }

  #facets(matches: readonly Matches[], query: IndexQuery): IndexFacets {
    const facets = this.parts.flatMap((part, i) =>
      i === 0 || matches[i]!.count > 0 ? [part.facets(matches[i]!, query)] : [],
    );
    return facets.reduce((one, other) => ({
      filters: summed(one.filters, other.filters),
      types: summed(one.types, other.types),
      hasVocals: summed(one.hasVocals, other.hasVocals),
      vocals: summed(one.vocals, other.vocals),
      ai: summed(one.ai, other.ai),
      trainingAllowed: summed(one.trainingAllowed, other.trainingAllowed),
    }));
  }
}

const NAMES_FIRST = 32;
/** The most tracks without a name that completes the text that are read: each takes microseconds. */
const MAX_OTHERS = 2_000;

/** Counts the tracks of equal values together, in the spelling of the one with more tracks. */
function addTo<Value extends FieldValue>(
  found: Map<string, Value>,
  form: string,
  value: Value,
): void {
  const known = found.get(form);
  const [more, fewer] =
    known === undefined || value.tracks > known.tracks ? [value, known] : [known, value];
  found.set(form, { ...more, tracks: more.tracks + (fewer?.tracks ?? 0) });
}

function countOf(matches: readonly Matches[]): number {
  return matches.reduce((sum, { count }) => sum + count, 0);
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

/** The members of a query that say which texts match. */
const OF_TEXT: ReadonlySet<string> = new Set(['text', 'in', 'aliases', 'filterNames']);

/**
 * Returns the name of a matching track that a text completes: the original, or the first translated one; undefined if
 * the words of the text are in several names.
 */
function completedName(
  segment: Segment,
  ordinal: number,
  text: TextQuery,
): NumberedName | undefined {
  const names = segment.namesOf(ordinal);
  return names.length === 1 || !text.translations
    ? names[0]
    : names.find((name) => isCompletion(name, text));
}

function isCompletion({ names, number, text: literal }: NumberedName, text: TextQuery): boolean {
  if (text.kind === 'literal') return literal().startsWith(text.text);
  const words = names.wordsOf(number);
  const isComplete = ({ words: wanted, isWhole }: TextReading) =>
    wanted.every((begun) =>
      words.some((word) => (isWhole ? word === begun : word.startsWith(begun))),
    );
  if (text.readings.some(isComplete)) return true;
  words.push(...otherForms(literal()).flatMap((form) => wordsOfForm(form).words));
  return [...text.readings, ...text.spellings, ...KEY_KINDS.flatMap(text.sounds)].some(isComplete);
}
