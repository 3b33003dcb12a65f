import { mayHaveOtherForms, otherForms } from '../../../common/text/forms/other-forms.ts';
import type { IndexEntry } from '../catalog-index.ts';
import {
  type BitMemory,
  type FormFieldName,
  ISRC_LENGTH,
  type OrderColumns,
  shared,
  sharedUint32,
  type TrackColumns,
} from '../segments/columns.ts';
import { orderByNumber } from '../segments/orders.ts';
import { type Places, placeBytes, placeFixed } from '../segments/placed.ts';
import { writeId } from '../segments/track-id.ts';
import { bitsIn } from '../sets/bit-kernel.ts';
import {
  AI_LABELS,
  filterLabel,
  INSTRUMENTAL,
  keyLabel,
  regionLabel,
  SILENT,
  TRAINING_LABELS,
  typeLabel,
  vocalsLabel,
} from '../sets/labels.ts';
import { numbersOf, SIGN_WORDS, SOUND_BYTES, SOUND_WORDS, writeSigns } from '../sets/sounds.ts';
import { ListCollector, ListNumbers, type TextLists, TextNumbers } from '../text/text-numbers.ts';
import { symbolRuns } from '../text/text-query.ts';
import { GrowingText, GrowingUint32 } from './growing.ts';
import { sortByKeys } from './steps.ts';
import { type CollectedNames, NameCollector } from './value-builder.ts';

/** The values of tracks that have a fixed length, and the names. */
export interface CollectedValues {
  rowIds: Uint32Array;
  /** Four words each. */
  ids: Uint32Array;
  releasedAt: Float64Array;
  durations: Uint32Array;
  /** In thousandths. */
  bpms: Uint32Array;
  /** Twelve bytes each. */
  isrcs: Uint8Array;
  /** 16 words each; empty if none is known. */
  sounds: Uint32Array;
  /** In NFC and UTF-8, end to end. */
  names: Uint8Array;
  nameEnds: Uint32Array;
}

/**
 * Tracks as plain data from which a segment is built, in the order in which they were added. Each member but `live` is
 * the input of one section of the segment (segment-sections.ts).
 */
export interface CollectedTracks extends Record<FormFieldName, TextLists> {
  /** The live tracks, as a bitset; absent if all are. Only these get into the segment. */
  live?: Uint32Array;
  values: CollectedValues;
  words: CollectedNames;
  artists: TextLists;
  tags: TextLists;
  /** The translated names and tags. */
  aliases: TextLists;
  aliasTags: TextLists;
  symbols: TextLists;
  labels: TextLists;
}

export class TrackCollector {
  readonly #rowIds = new GrowingUint32();
  readonly #ids = new GrowingUint32();
  readonly #releasedAt: number[] = [];
  readonly #durations = new GrowingUint32();
  readonly #bpms = new GrowingUint32();
  readonly #isrcs = new GrowingText();
  readonly #sounds = new SoundCollector();
  readonly #names = new GrowingText();
  readonly #nameEnds = new GrowingUint32();
  readonly #words = new NameCollector();
  readonly #nameForms = new FormLists();
  readonly #artists = new ValueCollector();
  readonly #tags = new ValueCollector();
  readonly #aliases = new ValueCollector();
  readonly #aliasTags = new ValueCollector();
  readonly #symbols = new ListCollector();
  readonly #symbolNumbers = new TextNumbers();
  readonly #labels = new LabelCollector();

  get size(): number {
    return this.#rowIds.length;
  }

  /** Adds a track. It replaces a track with the same id that was added before. */
  add(entry: IndexEntry): void {
    this.#rowIds.push(entry.rowId);
    writeId(this.#ids.extendedBy(4), this.size - 1, entry.id);
    this.#releasedAt.push(entry.releasedAt);
    this.#durations.push(entry.durationSeconds);
    this.#bpms.push(Math.round(entry.bpm * 1000));
    this.#isrcs.push(entry.isrc === '' ? NO_ISRC : entry.isrc.padEnd(ISRC_LENGTH, '\0'));
    if (entry.sound !== undefined) this.#sounds.set(this.size - 1, entry.sound);
    const name = entry.name.normalize('NFC');
    this.#names.push(name);
    this.#nameEnds.push(this.#names.length);
    const mayHaveSymbols = this.#words.add(name);
    this.#nameForms.add(this.#words.formsOf(name, mayHaveSymbols));
    this.#artists.add(entry.artists);
    this.#tags.add(entry.tags);
    this.#aliases.add(entry.aliases ?? NOTHING);
    this.#aliasTags.add(entry.aliasTags ?? NOTHING);
    if (mayHaveSymbols) {
      for (const run of symbolRuns(name)) this.#symbols.add(this.#symbolNumbers.of(run));
    }
    this.#symbols.end();
    this.#labels.add(entry);
  }

  /** Valid until the next `add`. */
  get collected(): CollectedTracks {
    return {
      values: {
        rowIds: this.#rowIds.view,
        ids: this.#ids.view,
        releasedAt: new Float64Array(this.#releasedAt),
        durations: this.#durations.view,
        bpms: this.#bpms.view,
        isrcs: this.#isrcs.view,
        sounds: this.#sounds.of(this.size),
        names: this.#names.view,
        nameEnds: this.#nameEnds.view,
      },
      words: this.#words.collected,
      artists: this.#artists.collected,
      tags: this.#tags.collected,
      aliases: this.#aliases.collected,
      aliasTags: this.#aliasTags.collected,
      symbols: this.#symbols.collected(this.#symbolNumbers),
      labels: this.#labels.collected,
      nameForms: this.#nameForms.collected,
      artistForms: this.#artists.forms,
      tagForms: this.#tags.forms,
      aliasForms: this.#aliases.forms,
      aliasTagForms: this.#aliasTags.forms,
    };
  }
}

const NOTHING: readonly string[] = [];
const NO_ISRC = '\0'.repeat(ISRC_LENGTH);

/** Collects the other forms of the texts of each track. */
class FormLists {
  readonly #texts = new TextNumbers();
  readonly #lists = new ListCollector();

  numbersOf(forms: readonly string[]): number[] {
    return forms.map((form) => this.#texts.of(form));
  }

  add(forms: readonly string[]): void {
    if (forms.length > 0) this.#lists.addAll(this.numbersOf(forms));
    this.#lists.end();
  }

  addNumbers(numbers: readonly number[]): void {
    this.#lists.addAll(numbers);
    this.#lists.end();
  }

  get collected(): TextLists {
    return this.#lists.collected(this.#texts);
  }
}

/** Collects the values of a field, and their other forms. A value that a track has twice counts once. */
class ValueCollector {
  readonly #texts = new TextNumbers();
  readonly #numbers = new ListNumbers(this.#texts, (value) => value.normalize('NFC'));
  readonly #lists = new ListCollector();
  readonly #forms = new FormLists();
  /** By the number of a value, the numbers of its forms; undefined if it has none. */
  readonly #formNumbers: (readonly number[] | undefined)[] = [];
  #haveForms = false;

  add(values: readonly string[]): void {
    const numbers = this.#numbers.of(values);
    this.#lists.addAll(numbers);
    this.#lists.end();
    if (this.#formNumbers.length < this.#texts.size) this.#readForms();
    this.#forms.addNumbers(this.#haveForms ? this.#formsOf(numbers) : NO_NUMBERS);
  }

  #readForms(): void {
    for (let number = this.#formNumbers.length; number < this.#texts.size; number++) {
      const value = this.#texts.text(number);
      const forms = mayHaveOtherForms(value) ? this.#forms.numbersOf(otherForms(value)) : [];
      this.#formNumbers.push(forms.length === 0 ? undefined : forms);
      if (forms.length > 0) this.#haveForms = true;
    }
  }

  #formsOf(numbers: readonly number[]): readonly number[] {
    let found: readonly number[] | undefined;
    for (let i = 0; i < numbers.length; i++) {
      const forms = this.#formNumbers[numbers[i]!];
      if (forms !== undefined) found = found ? [...new Set([...found, ...forms])] : forms;
    }
    return found ?? NO_NUMBERS;
  }

  get forms(): TextLists {
    return this.#forms.collected;
  }

  get collected(): TextLists {
    return this.#lists.collected(this.#texts);
  }
}

const NO_NUMBERS: readonly number[] = [];

/** Collects sounds. Takes no memory before the first one. */
class SoundCollector {
  #bytes = new Uint8Array(0);

  set(track: number, sound: Uint8Array): void {
    const end = (track + 1) * SOUND_BYTES;
    if (end > this.#bytes.length) this.#grow(Math.max(1_024 * SOUND_BYTES, 2 * end));
    this.#bytes.set(sound, track * SOUND_BYTES);
  }

  /** The sounds of so many tracks; valid until the next `set`. */
  of(size: number): Uint32Array {
    if (this.#bytes.length === 0) return new Uint32Array(0);
    if (this.#bytes.length < size * SOUND_BYTES) this.#grow(size * SOUND_BYTES);
    return new Uint32Array(this.#bytes.buffer, 0, size * SOUND_WORDS);
  }

  #grow(length: number): void {
    const larger = new Uint8Array(length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

const TYPES = { music: typeLabel('music'), sfx: typeLabel('sfx') };
const WITH_VOCALS = vocalsLabel(true);
const WITHOUT_VOCALS = vocalsLabel(false);

class LabelCollector {
  readonly #texts = new TextNumbers();
  readonly #filters = new ListNumbers(this.#texts, filterLabel);
  readonly #keys = new ListNumbers(this.#texts, keyLabel);
  readonly #lists = new ListCollector();

  add(entry: IndexEntry): void {
    const { type, hasVocals, filterIds, songKeys, region, availableIn } = entry;
    this.#lists.add(this.#texts.of(TYPES[type]));
    this.#lists.add(this.#texts.of(hasVocals ? WITH_VOCALS : WITHOUT_VOCALS));
    this.#lists.addAll(this.#filters.of(filterIds));
    this.#lists.addAll(this.#keys.of(songKeys));
    this.#lists.add(this.#texts.of(regionLabel(region, availableIn)));
    if (entry.isInstrumental && !hasVocals) this.#lists.add(this.#texts.of(INSTRUMENTAL));
    if (entry.hasAudio === false) this.#lists.add(this.#texts.of(SILENT));
    const { ai = 'unknown', trainingAllowed } = entry;
    if (ai !== 'unknown') this.#lists.add(this.#texts.of(AI_LABELS[ai]));
    if (trainingAllowed !== undefined) {
      this.#lists.add(this.#texts.of(TRAINING_LABELS[`${trainingAllowed}`]));
    }
    this.#lists.end();
  }

  get collected(): TextLists {
    return this.#lists.collected(this.#texts);
  }
}

const TRACKS_PER_STEP = 16_384;

type FixedColumns = Pick<
  TrackColumns,
  'rowIds' | 'ids' | 'releasedAt' | 'durations' | 'bpms' | 'isrcs'
>;
type SoundColumns = Pick<TrackColumns, 'sounds' | 'soundSigns'>;

/** The columns that hold one value of each track, the names, and the orders by values. */
export interface BuiltTrackValues {
  tracks: FixedColumns & SoundColumns & Pick<TrackColumns, 'names' | 'nameStarts' | 'byIsrc'>;
  orders: Pick<OrderColumns, 'byBpm' | 'byDuration' | 'byRowId'>;
}

export function* buildTrackValues(
  parts: readonly CollectedValues[],
  places: Places,
  memory?: BitMemory,
): Generator<void, BuiltTrackValues> {
  const columns = yield* fixedColumns(parts, places);
  const sounds = yield* soundColumns(parts, places, memory);
  const { items: names, starts: nameStarts } = yield* placeBytes(
    parts.map((part) => ({ bytes: part.names, ends: part.nameEnds })),
    places,
  );
  const byIsrc = yield* orderByIsrc(columns.isrcs, places.size);
  return {
    tracks: { ...columns, ...sounds, names, nameStarts, byIsrc },
    orders: {
      byBpm: yield* orderByNumber(columns.bpms),
      byDuration: yield* orderByNumber(columns.durations),
      byRowId: yield* orderByNumber(columns.rowIds),
    },
  };
}

function* fixedColumns(
  parts: readonly CollectedValues[],
  places: Places,
): Generator<void, FixedColumns> {
  const { size } = places;
  const columns = {
    rowIds: shared.uint32(size),
    ids: shared.uint32(size * 4),
    releasedAt: shared.float64(size),
    durations: shared.uint32(size),
    bpms: shared.uint32(size),
    isrcs: shared.bytes(size * ISRC_LENGTH),
  };
  for (const name of ['rowIds', 'ids', 'durations', 'bpms'] as const) {
    const words = parts.map((part) => part[name]);
    yield* placeFixed(words, name === 'ids' ? 4 : 1, places, columns[name]);
  }
  const isrcs = parts.map((part) => part.isrcs);
  yield* placeFixed(isrcs, ISRC_LENGTH, places, columns.isrcs);
  const releasedAt = parts.map((part) => part.releasedAt);
  yield* placeFixed(releasedAt, 1, places, columns.releasedAt);
  return columns;
}

function* soundColumns(
  parts: readonly CollectedValues[],
  places: Places,
  memory: BitMemory | undefined,
): Generator<void, SoundColumns> {
  const isKnown = parts.some(({ sounds }) => sounds.length > 0);
  const size = isKnown ? places.size : 0;
  const words = (length: number) => (memory ? bitsIn(memory, length) : shared.uint32(length));
  const sounds = words(size * SOUND_WORDS);
  const soundSigns = words(size * SIGN_WORDS);
  if (!isKnown) return { sounds, soundSigns };
  const collected = parts.map((part) =>
    part.sounds.length > 0 ? part.sounds : new Uint32Array(part.rowIds.length * SOUND_WORDS),
  );
  yield* placeFixed(collected, SOUND_WORDS, places, sounds);
  const numbers = numbersOf(sounds);
  for (let ordinal = 0; ordinal < size; ordinal++) {
    writeSigns(numbers, ordinal, soundSigns);
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  return { sounds, soundSigns };
}

function* orderByIsrc(isrcs: Uint8Array, size: number): Generator<void, Uint32Array> {
  const known: number[] = [];
  const words = new Uint32Array(size * WORDS_AN_ISRC);
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const start = ordinal * ISRC_LENGTH;
    if (isrcs[start] === 0) continue;
    known.push(ordinal);
    for (let i = 0; i < ISRC_LENGTH; i++) {
      const at = ordinal * WORDS_AN_ISRC + (i >>> 2);
      words[at] = (words[at]! << 8) | isrcs[start + i]!;
    }
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  const order = sharedUint32(known);
  const keys = [0, 1, 2].map((offset) => ({ words, stride: WORDS_AN_ISRC, offset }));
  yield* sortByKeys(order, keys);
  return order;
}

const WORDS_AN_ISRC = ISRC_LENGTH / 4;
