import { searchForm, searchForms } from '../../common/text/search-form.ts';
import { runStepsWithPauses } from '../../engines/search/build/steps.ts';
import type { VocabularySource } from '../catalog/live/live-catalog.ts';
import type { Meaning, Vocabulary, VocabularyMatch } from './brief.ts';
import { spellingsOf } from './spellings.ts';
import type { Hint, Synonyms } from './synonyms.ts';

type NamedFilter = Meaning['filters'][number];
type FilterForms = ReadonlyMap<string, readonly NamedFilter[]>;

interface FilterNames {
  forms: FilterForms;
  /** The first words of forms of several words. */
  firsts: ReadonlySet<string>;
}

/** The longest phrase that is a name. */
const MAX_WORDS = 8;

const FILTERS_A_STEP = 256;

const LEAST_SPELLED = 5;

/** Words between two others that a name may have or not. */
const CONNECTORS: ReadonlySet<string> = new Set(['and', 'n', 'und', 'et', 'y', 'e']);

/**
 * The vocabulary of a live catalog. Names of filters are kept by their search form, and read again when they have changed;
 * artists and tags are looked up in the index.
 */
export class LiveVocabulary {
  readonly #source: () => VocabularySource;
  readonly #synonyms: () => Synonyms;
  #read: { filters: unknown; filterNames: unknown; names: FilterNames } | undefined;

  constructor(source: () => VocabularySource, synonyms: () => Synonyms) {
    this.#source = source;
    this.#synonyms = synonyms;
  }

  /** The current vocabulary. Takes long only after a change of filters, and pauses for the event loop then. */
  async current(): Promise<CatalogVocabulary> {
    for (;;) {
      const { filters, filterNames } = this.#source();
      const read = this.#read;
      if (read?.filters === filters && read.filterNames === filterNames) {
        return new CatalogVocabulary(this.#source(), read.names, this.#synonyms());
      }
      const names = await runStepsWithPauses(namesOf(this.#source()));
      this.#read = { filters, filterNames, names };
    }
  }
}

/** The filters by the search forms of their names, slugs and translations. */
function* namesOf({ filters, filterNames }: VocabularySource): Generator<void, FilterNames> {
  const forms = new Map<string, NamedFilter[]>();
  const firsts = new Set<string>();
  for (const [i, { id, slug, type, name }] of filters.entries()) {
    const named = { id, slug, type };
    const names = [name, slug, ...(filterNames.get(id)?.values() ?? [])];
    for (const form of new Set(
      names.flatMap((one) => searchForms(one).map((form = '') => keyOf(form))),
    )) {
      if (form === '') continue;
      const end = form.indexOf(' ');
      if (end > 0) firsts.add(form.slice(0, end));
      const known = forms.get(form);
      if (known === undefined) forms.set(form, [named]);
      else known.push(named);
    }
    if (i % FILTERS_A_STEP === FILTERS_A_STEP - 1) yield;
  }
  return { forms, firsts };
}

function keyOf(form: string): string {
  const words = form.split(' ');
  return words.filter((word, i) => i === 0 || !CONNECTORS.has(word)).join(' ');
}

type Place = Pick<VocabularyMatch, 'from' | 'length'>;

export class CatalogVocabulary implements Vocabulary {
  readonly #source: VocabularySource;
  readonly #filters: FilterForms;
  readonly #firsts: ReadonlySet<string>;
  readonly #synonyms: Synonyms;

  constructor(source: VocabularySource, filters: FilterNames, synonyms: Synonyms) {
    this.#source = source;
    this.#filters = filters.forms;
    this.#firsts = filters.firsts;
    this.#synonyms = synonyms;
  }

  matches(words: readonly string[]): VocabularyMatch[] {
    const spellings = words.map((word) => (word === '' ? [] : spellingsOf(word)));
    const exact = new Map<string, Place & Meaning>();
    const synonyms: (Place & { hint: Hint })[] = [];
    for (const from of words.keys()) {
      let phrase = '';
      // The words before the last one, without connectors: the beginning of a key of `#filters`.
      let before = '';
      for (let length = 1; length <= MAX_WORDS && words[from + length - 1]; length++) {
        const last = from + length - 1;
        const word = words[last]!;
        phrase += length === 1 ? word : ` ${word}`;
        if (length > 1 && CONNECTORS.has(word)) continue;
        const filters = this.#filtersOf(before, spellings[last]!);
        if (filters.length > 0) {
          exact.set(`${from} ${length}`, { from, length, filters, tags: [], artists: [] });
        }
        const hint =
          this.#synonyms.hintOf(phrase, word.length) ??
          this.#hintOfSpellings(before, spellings[last]!) ??
          (length === 1 ? this.#synonyms.hintOfPart(word) : undefined);
        if (hint !== undefined) synonyms.push({ from, length, hint });
        before += `${word} `;
        if (length === 1 && !this.#firsts.has(word) && !this.#synonyms.beginsWith(word)) break;
      }
    }
    for (const { from, length, text } of this.#source.valuesInText('tags', spellings)) {
      const place = `${from} ${length}`;
      const known = exact.get(place) ?? { from, length, filters: [], tags: [], artists: [] };
      exact.set(place, { ...known, tags: [...new Set([...known.tags, text])] });
    }
    return [...this.#joined(exact, synonyms), ...this.#artists(words)];
  }

  /** What another spelling of a phrase stands for, such as its singular. Short words are too often others. */
  #hintOfSpellings(before: string, [word, ...others]: readonly string[]) {
    if (word === undefined || word.length < LEAST_SPELLED) return undefined;
    for (const other of others) {
      const hint = this.#synonyms.hintOf(before + other, 1);
      if (hint !== undefined) return hint;
    }
    return undefined;
  }

  /** The filters that have one of the spellings of a phrase as a name. */
  #filtersOf(before: string, spellings: readonly string[]): readonly NamedFilter[] {
    const found = new Set<NamedFilter>();
    for (const spelling of spellings) {
      for (const filter of this.#filters.get(before + spelling) ?? []) found.add(filter);
    }
    return [...found];
  }

  /** The matches of names and of synonyms. A phrase that is the name of a filter means nothing else. */
  #joined(
    exact: ReadonlyMap<string, Place & Meaning>,
    synonyms: readonly (Place & { hint: Hint })[],
  ): VocabularyMatch[] {
    const found = new Map<string, VocabularyMatch>();
    for (const [place, { from, length, ...meaning }] of exact) {
      found.set(place, { from, length, meaning, weight: 1 });
    }
    const more = synonyms.filter(
      ({ from, length }) => !exact.get(`${from} ${length}`)?.filters.length,
    );
    const lists = [...new Set(more.map(({ hint }) => hint.names))];
    const meanings = new Map(this.#meaningsOf(lists).map((meaning, i) => [lists[i]!, meaning]));
    for (const { from, length, hint } of more) {
      const { filters, tags } = meanings.get(hint.names)!;
      if (filters.length === 0 && tags.length === 0) continue;
      const tag = found.get(`${from} ${length}`);
      const meaning = {
        filters,
        tags: [...new Set([...(tag?.meaning.tags ?? []), ...tags])],
        artists: [],
      };
      const weight = tag === undefined ? hint.weight : 1;
      found.set(`${from} ${length}`, { from, length, meaning, weight });
    }
    return [...found.values()];
  }

  /** What lists of names mean. All tags are looked up together. */
  #meaningsOf(lists: readonly (readonly string[])[]): Meaning[] {
    const text: string[][] = [];
    /** For each place in the text where a name begins, its list and number of words. */
    const places = new Map<number, { list: number; length: number }>();
    const filters = lists.map((names, list) =>
      names.flatMap((name) => {
        const words = searchForm(name).split(' ');
        places.set(text.length, { list, length: words.length });
        const spelled = words.map(spellingsOf);
        text.push(...spelled, []);
        const beginning = keyOf(words.slice(0, -1).join(' '));
        const before = beginning === '' ? '' : `${beginning} `;
        return this.#filtersOf(before, spelled.at(-1)!);
      }),
    );
    const tags = lists.map(() => new Set<string>());
    for (const { from, length, text: tag } of this.#source.valuesInText('tags', text)) {
      const place = places.get(from);
      if (place?.length === length) tags[place.list]!.add(tag);
    }
    return lists.map((_, list) => ({
      filters: [...new Set(filters[list])],
      tags: [...tags[list]!],
      artists: [],
    }));
  }

  #artists(words: readonly string[]): VocabularyMatch[] {
    const text = words.map((word) => (word === '' ? [] : [word]));
    return this.#source.valuesInText('artists', text).map(({ from, length, text: artist }) => ({
      from,
      length,
      meaning: { filters: [], tags: [], artists: [artist] },
      weight: 1,
    }));
  }
}
