import { parseStored } from '../../../engines/sql/stored-value.ts';
import { orderedTexts, type TrackText } from '../../languages/translations.ts';
import type { FormerTrack } from '../batches.ts';
import type { TrackDelivery } from '../track.ts';
import { type DeliveredPart, identifiedParts, PART_WORDS, type PartList } from '../track-parts.ts';
import { mergedWriters, type Writer } from '../writers.ts';

/** What a track has in tables of its own. */
interface TrackLists {
  writers: readonly Writer[];
  stems: readonly DeliveredPart[];
  versions: readonly DeliveredPart[];
  translations: readonly TrackText[];
}

export type ListName = keyof TrackLists;

/** Some lists of a track; an absent one stays as it is. */
export type GivenLists = { readonly [Name in ListName]?: TrackLists[Name] | undefined };

/** The lists of a track that change. */
export interface ListChanges {
  before: GivenLists;
  after: GivenLists;
}

interface ListedTrack {
  rowId: number;
  id: string;
}

/** A stored track, with the lists that it is to have. */
export interface WrittenLists extends ListedTrack {
  lists: GivenLists;
}

/** Where a list is stored. */
interface ListTable<Item> {
  table: string;
  /** The condition for the rows of the list. */
  where: string;
  /** The columns of an item, for SELECT. */
  select: string;
  order: string;
  item(row: object): Item;
  /** The columns of `rows`. */
  columns: readonly string[];
  rows(track: ListedTrack, list: readonly Item[]): (string | number | null)[][];
}

const TABLES: { readonly [Name in ListName]: ListTable<TrackLists[Name][number]> } = {
  writers: {
    table: 'track_writers',
    where: 'true',
    select: 'name, role, ipi, society, share',
    order: 'position',
    item: (row) => row as Writer,
    columns: ['track_row_id', 'position', 'name', 'role', 'ipi', 'society', 'share'],
    rows: ({ rowId }, writers) =>
      writers.map(({ name, role, ipi, society, share }, position) => {
        return [rowId, position, name, role, ipi, society, share];
      }),
  },
  stems: partTable('stems'),
  versions: partTable('versions'),
  translations: {
    table: 'track_texts',
    where: 'true',
    select: 'language, name, tags',
    order: 'language',
    item: (row) => {
      const { tags, ...text } = row as Omit<TrackText, 'tags'> & { tags: string | null };
      return { ...text, tags: tags === null ? null : parseStored<string[]>(tags) };
    },
    columns: ['track_row_id', 'language', 'name', 'tags'],
    rows: ({ rowId }, texts) =>
      texts.map(({ language, name, tags }) => [
        rowId,
        language,
        name,
        tags && JSON.stringify(tags),
      ]),
  },
};

function partTable(list: PartList): ListTable<DeliveredPart> {
  const word = PART_WORDS[list];
  return {
    table: 'track_parts',
    where: `part = '${word}'`,
    select: `kind, name, duration_seconds AS "durationSeconds", audio_key AS "audioKey", size_bytes AS "sizeBytes", ordinal`,
    order: 'position',
    item: (row) => row as DeliveredPart,
    columns: [
      ...['id', 'track_row_id', 'part', 'kind', 'name'],
      ...['duration_seconds', 'audio_key', 'size_bytes', 'position', 'ordinal'],
    ],
    rows: ({ rowId, id: trackId }, parts) =>
      identifiedParts(trackId, list, parts).map((part, position) => {
        const { id, kind, name, durationSeconds, audioKey, sizeBytes, ordinal = null } = part;
        return [
          ...[id, rowId, word, kind, name, durationSeconds, audioKey, sizeBytes],
          ...[position, ordinal],
        ];
      }),
  };
}

export const LISTS = Object.entries(TABLES) as unknown as readonly (readonly [
  name: ListName,
  table: ListTable<object>,
])[];

/** Returns the lists that a delivery gives a track with these lists. */
export function deliveredLists(delivery: TrackDelivery, stored: GivenLists = {}): GivenLists {
  const { writers, stems, versions, translations } = delivery;
  return {
    writers: writers && mergedWriters(writers, stored.writers ?? []),
    stems,
    versions,
    translations: translations && orderedTexts(translations),
  };
}

/** Returns how the stored lists of a track change if it gets others; undefined if they stay as they are. */
export function listChanges(given: GivenLists, stored: GivenLists): ListChanges | undefined {
  const changed = LISTS.filter(([name]) => {
    const list = given[name];
    return list !== undefined && valuesOf(list) !== valuesOf(stored[name] ?? []);
  });
  if (changed.length === 0) return undefined;
  const of = (lists: GivenLists): GivenLists =>
    Object.fromEntries(changed.map(([name]) => [name, lists[name] ?? []]));
  return { before: of(stored), after: of(given) };
}

/** Returns the names of the lists that partners see and that change, as the change log records them. */
export function listMembers(changes: ListChanges | undefined): ListName[] {
  return LISTS.flatMap(([name]) => (name !== 'writers' && changes?.after[name] ? [name] : []));
}

/** Returns lists as JSON arrays, as a batch keeps them of a former track; null for those that are absent. */
export function serializedLists(lists: GivenLists): Record<ListName, string | null> {
  const json = (list: readonly object[] | undefined) =>
    list === undefined ? null : JSON.stringify(list);
  return {
    writers: json(lists.writers),
    stems: json(lists.stems),
    versions: json(lists.versions),
    translations: json(lists.translations),
  };
}

/** Returns the lists that a batch kept of a track. */
export function formerLists(former: Pick<FormerTrack, ListName>): GivenLists {
  return Object.fromEntries(
    LISTS.flatMap(([name]) => {
      const json = former[name];
      return json === null ? [] : [[name, parseStored<object[]>(json)]];
    }),
  );
}

/** The members of the items of all lists. */
const ITEM_MEMBERS = [
  ...['language', 'name', 'role', 'ipi', 'society', 'share', 'tags'],
  ...['kind', 'durationSeconds', 'audioKey', 'sizeBytes', 'ordinal'],
];

/** Equal lists have equal texts, whatever the order of the members of their items. */
function valuesOf(list: readonly object[]): string {
  const items = list as readonly Readonly<Record<string, unknown>>[];
  return JSON.stringify(items.map((item) => ITEM_MEMBERS.map((member) => item[member])));
}
