import { searchForm, searchForms } from '../../common/text/search-form.ts';
import {
  type AiShare,
  type CatalogIndex,
  type ComparedFilters,
  type Ranking as ConceptRanking,
  type ExampleQuery,
  type FieldValue,
  type IndexEntry,
  type IndexFacets,
  type IndexPage,
  type IndexQuery,
  type IndexSort,
  type PageRequest,
  type RankedPage,
  type RankRequest,
  type RestoredTrack,
  type SimilarQuery,
  TEXT_FIELDS,
  type TextFieldName,
  type TrainingAnswer,
  type ValueFieldName,
  type ValueInText,
  type Vocals,
} from './catalog-index.ts';
import { isEqual, naiveRank } from './naive-rank.test-support.ts';
import {
  EQUAL,
  INSIDE,
  type Ranking,
  type Reading,
  rank,
  readingOf,
  typoRank,
} from './naive-ranks.test-support.ts';
import { naiveSimilar, naiveSoundingLike } from './naive-similar.test-support.ts';
import { meaningOf } from './text/song-keys.ts';
import { compareSortedForms } from './text/sort-names.ts';

/**
 * The reference implementation for the tests. It implements the port and the rules of docs/contract/search.md
 * in the simplest way: each query scans and sorts all tracks.
 */
export class NaiveIndex implements Omit<CatalogIndex, 'catchUp'> {
  /** The tracks with their texts, without translations and with them. */
  readonly #tracks = new Map<string, { entry: IndexEntry; read: Fields; translated: Fields }>();
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
      rowIds: matches.slice(offset, offset + limit).map(({ rowId }) => rowId),
      ...(facets ? { facets: facetsOf(matches) } : {}),
    };
  }

  rank(query: IndexQuery, ranking: ConceptRanking, page: RankRequest): RankedPage {
    const admitted = new Set(this.#matches(query).keys());
    const tracks = [...this.#tracks.values()].map(({ entry, read, translated }) => ({
      entry,
      isAdmitted: admitted.has(entry),
      read: query.aliases ? translated : read,
    }));
    const ranked = naiveRank(tracks, ranking);
    const shown = ranked.slice(page.offset, page.offset + page.limit);
    return {
      total: ranked.length,
      rowIds: shown.map(({ entry }) => entry.rowId),
      ids: shown.map(({ entry }) => entry.id),
      carried: shown.map(({ carried }) => carried),
      ...(page.facets ? { facets: facetsOf(ranked.map(({ entry }) => entry)) } : {}),
    };
  }

  locate(ids: readonly string[], query: IndexQuery): (number | undefined)[] {
    const ranks = this.#matches(query);
    return ids.map((id) => {
      const entry = this.#tracks.get(id)?.entry;
      return entry !== undefined && ranks.has(entry) ? entry.rowId : undefined;
    });
  }

  suggest(text: string, limit: number, aliases = false): string[] {
    if (text.trim() === '') {
      return [];
    }
    const wanted = readingOf(text.trim());
    const ranks = this.#matches({ text, ...(aliases && { aliases }) });
    const spelled = new Map<string, string>();
    for (const entry of [...ranks.keys()].sort(this.#order('relevance', ranks, ''))) {
      const completed = this.#readOf(entry.id, aliases).name.find((name) => {
        const found = rank([name], [name], wanted);
        return found !== undefined && found < INSIDE;
      });
      if (completed === undefined || ranks.get(entry)! >= INSIDE) continue;
      const alike = wanted.hasLetterOrDigit ? completed.glued : completed.literal;
      if (!spelled.has(alike)) spelled.set(alike, completed.literal);
    }
    return [...spelled.values()].slice(0, limit);
  }

  /** The texts of a track that are searched. */
  #readOf(id: string, aliases: boolean | undefined): Fields {
    const { read, translated } = this.#tracks.get(id)!;
    return aliases ? translated : read;
  }

  async similar(query: SimilarQuery, compared: ComparedFilters) {
    const entries = [...this.#tracks.values()].map(({ entry }) => entry);
    return naiveSimilar(entries, query, compared);
  }

  soundingLike(query: ExampleQuery, compared: ComparedFilters) {
    const entries = [...this.#tracks.values()].map(({ entry }) => entry);
    return naiveSoundingLike(entries, query, compared);
  }

  filterCounts(): ReadonlyMap<string, number> {
    return facetsOf([...this.#tracks.values()].map(({ entry }) => entry)).filters;
  }

  valuesInText(field: ValueFieldName, text: readonly (readonly string[])[]): ValueInText[] {
    return this.#valuesOf(field).flatMap(({ value, forms }) =>
      forms.flatMap((form) => {
        const words = form.split(' ');
        return [...text.keys()].flatMap((from) => {
          const isThere = words.every((word, i) => {
            const spellings = text[from + i] ?? [];
            return i === words.length - 1 ? spellings.includes(word) : spellings[0] === word;
          });
          return isThere && words.length <= 8 ? [{ ...value, from, length: words.length }] : [];
        });
      }),
    );
  }

  commonTags(limit: number): FieldValue[] {
    return this.#valuesOf('tags')
      .map(({ value }) => value)
      .sort((a, b) => b.tracks - a.tracks || (a.text < b.text ? -1 : 1))
      .slice(0, limit);
  }

  /** The values with a letter or digit, each in the spelling of most tracks. */
  #valuesOf(field: ValueFieldName): { value: FieldValue; forms: readonly string[] }[] {
    const spelled = new Map<string, Map<string, number>>();
    for (const { entry } of this.#tracks.values()) {
      for (const value of new Set(entry[field].map((one) => one.normalize('NFC')))) {
        const form = searchForm(value);
        if (form === '') continue;
        const counts = spelled.get(form) ?? new Map();
        spelled.set(form, counts.set(value, (counts.get(value) ?? 0) + 1));
      }
    }
    return [...spelled.values()].map((counts) => {
      const [[text] = ['']] = [...counts].sort(([, a], [, b]) => b - a);
      const tracks = [...counts.values()].reduce((a, b) => a + b);
      return {
        value: { text, tracks },
        forms: searchForms(text).filter((form) => form !== undefined),
      };
    });
  }

  /** Done when it returns. */
  async apply(upserts: readonly IndexEntry[], removedIds: readonly string[]): Promise<void> {
    for (const id of removedIds) {
      this.#tracks.delete(id);
    }
    for (const entry of upserts) {
      const read: Fields = {
        filters: [],
        name: [readingOf(entry.name)],
        artists: entry.artists.map(readingOf),
        tags: entry.tags.map(readingOf),
      };
      const translated = {
        ...read,
        name: [...read.name, ...(entry.aliases ?? []).map(readingOf)],
        tags: [...read.tags, ...(entry.aliasTags ?? []).map(readingOf)],
      };
      this.#tracks.set(entry.id, { entry, read, translated });
    }
  }

  hide(ids: readonly string[]): void {
    for (const id of ids) {
      this.#tracks.delete(id);
    }
  }

  show(tracks: readonly RestoredTrack[]): void {
    void this.apply(
      tracks.map(({ entry }) => entry),
      [],
    );
  }

  /** Done when it returns. */
  async setPopularity(name: string, counts: ReadonlyMap<string, number>): Promise<void> {
    this.#popularity.set(name, new Map(counts));
  }

  #order(sort: IndexSort, ranks: ReadonlyMap<IndexEntry, number>, popularity: string): Order {
    const words = (entry: IndexEntry) => {
      const { glued } = this.#tracks.get(entry.id)!.read.name[0]!;
      return glued === '' ? [] : glued.split(' ');
    };
    const counts = this.#popularity.get(popularity);
    const licenses = ({ id }: IndexEntry) => counts?.get(id) ?? 0;
    const orders: Record<IndexSort, Order> = {
      relevance: (a, b) => compare(ranks.get(a)!, ranks.get(b)!),
      newest: () => 0,
      oldest: (a, b) => newest(b, a),
      name: (a, b) => compareSortedForms(words(a), words(b)),
      bpm: (a, b) => compare(a.bpm || UNKNOWN, b.bpm || UNKNOWN),
      duration: (a, b) => compare(a.durationSeconds || UNKNOWN, b.durationSeconds || UNKNOWN),
      popular: (a, b) => compare(licenses(b), licenses(a)),
      created: (a, b) => compare(b.rowId, a.rowId),
    };
    return (a, b) => orders[sort](a, b) || newest(a, b);
  }

  /** The matching tracks and their ranks. Smaller ranks are better. */
  #matches(query: IndexQuery): Map<IndexEntry, number> {
    const text = readingOf(query.text?.trim() ?? '');
    const fields = TEXT_FIELDS.filter((field) => (query.in ?? []).includes(field));
    const searched = fields.length === 0 ? (['name'] as const) : fields;
    if (text.literal === '') {
      const passing = [...this.#tracks.values()].filter(({ entry }) => passes(entry, query));
      return new Map(passing.map(({ entry }) => [entry, EQUAL]));
    }
    for (const ranking of [rank, typoRank]) {
      const ranks = new Map<IndexEntry, number>();
      for (const { entry } of this.#tracks.values()) {
        const filters = (query.filterNames?.names ?? [])
          .filter((named) => entry.filterIds.includes(named.id))
          .flatMap(({ texts }) => texts.map(readingOf));
        const read = { ...this.#readOf(entry.id, query.aliases), filters };
        const found = rankInFields(read, searched, text, ranking);
        if (found !== undefined) {
          ranks.set(entry, found);
        }
      }
      // Typos are tolerated if the text alone, without the filters, matches nothing.
      if (ranks.size > 0) {
        return new Map([...ranks].filter(([entry]) => passes(entry, query)));
      }
    }
    return new Map();
  }
}

type Order = (a: IndexEntry, b: IndexEntry) => number;
/** The searched texts of a track: its name, and the values of its other fields. */
export type Fields = Record<TextFieldName, readonly Reading[]>;

/** A number greater than any rank within a field. */
const A_FIELD = 100;

/** Ranks first by the field that, together with those before it, has all words; then by the rank in it. */
function rankInFields(
  read: Fields,
  fields: readonly TextFieldName[],
  text: Reading,
  ranking: Ranking,
): number | undefined {
  for (const [i, field] of fields.entries()) {
    const all = i === 0 ? read[field] : fields.slice(0, i + 1).flatMap((one) => read[one]);
    const found = ranking(all, read[field], text);
    if (found !== undefined) return i * A_FIELD + found;
  }
  return undefined;
}

/** The sort key of unknown values, which come last. */
const UNKNOWN = Number.POSITIVE_INFINITY;

function compare<T extends string | number | boolean>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function newest(a: IndexEntry, b: IndexEntry): number {
  return compare(b.releasedAt, a.releasedAt) || compare(a.id, b.id);
}

export function passes(entry: IndexEntry, query: IndexQuery): boolean {
  const keys = query.songKeys?.map(meaningOf);
  return (
    (query.type === undefined || entry.type === query.type) &&
    (query.hasVocals === undefined || entry.hasVocals === query.hasVocals) &&
    (query.vocals === undefined || query.vocals.includes(vocalsOf(entry))) &&
    (query.hasAudio === undefined || (entry.hasAudio ?? true) === query.hasAudio) &&
    (query.ai === undefined || query.ai.includes(aiOf(entry))) &&
    (query.trainingAllowed === undefined || query.trainingAllowed === trainingOf(entry)) &&
    (query.artist === undefined || entry.artists.some((one) => isArtist(one, query.artist!))) &&
    (query.isrc === undefined || entry.isrc === query.isrc) &&
    (query.filterIds ?? []).every((id) => entry.filterIds.includes(id)) &&
    (query.anyFilterIds ?? []).every((ids) => ids.some((id) => entry.filterIds.includes(id))) &&
    !(query.notFilterIds ?? []).some((id) => entry.filterIds.includes(id)) &&
    (keys === undefined || entry.songKeys.some((key) => keys.includes(meaningOf(key)))) &&
    (query.regions === undefined || query.regions.includes(entry.region)) &&
    (query.regions === undefined ||
      entry.availableIn === undefined ||
      (query.territories ?? []).every((code) => entry.availableIn!.split(' ').includes(code))) &&
    liesIn(query.bpmMin, entry.bpm || undefined, query.bpmMax) &&
    liesIn(query.durationMin, entry.durationSeconds || undefined, query.durationMax) &&
    liesIn(query.releasedFrom, entry.releasedAt, query.releasedTo) &&
    (query.rowIdAbove === undefined || entry.rowId > query.rowIdAbove) &&
    liesIn(undefined, entry.rowId, query.rowIdTo)
  );
}

function isArtist(name: string, wanted: string): boolean {
  const [one, other] = [readingOf(name), readingOf(wanted.trim())];
  return other.hasLetterOrDigit ? isEqual(one, other) : one.literal === other.literal;
}

function vocalsOf({ hasVocals, isInstrumental }: IndexEntry): Vocals {
  return hasVocals ? 'vocal' : isInstrumental ? 'instrumental' : 'unknown';
}

function aiOf({ ai }: IndexEntry): AiShare {
  return ai ?? 'unknown';
}

function trainingOf({ trainingAllowed }: IndexEntry): TrainingAnswer {
  return trainingAllowed === undefined ? 'unknown' : `${trainingAllowed}`;
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
    vocals: tally(entries.map(vocalsOf)),
    ai: tally(entries.map(aiOf)),
    trainingAllowed: tally(entries.map(trainingOf)),
  };
}

function tally<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
