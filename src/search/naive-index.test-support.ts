import type {
  CatalogIndex,
  IndexEntry,
  IndexFacets,
  IndexPage,
  IndexQuery,
  PageRequest,
  TrackSort,
} from '../catalog/catalog-index.ts';
import { fold, words } from '../catalog/fold.ts';

/**
 * The oracle: the port and the rules of decisions §4 written as plainly as they go, scanning and
 * sorting everything for each question.
 */
export class NaiveIndex implements CatalogIndex {
  readonly #tracks = new Map<string, { entry: IndexEntry; name: Reading }>();
  readonly #popularity = new Map<string, ReadonlyMap<string, number>>();

  constructor(entries: readonly IndexEntry[]) {
    void this.apply(entries, []);
  }

  get size(): number {
    return this.#tracks.size;
  }

  search(query: IndexQuery, page: PageRequest): IndexPage {
    const { offset, limit, sort = 'relevance', popularity = '', facets = false } = page;
    const ranks = this.#matches(query);
    const matches = [...ranks.keys()].sort(this.#order(sort, ranks, popularity));
    return {
      total: matches.length,
      tracks: matches.slice(offset, offset + limit).map(({ no }) => no),
      ...(facets ? { facets: facetsOf(matches) } : {}),
    };
  }

  locate(ids: readonly string[], query: IndexQuery): (number | undefined)[] {
    const ranks = this.#matches(query);
    return ids.map((id) => {
      const entry = this.#tracks.get(id)?.entry;
      return entry !== undefined && ranks.has(entry) ? entry.no : undefined;
    });
  }

  suggest(text: string, limit: number): string[] {
    if (text.trim() === '') {
      return [];
    }
    const literally = !hasLetterOrDigit(read(text));
    const ranks = this.#matches({ text });
    const spelled = new Map<string, string>();
    for (const entry of [...ranks.keys()].sort(this.#order('relevance', ranks, ''))) {
      const { folded, literal } = this.#tracks.get(entry.id)!.name;
      const alike = literally ? literal : folded;
      if (ranks.get(entry)! < INSIDE && !spelled.has(alike)) {
        spelled.set(alike, literal);
      }
    }
    return [...spelled.values()].slice(0, limit);
  }

  filterCounts(): ReadonlyMap<string, number> {
    return facetsOf([...this.#tracks.values()].map(({ entry }) => entry)).filters;
  }

  /** Done when it returns. */
  async apply(upserts: readonly IndexEntry[], removedIds: readonly string[]): Promise<void> {
    for (const id of removedIds) {
      this.#tracks.delete(id);
    }
    for (const entry of upserts) {
      this.#tracks.set(entry.id, { entry, name: read(entry.name) });
    }
  }

  /** Done when it returns. */
  async setPopularity(name: string, counts: ReadonlyMap<string, number>): Promise<void> {
    this.#popularity.set(name, new Map(counts));
  }

  #order(sort: TrackSort, ranks: ReadonlyMap<IndexEntry, number>, popularity: string): Order {
    const name = (entry: IndexEntry) => this.#tracks.get(entry.id)!.name.folded;
    const counts = this.#popularity.get(popularity);
    const licences = ({ id }: IndexEntry) => counts?.get(id) ?? 0;
    const orders: Record<TrackSort, Order> = {
      relevance: (a, b) => compare(ranks.get(a)!, ranks.get(b)!),
      newest: () => 0,
      oldest: (a, b) => newest(b, a),
      name: (a, b) => compare(name(a) === '', name(b) === '') || compare(name(a), name(b)),
      bpm: (a, b) => compare(a.bpm || UNKNOWN, b.bpm || UNKNOWN),
      duration: (a, b) => compare(a.durationSeconds || UNKNOWN, b.durationSeconds || UNKNOWN),
      popular: (a, b) => compare(licences(b), licences(a)),
    };
    return (a, b) => orders[sort](a, b) || newest(a, b);
  }

  /** What matches, and how well: smaller ranks are better. */
  #matches(query: IndexQuery): Map<IndexEntry, number> {
    const text = read(query.text?.trim() ?? '');
    const rankings: Ranking[] = text.literal === '' ? [() => EQUAL] : [rank, typoRank];
    for (const ranking of rankings) {
      const ranks = new Map<IndexEntry, number>();
      for (const { entry, name } of this.#tracks.values()) {
        const found = ranking(name, text);
        if (found !== undefined) {
          ranks.set(entry, found);
        }
      }
      // Typos are forgiven where the text alone matches nothing, filters left aside.
      if (ranks.size > 0) {
        return new Map([...ranks].filter(([entry]) => passes(entry, query)));
      }
    }
    return new Map();
  }
}

type Order = (a: IndexEntry, b: IndexEntry) => number;
type Ranking = (name: Reading, text: Reading) => number | undefined;

/** After everything known. */
const UNKNOWN = Number.POSITIVE_INFINITY;

function compare<T extends string | number | boolean>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function newest(a: IndexEntry, b: IndexEntry): number {
  return compare(b.releasedAt, a.releasedAt) || compare(a.id, b.id);
}

function passes(entry: IndexEntry, query: IndexQuery): boolean {
  const songKey = query.songKey?.toLowerCase();
  return (
    (query.type === undefined || entry.type === query.type) &&
    (query.hasVocals === undefined || entry.hasVocals === query.hasVocals) &&
    (query.isrc === undefined || entry.isrc === query.isrc) &&
    (query.filterIds ?? []).every((id) => entry.filterIds.includes(id)) &&
    (songKey === undefined || entry.songKeys.some((key) => key.toLowerCase() === songKey)) &&
    liesIn(query.bpmMin, entry.bpm || undefined, query.bpmMax) &&
    liesIn(query.durationMin, entry.durationSeconds || undefined, query.durationMax) &&
    liesIn(query.releasedFrom, entry.releasedAt, query.releasedTo)
  );
}

function liesIn(from: number | undefined, value: number | undefined, to: number | undefined) {
  return (
    (from === undefined || (value !== undefined && value >= from)) &&
    (to === undefined || (value !== undefined && value <= to))
  );
}

function facetsOf(entries: readonly IndexEntry[]): IndexFacets {
  return {
    filters: tally(entries.flatMap(({ filterIds }) => filterIds)),
    types: tally(entries.map(({ type }) => type)),
    hasVocals: tally(entries.map(({ hasVocals }) => hasVocals)),
  };
}

function tally<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

/** A name or a text, in the forms in which the two are compared. */
interface Reading {
  literal: string;
  folded: string;
  words: readonly string[];
}

function read(text: string): Reading {
  const literal = text.normalize('NFC');
  return { literal, folded: fold(literal), words: words(literal) };
}

function hasLetterOrDigit({ literal }: Reading): boolean {
  return [...literal].some((one) => /[\p{L}\p{N}]/u.test(one) && fold(one) !== '');
}

/** The ranks of decisions §4, best first. */
const [EQUAL, BEGINNING, WHOLE_WORDS, BEGUN_WORDS, INSIDE, WITH_TYPOS] = [1, 2, 3, 4, 5, 6];

/** The first rank that holds, but for typos; undefined where none does. */
export function rankOf(name: string, text: string): number | undefined {
  return rank(read(name), read(text));
}

function rank(name: Reading, text: Reading): number | undefined {
  const literally = !hasLetterOrDigit(text);
  const [whole, part] = literally ? [name.literal, text.literal] : [name.folded, text.folded];
  if (whole === part) {
    return EQUAL;
  }
  if (whole.startsWith(part)) {
    return BEGINNING;
  }
  if (literally) {
    // Half of a surrogate pair is no character, so it stands inside none.
    return part.isWellFormed() && whole.includes(part) ? INSIDE : undefined;
  }
  const eachStands = (how: (there: string, word: string) => boolean) =>
    text.words.every((word) => name.words.some((there) => how(there, word)));
  if (eachStands((there, word) => there === word)) {
    return WHOLE_WORDS;
  }
  if (eachStands((there, word) => there.startsWith(word))) {
    return BEGUN_WORDS;
  }
  return eachStands((there, word) => there.includes(word)) ? INSIDE : undefined;
}

function typoRank(name: Reading, text: Reading): number | undefined {
  const matches =
    hasLetterOrDigit(text) &&
    text.words.every((word) => {
      const letters = [...word].length;
      const typos = letters >= 8 ? 2 : letters >= 4 ? 1 : 0;
      return name.words.some((there) => there.includes(word) || alignment(word, there) <= typos);
    });
  return matches ? WITH_TYPOS : undefined;
}

/** The optimal string alignment distance, from its textbook table. */
export function alignment(one: string, other: string): number {
  const a = [...one];
  const b = [...other];
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(
        table[i - 1]![j]! + 1,
        table[i]![j - 1]! + 1,
        table[i - 1]![j - 1]! + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, table[i - 2]![j - 2]! + 1);
      }
      table[i]![j] = least;
    }
  }
  return table[a.length]![b.length]!;
}
