import type { CountedFilter, Filter, FilterType } from './filter.ts';
import { words } from './fold.ts';

/** A filter with its count, and the words that someone may begin to type for it. */
interface Completion {
  filter: CountedFilter;
  words: readonly string[];
}

/** Every filter, as the store listed them last, with the number of live tracks that carry each. */
export class LiveFilters {
  readonly #counts: () => ReadonlyMap<string, number>;
  /** In the order of the store. */
  #filters: readonly Filter[] = [];
  #ids: ReadonlySet<string> = new Set();
  #idBySlug: ReadonlyMap<string, string> = new Map();
  /** Made when first asked for after a change. */
  #counted: readonly CountedFilter[] | undefined;
  #completions: readonly Completion[] | undefined;

  /** `counts`: of live tracks by filter, none being 0; read again after each `recount`. */
  constructor(counts: () => ReadonlyMap<string, number>) {
    this.#counts = counts;
  }

  take(filters: readonly Filter[]): void {
    this.#filters = filters;
    this.#ids = new Set(filters.map(({ id }) => id));
    this.#idBySlug = new Map(filters.map(({ slug, id }) => [slug, id]));
    this.recount();
  }

  /** To be called when the counts have changed. */
  recount(): void {
    this.#counted = undefined;
    this.#completions = undefined;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  idOf(slug: string): string | undefined {
    return this.#idBySlug.get(slug);
  }

  /** Those of a type, or all, in the order of the store; all are one and the same list until a change. */
  list(type?: FilterType): readonly CountedFilter[] {
    const all = this.#all();
    return type === undefined ? all : all.filter((filter) => filter.type === type);
  }

  /**
   * Filters in whose names every word of the text begins a word, as letters and digits alone decide;
   * those that live tracks carry, most tracks first, then by name. None for a text without words.
   */
  completing(text: string, limit: number): CountedFilter[] {
    const begun = words(text);
    if (begun.length === 0) return [];
    const found: CountedFilter[] = [];
    for (const { filter, words } of this.#ranked()) {
      if (found.length === limit) break;
      if (begun.every((start) => words.some((word) => word.startsWith(start)))) found.push(filter);
    }
    return found;
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

  #ranked(): readonly Completion[] {
    this.#completions ??= this.#all()
      .filter(({ trackCount }) => trackCount > 0)
      .sort((a, b) => b.trackCount - a.trackCount || compare(a.name, b.name) || compare(a.id, b.id))
      .map((filter) => ({ filter, words: words(filter.name) }));
    return this.#completions;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
