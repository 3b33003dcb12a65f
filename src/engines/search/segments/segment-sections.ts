import { buildDictionary } from '../build/dictionary-builder.ts';
import {
  type BuiltTrackValues,
  buildTrackValues,
  type CollectedTracks,
} from '../build/track-collector.ts';
import {
  type BuiltNames,
  type BuiltValues,
  buildForms,
  buildNames,
  buildValues,
} from '../build/value-builder.ts';
import { type BitMemory, FORM_FIELDS, labelNumbers } from '../segments/columns.ts';
import { countLabels, noLabelCounts } from '../sets/label-counts.ts';
import { buildLabelLists } from '../sets/labels.ts';
import { articlesOf } from '../text/sort-names.ts';
import type { TextLists } from '../text/text-numbers.ts';
import { countWords, noWordCounts } from '../text/word-counts.ts';
import { WordList } from '../text/word-list.ts';
import type { CatalogOrder } from './catalog-order.ts';
import type {
  DictionaryColumns,
  DictionaryMeta,
  FormColumns,
  FormFieldName,
  LabelColumns,
  NameOrderColumns,
  OrderColumns,
  SegmentColumns,
  TrackColumns,
  WordCountColumns,
} from './columns.ts';
import { buildNameOrders, buildSortOrder } from './orders.ts';
import { type Places, placeLists } from './placed.ts';

/** The sections of a segment. Each is built from one member of the collected tracks, independently of the others. */
export interface Sections extends Record<FormFieldName, FormColumns> {
  values: BuiltTrackValues;
  words: BuiltNames;
  artists: BuiltValues;
  tags: BuiltValues;
  aliases: BuiltValues;
  aliasTags: BuiltValues;
  symbols: { columns: DictionaryColumns; meta: DictionaryMeta };
  labels: {
    names: readonly string[];
    tracks: Pick<TrackColumns, 'labels' | 'labelStarts'>;
    columns: LabelColumns;
  };
}

export type SectionName = keyof Sections;

/** The sections that take longest come first, which shortens the work of several threads. */
export const SECTION_NAMES: readonly SectionName[] = [
  'words',
  'labels',
  'values',
  'artists',
  'tags',
  'aliases',
  'aliasTags',
  'symbols',
  ...FORM_FIELDS,
];

export interface SectionContext {
  places: Places;
  /** The memory for the bitsets of a large segment; a small one has none, and no counts of several labels. */
  memory?: BitMemory;
  /** The language of the catalog. */
  language?: string | undefined;
}

/** Each builds a section from its member of all parts, in steps of a few milliseconds. */
export const SECTION_BUILDERS: {
  [N in SectionName]: (
    parts: readonly CollectedTracks[N][],
    context: SectionContext,
  ) => Generator<void, Sections[N]>;
} = {
  values: (parts, { places, memory }) => buildTrackValues(parts, places, memory),
  words: (parts, { places, memory }) => buildNames(parts, places, { memory }),
  artists: (parts, { places, memory }) => buildValues(parts, places, memory),
  tags: (parts, { places, memory }) => buildValues(parts, places, memory),
  aliases: (parts, { places, memory }) => buildValues(parts, places, memory),
  aliasTags: (parts, { places, memory }) => buildValues(parts, places, memory),
  symbols: buildSymbols,
  labels: buildLabels,
  nameForms: (parts, { places }) => buildForms(parts, places),
  artistForms: (parts, { places }) => buildForms(parts, places),
  tagForms: (parts, { places }) => buildForms(parts, places),
  aliasForms: (parts, { places }) => buildForms(parts, places),
  aliasTagForms: (parts, { places }) => buildForms(parts, places),
};

function* buildSymbols(
  parts: readonly TextLists[],
  { places }: SectionContext,
): Generator<void, Sections['symbols']> {
  const { texts, items, starts } = yield* placeLists(parts, places);
  return yield* buildDictionary({
    texts,
    size: places.size,
    tokens: items,
    tokenStarts: starts,
    withTypos: false,
  });
}

function* buildLabels(
  parts: readonly TextLists[],
  { places, memory }: SectionContext,
): Generator<void, Sections['labels']> {
  const { texts, items, starts: labelStarts } = yield* placeLists(parts, places);
  const tracks = { labels: labelNumbers(items, texts.length), labelStarts };
  const sparseMost = memory ? places.size >>> 8 : places.size >>> 5;
  const lists = yield* buildLabelLists(tracks, texts.length, sparseMost, memory);
  const counts = memory ? yield* countLabels(tracks, texts, lists) : noLabelCounts(texts.length);
  return { names: texts, tracks, columns: { ...lists, ...counts } };
}

/** The sections that are built from other sections. */
export interface LaterSections {
  nameOrders: NameOrderColumns & Pick<OrderColumns, 'bySortedName' | 'nameRanks'>;
  wordCounts: WordCountColumns;
}

export type LaterName = keyof LaterSections;

export type LaterInput = Pick<Sections, 'words' | 'labels'>;

/** Each builds a later section, in steps of a few milliseconds. */
export const LATER_BUILDERS: {
  [N in LaterName]: (
    input: LaterInput,
    context: SectionContext,
  ) => Generator<void, LaterSections[N]>;
} = {
  *nameOrders({ words: { names, dictionary } }, { places: { size }, language }) {
    const orders = yield* buildNameOrders(names, size);
    const { units, starts } = dictionary.columns;
    const words = new WordList(units, starts);
    const sorted = yield* buildSortOrder(names, words, articlesOf(language), size);
    return { ...orders, ...sorted };
  },
  *wordCounts({ words, labels }, { places: { size }, memory }) {
    if (memory === undefined) return noWordCounts();
    return yield* countWords({
      size,
      names: words.names,
      words: words.dictionary.columns,
      labels: labels.tracks,
      labelNames: labels.names,
    });
  },
};

export type AllSections = Sections & LaterSections;

export function assembled(
  { idTable, places }: CatalogOrder,
  { language }: SectionContext,
  sections: AllSections,
  seq: number,
): SegmentColumns {
  const { values, words, artists, tags, symbols, labels, nameOrders, wordCounts } = sections;
  const { aliases, aliasTags, nameForms, artistForms, tagForms, aliasForms, aliasTagForms } =
    sections;
  return {
    nameForms,
    artistForms,
    tagForms,
    aliasForms,
    aliasTagForms,
    meta: {
      size: places.size,
      seq,
      language,
      labels: labels.names,
      words: words.dictionary.meta,
      symbols: symbols.meta,
      artistWords: artists.meta,
      tagWords: tags.meta,
      aliasWords: aliases.meta,
      aliasTagWords: aliasTags.meta,
    },
    tracks: { ...values.tracks, idTable, ...words.names, ...labels.tracks },
    labels: labels.columns,
    words: words.dictionary.columns,
    wordCounts,
    artists: artists.values,
    artistWords: artists.words,
    tags: tags.values,
    tagWords: tags.words,
    aliases: aliases.values,
    aliasWords: aliases.words,
    aliasTags: aliasTags.values,
    aliasTagWords: aliasTags.words,
    symbols: symbols.columns,
    orders: { ...nameOrders, ...values.orders },
  };
}
