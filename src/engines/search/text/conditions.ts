import { isKey, KEY_KINDS } from '../../../common/text/forms/sounds.ts';
import type { Level } from '../segments/segment.ts';
import { costOf, type FieldOccurrences } from './occurrences.ts';
import type { Beginnings, Occurrences, TextField, WordField } from './text-field.ts';
import type { TextQuery, TextReading } from './text-query.ts';

export type WordQuery = Extract<TextQuery, { kind: 'words' }>;

/** How a word of a text may stand in a field. */
export type Standing = 'whole' | 'beginning' | 'containing';

export function writtenIn(levels: readonly Level[]): TextField[] {
  return levels.flatMap(({ written }) => written);
}

/**
 * The conditions of a text as it is written, in some fields. A track matches if it meets all conditions of one of the lists.
 */
export function conditionsOf(
  text: TextQuery,
  fields: readonly TextField[],
  standing: Standing = 'containing',
): FieldOccurrences[][] {
  if (text.kind === 'literal')
    return [[fields.map((field) => field.containingLiterally(text.text))]];
  return readingsOf(text.readings, standing).map((reading) =>
    reading.words.map((word) => occurrences(reading, word, fields, standing)),
  );
}

/** A reading of a text that occurs in some fields, together with other forms of names or by itself another form. */
interface FoundReading {
  reading: TextReading;
  isWritten: boolean;
  /** The words that the fields have as they are written. */
  writtenWords: readonly string[];
  /** For each word, the fields in which it occurs. */
  places: readonly Record<'written' | 'forms', readonly WordField[]>[];
}

/**
 * Where a text occurs in some levels by other forms, of the text or of names. Made once for a query, because most texts
 * occur nowhere by other forms: then all that follows costs nothing.
 */
export class FormMatches {
  /** The conditions of these matches; the tracks may match as written, too. */
  readonly conditions: readonly FieldOccurrences[][];
  readonly #text: TextQuery;
  readonly #last: Level | undefined;
  readonly #found: FoundReading[] = [];
  readonly #others: readonly TextReading[] = [];
  readonly #beginnings: Partial<Record<'all' | 'unfinished', readonly Beginnings[]>> = {};

  constructor(text: TextQuery, levels: readonly Level[]) {
    this.#text = text;
    this.#last = levels.at(-1);
    const conditions: FieldOccurrences[][] = [];
    this.conditions = conditions;
    if (text.kind === 'literal') return;
    const forms = levels.flatMap((level) => level.forms);
    if (forms.length === 0 && text.spellings.length === 0) return;
    const written = writtenIn(levels);
    this.#others = otherReadings(text, forms);
    const add = (reading: TextReading, isWritten: boolean) => {
      // Another form of a name has all words of the name, so only other fields have further ones.
      const { romanized = reading.words } = levels.length > 1 ? reading : {};
      const found = foundReading(reading, isWritten, romanized, { written, forms });
      if (found === undefined) return;
      this.#found.push(found);
      addConditions(found, 'containing', conditions);
    };
    for (const reading of text.readings) add(reading, true);
    for (const reading of this.#others) add(reading, false);
  }

  /** The conditions of the matches in which each word stands in this way. */
  standing(standing: Standing): FieldOccurrences[][] {
    const conditions: FieldOccurrences[][] = [];
    for (const found of this.#found) {
      if (standing === 'beginning' && found.reading.isWhole) continue;
      addConditions(found, standing, conditions);
    }
    return conditions;
  }

  get #hasWhole(): boolean {
    const text = this.#text;
    const isWhole = (reading: TextReading) => reading.isWhole;
    return text.kind === 'words' && (text.readings.some(isWhole) || this.#others.some(isWhole));
  }

  /**
   * What begins with the text in another form, in the fields of the last level.
   * @param isUnfinished whether only readings count that may end inside a word
   */
  beginnings(isUnfinished: boolean): readonly Beginnings[] {
    // Few texts have a reading that matches only whole words.
    const key = isUnfinished && this.#hasWhole ? 'unfinished' : 'all';
    this.#beginnings[key] ??= this.#findBeginnings(isUnfinished);
    return this.#beginnings[key];
  }

  #findBeginnings(isUnfinished: boolean): readonly Beginnings[] {
    if (this.#text.kind === 'literal' || this.#last === undefined) return [];
    const { written, forms } = this.#last;
    const isByForms = this.conditions.length > 0;
    const of = (readings: readonly TextReading[], fields: readonly WordField[]) =>
      fields.length === 0
        ? []
        : readings
            .filter(({ isWhole }) => !isUnfinished || !isWhole)
            .flatMap(({ sequence }) => fields.map((field) => field.startingWith(sequence)));
    // A form that begins with the only word of a text has it among its new words.
    const readings = this.#text.readings.filter(({ sequence }) => isByForms || sequence.length > 1);
    const others = isByForms ? this.#others : [];
    return [
      ...of(readings, forms),
      ...of(others, forms),
      ...of(others.filter(isSpelling), written),
    ];
  }
}

/** The readings of a text by which only other forms match: its other spellings, and its keys of the kinds that fields have. */
function otherReadings(
  { spellings, sounds }: WordQuery,
  forms: readonly WordField[],
): readonly TextReading[] {
  const kinds = KEY_KINDS.filter((kind) => forms.some(({ keyKinds }) => keyKinds.includes(kind)));
  return kinds.length === 0 ? spellings : [...spellings, ...kinds.flatMap((kind) => sounds(kind))];
}

/** Whether a reading is no list of keys, which only other forms of names have. */
function isSpelling({ sequence }: TextReading): boolean {
  return !sequence.some(isKey);
}

/** Whether a match by a reading needs other forms of names: all but those by another spelling do. */
function needsForms(reading: TextReading, isWritten: boolean): boolean {
  return isWritten || !isSpelling(reading);
}

/** Undefined if it occurs nowhere, or only as written. */
function foundReading(
  reading: TextReading,
  isWritten: boolean,
  writtenWords: readonly string[],
  { written, forms }: Record<'written' | 'forms', readonly WordField[]>,
): FoundReading | undefined {
  const { words, isWhole } = reading;
  const isIn = (word: string, fields: readonly WordField[]) =>
    fields.some((field) => field.has(word, isWhole));
  // Most readings occur nowhere by other forms.
  if (needsForms(reading, isWritten) && !words.some((word) => isIn(word, forms))) return undefined;
  const fieldsWith = (word: string, fields: readonly WordField[]) =>
    fields.filter((field) => field.has(word, isWhole));
  const places: FoundReading['places'][number][] = [];
  for (const [i, word] of words.entries()) {
    const writtenWord = writtenWords[i]!;
    const place = {
      written: isKey(writtenWord) ? [] : fieldsWith(writtenWord, written),
      forms: fieldsWith(word, forms),
    };
    if (place.written.length + place.forms.length === 0) return undefined;
    places.push(place);
  }
  return { reading, isWritten, writtenWords, places };
}

/**
 * Adds the conditions of a reading. In every list, one condition has only places in other forms, which are few, unless the
 * reading is another spelling.
 */
function addConditions(
  { reading, isWritten, writtenWords, places }: FoundReading,
  standing: Standing,
  conditions: FieldOccurrences[][],
): void {
  const { words } = reading;
  const among = (some: readonly string[], kind: 'written' | 'forms') =>
    some.map((word, i) => occurrences(reading, word, places[i]![kind], standing).filter(occurs));
  const inForms = among(words, 'forms');
  const isByForms = needsForms(reading, isWritten);
  if (isByForms && inForms.every(({ length }) => length === 0)) return;
  // A text of one word needs no places as written beside those in other forms.
  const asWritten = isByForms && words.length === 1 ? [[]] : among(writtenWords, 'written');
  if (words.some((_, i) => asWritten[i]!.length + inForms[i]!.length === 0)) return;
  if (!isByForms && asWritten.every(({ length }) => length > 0)) conditions.push(asWritten);
  for (let i = 0; i < words.length; i++) {
    if (inForms[i]!.length === 0) continue;
    conditions.push(
      words.map((_, j) => (j === i ? inForms[i]! : [...asWritten[j]!, ...inForms[j]!])),
    );
  }
}

/** A reading that matches only whole words has no words that are only the beginning of one. */
function readingsOf(readings: readonly TextReading[], standing: Standing): readonly TextReading[] {
  return standing === 'beginning' ? readings.filter(({ isWhole }) => !isWhole) : readings;
}

function occurrences(
  reading: TextReading,
  word: string,
  fields: readonly WordField[],
  standing: Standing,
): FieldOccurrences {
  return fields.map((field) => occurrence(reading, word, field, standing));
}

function occurrence(
  { isWhole }: TextReading,
  word: string,
  field: WordField,
  standing: Standing,
): Occurrences {
  return isWhole ? field.whole(word) : field[standing](word);
}

function occurs(place: Occurrences): boolean {
  return costOf([place]) > 0;
}
