import type { IndexEntry, StoredFieldName, TrackType, ValueFieldName } from '../catalog-index.ts';
import { partitionPoint, wordsFor } from '../sets/bits.ts';
import { filterLabel, keyLabel, parsedRegion, regionLabel } from '../sets/labels.ts';
import { SOUND_WORDS } from '../sets/sounds.ts';
import { Dictionary } from '../text/dictionary.ts';
import { Names, type NumberedName } from '../text/names.ts';
import { meaningOf } from '../text/song-keys.ts';
import { articlesOf } from '../text/sort-names.ts';
import { FormField, NameField, type TextField, type WordField } from '../text/text-field.ts';
import {
  FORM_FIELDS,
  type FormFieldName,
  ISRC_LENGTH,
  type LabelColumns,
  type OrderColumns,
  type SegmentColumns,
  type TrackColumns,
} from './columns.ts';
import { articleTest } from './orders.ts';
import { compareIds, findId, readId, writeId } from './track-id.ts';
import { ValueField } from './value-field.ts';

const REGION = regionLabel('');

const FORMS_OF: Readonly<
  Record<StoredFieldName, readonly [originals: FormFieldName, translations?: FormFieldName]>
> = {
  name: ['nameForms', 'aliasForms'],
  artists: ['artistForms'],
  tags: ['tagForms', 'aliasTagForms'],
};

/** Fields that are searched together, because a match in one is worth as much as in another; and their other forms. */
export interface Level {
  written: readonly TextField[];
  forms: readonly WordField[];
}
const KEY = keyLabel('');

type DictionaryName = Exclude<keyof SegmentColumns['meta'], 'size' | 'seq' | 'labels' | 'language'>;

/** A label of a region whose tracks are available in some countries. */
interface RestrictedRegion {
  label: number;
  region: string;
  availableIn: string;
}

/**
 * Tracks in catalog order, with everything that queries need. A track is identified by its ordinal, its
 * position in that order. A segment is an immutable view on columns and costs no time to make.
 */
export class Segment {
  readonly columns: SegmentColumns;
  readonly size: number;
  readonly tracks: TrackColumns;
  readonly labels: LabelColumns;
  readonly orders: OrderColumns;
  readonly names: Names;
  readonly nameWords: Dictionary;
  readonly fields: Readonly<Record<StoredFieldName, TextField>>;
  /** The translations of the fields; those that no track has are absent. */
  readonly translations: Readonly<Partial<Record<StoredFieldName, TextField>>>;
  /** The other forms of the fields and of their translations; those that no track has are absent. */
  readonly #forms: Readonly<Partial<Record<FormFieldName, FormField>>>;
  readonly #isArticle: ReturnType<typeof articleTest>;
  readonly #aliases: ValueField;
  readonly #aliasTags: ValueField;
  readonly #artists: ValueField;
  readonly #tags: ValueField;
  readonly #labelNumbers: ReadonlyMap<string, number>;
  /** The labels that are filters, by number. */
  readonly #filterIds: readonly (readonly [label: number, id: string])[];
  /** The labels of regions with the countries in which their tracks are available, if these are not all. */
  readonly restrictedRegions: readonly RestrictedRegion[];
  /** The labels of keys by what they mean; made when it is first needed. */
  #keyLabels: ReadonlyMap<string, number[]> | undefined;
  readonly #wantedId = new Uint32Array(4);

  constructor(columns: SegmentColumns) {
    const { meta } = columns;
    this.columns = columns;
    this.size = meta.size;
    this.tracks = columns.tracks;
    this.labels = columns.labels;
    this.orders = columns.orders;
    const bitsLength = wordsFor(meta.size);
    const dictionary = (name: DictionaryName) =>
      new Dictionary(columns[name], meta[name], bitsLength);
    const words = dictionary('words');
    this.nameWords = words;
    this.names = new Names(
      words.words,
      columns.tracks,
      columns.orders,
      columns.wordCounts.firstNames,
    );
    const articles = articlesOf(meta.language);
    this.#isArticle = articleTest(words.words, articles, columns.tracks.tokens);
    this.#artists = new ValueField(columns.artists, dictionary('artistWords'));
    this.#tags = new ValueField(columns.tags, dictionary('tagWords'));
    this.#aliases = new ValueField(columns.aliases, dictionary('aliasWords'));
    this.#aliasTags = new ValueField(columns.aliasTags, dictionary('aliasTagWords'));
    this.translations = {
      ...(columns.aliases.values.length > 0 && { name: this.#aliases }),
      ...(columns.aliasTags.values.length > 0 && { tags: this.#aliasTags }),
    };
    this.fields = {
      name: new NameField(columns.tracks, words, dictionary('symbols'), this.names),
      artists: this.#artists,
      tags: this.#tags,
    };
    this.#forms = Object.fromEntries(
      FORM_FIELDS.filter((name) => columns[name].owners.length > 0).map((name) => [
        name,
        new FormField(columns[name], bitsLength),
      ]),
    );
    this.#labelNumbers = new Map(meta.labels.map((label, number) => [label, number]));
    this.restrictedRegions = meta.labels.flatMap((label, number) => {
      if (!label.startsWith(REGION)) return [];
      const { region, availableIn } = parsedRegion(label.slice(REGION.length));
      return availableIn === undefined ? [] : [{ label: number, region, availableIn }];
    });
    const prefix = filterLabel('');
    this.#filterIds = meta.labels.flatMap((label, number) =>
      label.startsWith(prefix) ? [[number, label.slice(prefix.length)] as const] : [],
    );
  }

  values(field: ValueFieldName): ValueField {
    return field === 'artists' ? this.#artists : this.#tags;
  }

  /** A field, with its translations if they are searched. */
  levelOf(name: StoredFieldName, isTranslated: boolean): Level {
    const [ofOriginals, ofTranslations] = FORMS_OF[name];
    const translated = isTranslated ? this.translations[name] : undefined;
    const forms = this.#forms[ofOriginals];
    const others = isTranslated && ofTranslations ? this.#forms[ofTranslations] : undefined;
    return {
      written: translated === undefined ? [this.fields[name]] : [this.fields[name], translated],
      forms: [forms, others].filter((field) => field !== undefined),
    };
  }

  get labelNames(): readonly string[] {
    return this.columns.meta.labels;
  }

  /** The number of a label; undefined if no track has it. */
  labelNumber(label: string): number | undefined {
    return this.#labelNumbers.get(label);
  }

  /** The numbers of those labels that a track has. */
  labelNumbers(labels: readonly string[]): number[] {
    return labels.map((label) => this.labelNumber(label)).filter((label) => label !== undefined);
  }

  /** The numbers of the labels of keys that mean the same as one of these, in any notation. */
  keyLabels(keys: readonly string[]): number[] {
    this.#keyLabels ??= Map.groupBy(
      [...this.labelNames.keys()].filter((label) => this.labelNames[label]!.startsWith(KEY)),
      (label) => meaningOf(this.labelNames[label]!.slice(KEY.length)),
    );
    const labels = keys.flatMap((key) => this.#keyLabels!.get(meaningOf(key)) ?? []);
    return [...new Set(labels)];
  }

  /** The ordinal of an id (lower case), live or not; undefined if the segment does not have it. */
  ordinalOf(id: string): number | undefined {
    writeId(this.#wantedId, 0, id);
    return findId(this.tracks.idTable, this.tracks.ids, this.#wantedId, 0);
  }

  /** The name in NFC. */
  name(ordinal: number): string {
    const { names, nameStarts } = this.tracks;
    // Decoders refuse shared memory, so the bytes are copied first.
    return Buffer.from(names.subarray(nameStarts[ordinal], nameStarts[ordinal + 1])).toString();
  }

  /** The names of a track: the original, and then the translated ones. */
  namesOf(ordinal: number): NumberedName[] {
    const original = { names: this.names, number: ordinal, text: () => this.name(ordinal) };
    return [original, ...this.#aliases.namesOf(ordinal)];
  }

  /** The search form of the name: its words with single spaces between them. */
  searchName(ordinal: number): string {
    return this.names.glued(ordinal);
  }

  /** The words that the name is sorted by. */
  sortedName(ordinal: number): string[] {
    return this.names.sorted(ordinal, this.#isArticle);
  }

  /** The track as it was added, except for the case of its keys. */
  entry(ordinal: number): IndexEntry {
    const { rowIds, ids, releasedAt, durations, bpms, labels, labelStarts } = this.tracks;
    const aliases = this.#aliases.of(ordinal);
    const aliasTags = this.#aliasTags.of(ordinal);
    const sound = this.sound(ordinal);
    const entry = {
      rowId: rowIds[ordinal]!,
      id: readId(ids, ordinal),
      name: this.name(ordinal),
      type: 'music' as TrackType,
      hasVocals: false,
      releasedAt: releasedAt[ordinal]!,
      durationSeconds: durations[ordinal]!,
      bpm: bpms[ordinal]! / 1000,
      songKeys: [] as string[],
      filterIds: [] as string[],
      isrc: this.isrc(ordinal),
      artists: this.#artists.of(ordinal),
      tags: this.#tags.of(ordinal),
      region: '',
      ...(aliases.length > 0 && { aliases }),
      ...(aliasTags.length > 0 && { aliasTags }),
      ...(sound !== undefined && { sound }),
    };
    for (let i = labelStarts[ordinal]!; i < labelStarts[ordinal + 1]!; i++) {
      const [property, value] = this.#parsedLabel(labels[i]!);
      switch (property) {
        case 'type':
          entry.type = value as TrackType;
          break;
        case 'vocals':
          if (value === 'instrumental') Object.assign(entry, { isInstrumental: true });
          else entry.hasVocals = value === 'true';
          break;
        case 'audio':
          Object.assign(entry, { hasAudio: false });
          break;
        case 'ai':
          Object.assign(entry, { ai: value });
          break;
        case 'training':
          Object.assign(entry, { trainingAllowed: value === 'true' });
          break;
        case 'key':
          entry.songKeys.push(value);
          break;
        case 'region':
          Object.assign(entry, parsedRegion(value));
          break;
        default:
          entry.filterIds.push(value);
      }
    }
    return entry;
  }

  /** The sound of a track, as a copy; undefined if it is unknown. */
  sound(ordinal: number): Uint8Array | undefined {
    const { sounds } = this.tracks;
    const words = sounds.slice(ordinal * SOUND_WORDS, (ordinal + 1) * SOUND_WORDS);
    return words.some((word) => word !== 0) ? new Uint8Array(words.buffer) : undefined;
  }

  /** The number of the first artist of a track in the segment; undefined if it has none. */
  firstArtist(ordinal: number): number | undefined {
    const { values, valueStarts } = this.columns.artists;
    const start = valueStarts[ordinal]!;
    return start < valueStarts[ordinal + 1]! ? values[start] : undefined;
  }

  /** The name of an artist, by its number in the segment. */
  artist(number: number): string {
    return this.#artists.text(number);
  }

  /** `""` if unknown. */
  isrc(ordinal: number): string {
    const { isrcs } = this.tracks;
    const start = ordinal * ISRC_LENGTH;
    return isrcs[start] === 0
      ? ''
      : String.fromCharCode(...isrcs.subarray(start, start + ISRC_LENGTH));
  }

  /** The tracks with an ISRC, ascending. */
  withIsrc(isrc: string): Uint32Array {
    const { byIsrc } = this.tracks;
    const from = partitionPoint(0, byIsrc.length, (i) => this.isrc(byIsrc[i]!) < isrc);
    const to = partitionPoint(from, byIsrc.length, (i) => this.isrc(byIsrc[i]!) === isrc);
    return byIsrc.subarray(from, to);
  }

  readonly #parsedLabels: [property: string, value: string][] = [];

  #parsedLabel(label: number): [property: string, value: string] {
    let parsed = this.#parsedLabels[label];
    if (parsed === undefined) {
      const name = this.labelNames[label]!;
      const colon = name.indexOf(':');
      parsed = [name.slice(0, colon), name.slice(colon + 1)];
      this.#parsedLabels[label] = parsed;
    }
    return parsed;
  }

  filterCounts(counts: ArrayLike<number>): Map<string, number> {
    const filters = new Map<string, number>();
    for (const [label, id] of this.#filterIds) {
      const count = counts[label]!;
      if (count > 0) filters.set(id, count);
    }
    return filters;
  }
}

/** Negative if track `a` of one segment comes before track `b` of another: newest first, then by id. */
export function compareInCatalog(one: Segment, a: number, other: Segment, b: number): number {
  return (
    other.tracks.releasedAt[b]! - one.tracks.releasedAt[a]! ||
    compareIds(one.tracks.ids, a, other.tracks.ids, b)
  );
}
