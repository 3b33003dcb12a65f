import { LRUCache } from 'lru-cache';
import type { LanguageView } from '../../../common/caller.ts';
import { keptIn } from '../../../common/memory/caches.ts';
import { spellingsOfText, wordsInAllForms } from '../../../common/text/forms/other-forms.ts';
import { KEY_KINDS, soundsOfText } from '../../../common/text/forms/sounds.ts';
import { searchForm, unfinishedForm } from '../../../common/text/search-form.ts';
import type { Change } from '../../../engines/change-log/change-log.ts';
import type {
  ComparedFilters,
  FilterNames,
  IndexEntry,
} from '../../../engines/search/catalog-index.ts';
import type { CountedFilter, Filter, FilterType } from '../track.ts';
import type { LiveLanguages } from './live-languages.ts';

/** A filter with its count, and the words of its name, which a caller may begin to type. */
interface Completion {
  filter: CountedFilter;
  words: readonly string[];
}

/** The members of a query that name filters, in the order of warnings. */
export const FILTER_MEMBERS = [
  'filterIds',
  'filterSlugs',
  'anyFilterIds',
  'anyFilterSlugs',
  'notFilterIds',
  'notFilterSlugs',
] as const;
type FilterMember = (typeof FILTER_MEMBERS)[number];
const ASKING = FILTER_MEMBERS.slice(0, 4);
const EXCLUDING = FILTER_MEMBERS.slice(4);

/** Filters as a caller names them: ids in either case, repetitions allowed; an empty list counts as absent. */
export type NamedFilters = { [Member in FilterMember]?: readonly string[] };

/** A filter of a query that does not exist. */
export interface UnknownFilter {
  field: FilterMember;
  /** An id in lower case, or a slug. */
  name: string;
  /** The slug that may be meant. */
  nearest?: string | undefined;
}

/** A filter that a query excludes and asks for. */
export interface FilterConflict {
  field: FilterMember;
  /** The slug, or the id with the slug, as the field has it. */
  name: string;
  /** The member that asks for it. */
  other: FilterMember;
}

/** The greatest number of unknown filters of one query for which the nearest slug is searched. */
const MAX_NEAREST = 5;

/** Longer slugs are not compared. */
const MAX_COMPARED_LENGTH = 60;

/** The greatest number of filters that a slug is compared with, which takes a fraction of a millisecond. */
const MAX_COMPARED_FILTERS = 5_000;

/** The greatest number of views whose list of filters is kept; a list of 10,000 filters takes 2 MB. */
const MAX_VIEWS = 16;

type TranslatedNames = Pick<LiveLanguages, 'filterName' | 'wordsOf'>;

/** All filters, with their numbers of live tracks. */
export class LiveFilters {
  readonly #counts: () => ReadonlyMap<string, number>;
  readonly #names: TranslatedNames;
  /** In the order of the store. */
  #filters: readonly Filter[] = [];
  #byId: ReadonlyMap<string, Filter> = new Map();
  #idBySlug: ReadonlyMap<string, string> = new Map();
  #compared: ComparedFilters = { genres: new Set(), moods: new Set() };
  /** Made at the first request after a change. */
  #counted: readonly CountedFilter[] | undefined;
  #completions: readonly Completion[] | undefined;
  /** The words of original names by the id of the filter, made at the first completion after a change of the filters. */
  #words = new Map<string, readonly string[]>();
  /** By language; languages are few, and other ones are not chosen. */
  readonly #searched = new Map<string, FilterNames>();
  readonly #inOtherLanguages = new LRUCache<LanguageView, readonly CountedFilter[]>({
    max: MAX_VIEWS,
  });

  /**
   * `counts` returns the number of live tracks of each filter without zeros. It is called again after each
   * `recount`. `names` has the translated names; after a change of them, `recount` must be called, too.
   */
  constructor(counts: () => ReadonlyMap<string, number>, names: TranslatedNames) {
    this.#counts = counts;
    this.#names = names;
  }

  take(filters: readonly Filter[]): void {
    this.#filters = filters;
    this.#words = new Map();
    this.#byId = new Map(filters.map((filter) => [filter.id, filter]));
    this.#idBySlug = new Map(filters.map(({ slug, id }) => [slug, id]));
    this.#compared = { genres: idsOf(filters, 'genre'), moods: idsOf(filters, 'mood') };
    this.recount();
  }

  /** Must be called when the counts have changed. */
  recount(): void {
    this.#counted = undefined;
    this.#completions = undefined;
    this.#inOtherLanguages.clear();
    this.#searched.clear();
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** The filters that similar tracks are compared by. The same object is returned until a change. */
  get compared(): ComparedFilters {
    return this.#compared;
  }

  slugOf(id: string): string | undefined {
    return this.#byId.get(id)?.slug;
  }

  typeOf(id: string): FilterType | undefined {
    return this.#byId.get(id)?.type;
  }

  /** The id of each filter that a member of a query names, with repetitions; undefined for one that does not exist. */
  idsIn(query: NamedFilters, member: FilterMember): (string | undefined)[] {
    return (query[member] ?? []).map((name) => {
      if (member.endsWith('Slugs')) return this.#idBySlug.get(name);
      const id = name.toLowerCase();
      return this.has(id) ? id : undefined;
    });
  }

  /**
   * The filters of a query that do not exist, those of a member once each; undefined if all exist. The nearest slug is
   * searched only for the first few of them, so that the cost is bounded.
   */
  unknown(query: NamedFilters): UnknownFilter[] | undefined {
    const unknown: UnknownFilter[] = [];
    let compared = 0;
    for (const field of FILTER_MEMBERS) {
      const ids = this.idsIn(query, field);
      if (!ids.includes(undefined)) continue;
      const names = query[field]!.filter((_, i) => ids[i] === undefined);
      if (field.endsWith('Ids')) {
        const lower = new Set(names.map((name) => name.toLowerCase()));
        unknown.push(...Array.from(lower, (name) => ({ field, name })));
      } else {
        for (const name of new Set(names)) {
          const nearest = compared++ < MAX_NEAREST ? this.nearestSlug(name) : undefined;
          unknown.push({ field, name, nearest });
        }
      }
    }
    return unknown.length > 0 ? unknown : undefined;
  }

  /** The filters that a query both excludes and asks for, once each. */
  conflicts(query: NamedFilters): FilterConflict[] {
    if (EXCLUDING.every((field) => !query[field]?.length)) return [];
    const askedBy = new Map<string | undefined, FilterMember>();
    for (const other of ASKING) for (const id of this.idsIn(query, other)) askedBy.set(id, other);
    const conflicts: FilterConflict[] = [];
    for (const field of EXCLUDING) {
      for (const id of new Set(this.idsIn(query, field))) {
        const other = askedBy.get(id);
        if (id === undefined || other === undefined) continue;
        const slug = this.slugOf(id)!;
        conflicts.push({ field, name: field.endsWith('Ids') ? `${id} (${slug})` : slug, other });
      }
    }
    return conflicts;
  }

  /**
   * The known slug that an unknown slug is probably a misspelling of: the one that has the most in common
   * with it at both ends.
   */
  nearestSlug(slug: string): string | undefined {
    if (slug.length > MAX_COMPARED_LENGTH) return undefined;
    let best: string | undefined;
    // At most a third of the letters may differ, as for other names in messages.
    let least = Math.max(2, Math.ceil(slug.length / 3)) + 1;
    for (let i = 0; i < this.#filters.length && i < MAX_COMPARED_FILTERS; i++) {
      const candidate = this.#filters[i]!.slug;
      const apart = lettersApart(slug, candidate, least);
      if (apart < least) {
        least = apart;
        best = candidate;
      }
    }
    return best;
  }

  /**
   * All filters, or those of a type, in the order of the store, with their names in a view. Without a type, the same
   * list is returned until a change.
   */
  list(type?: FilterType, view?: LanguageView): readonly CountedFilter[] {
    const all = view === undefined ? this.#all() : this.#named(view);
    return type === undefined ? all : all.filter((filter) => filter.type === type);
  }

  /**
   * The filters with live tracks whose names have, for every word of the text, a word that begins with it;
   * compared by letters and digits only. Most tracks first, then by name. Empty for a text without words. With a view,
   * translated names of any language count, too, and the names are those of the view.
   */
  completing(text: string, limit: number, view?: LanguageView): CountedFilter[] {
    const typed = searchForm(text);
    if (typed === '') return [];
    const written = [typed, unfinishedForm(typed) ?? typed];
    const others = [
      ...spellingsOfText(text).map(({ form }) => form),
      ...KEY_KINDS.flatMap((kind) => soundsOfText(typed, kind)),
    ];
    const readings = [...written, ...others].map((form) => form.split(' '));
    const found: CountedFilter[] = [];
    for (const { filter, words } of this.#ranked()) {
      if (found.length === limit) break;
      const isCompletion = (words: readonly string[]) =>
        readings.some((begun) =>
          begun.every((start) => words.some((word) => word.startsWith(start))),
        );
      if (
        isCompletion(words) ||
        (view !== undefined && this.#names.wordsOf(filter.id).some(isCompletion))
      ) {
        found.push(filter);
      }
    }
    return view === undefined ? found : found.map((filter) => this.#inView(filter, view));
  }

  /** All filters in the order of the store; the same list until they are read again. */
  get all(): readonly Filter[] {
    return this.#filters;
  }

  /**
   * The names in the language of the catalog, and in the language of a view. The same object is returned until a change of
   * the filters or of their counts.
   */
  searchedNames(view?: LanguageView): FilterNames {
    const language = view?.language ?? '';
    return keptIn(this.#searched, language, () => ({
      names: this.#filters.map((filter) => {
        const name = view === undefined ? filter.name : this.#names.filterName(filter, view);
        return { id: filter.id, texts: name === filter.name ? [name] : [filter.name, name] };
      }),
      toJSON: () => language,
    }));
  }

  #all(): readonly CountedFilter[] {
    if (this.#counted === undefined) {
      const counts = this.#counts();
      this.#counted = this.#filters.map((filter) => ({
        ...filter,
        trackCount: counts.get(filter.id) ?? 0,
      }));
    }
    return this.#counted;
  }

  #named(view: LanguageView): readonly CountedFilter[] {
    return keptIn<LanguageView, readonly CountedFilter[]>(this.#inOtherLanguages, view, () =>
      this.#all().map((filter) => this.#inView(filter, view)),
    );
  }

  #inView(filter: CountedFilter, view: LanguageView): CountedFilter {
    return { ...filter, name: this.#names.filterName(filter, view) };
  }

  #ranked(): readonly Completion[] {
    this.#completions ??= this.#all()
      .filter(({ trackCount }) => trackCount > 0)
      .sort((a, b) => b.trackCount - a.trackCount || compare(a.name, b.name) || compare(a.id, b.id))
      .map((filter) => ({ filter, words: this.#wordsOf(filter) }));
    return this.#completions;
  }

  #wordsOf({ id, name }: Filter): readonly string[] {
    return keptIn(this.#words, id, () => wordsInAllForms(name));
  }

  /**
   * Whether changes may have added or removed filters. A filter is added with a track, which may be taken
   * down and so has no entry. A filter is removed with the tracks of a source, and may come back with another
   * name.
   */
  mayChange(
    changes: readonly Change[],
    entries: readonly IndexEntry[],
    live: ReadonlySet<string>,
  ): boolean {
    return (
      entries.some(({ filterIds }) => filterIds.some((id) => !this.has(id))) ||
      changes.some(
        ({ kind, entityId }) =>
          kind === 'removed' || ((kind === 'created' || kind === 'updated') && !live.has(entityId)),
      )
    );
  }
}

function idsOf(filters: readonly Filter[], wanted: FilterType): ReadonlySet<string> {
  return new Set(filters.filter(({ type }) => type === wanted).map(({ id }) => id));
}

/**
 * The number of letters between the common beginning and the common end of two words, in the longer one. It
 * is at least their edit distance and is faster to compute. If it is `limit` or more, any number from `limit`
 * on.
 */
function lettersApart(a: string, b: string, limit: number): number {
  const shorter = Math.min(a.length, b.length);
  const longer = Math.max(a.length, b.length);
  if (longer - shorter >= limit) return limit;
  let alike = 0;
  while (alike < shorter && a.charCodeAt(alike) === b.charCodeAt(alike)) alike++;
  let fromEnd = 0;
  while (
    alike + fromEnd < shorter &&
    a.charCodeAt(a.length - 1 - fromEnd) === b.charCodeAt(b.length - 1 - fromEnd)
  ) {
    fromEnd++;
  }
  return longer - alike - fromEnd;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
