import type { Level } from '../segments/segment.ts';
import { costOf, type FieldOccurrences } from './occurrences.ts';
import type { Beginnings, TextField } from './text-field.ts';
import type { TextQuery, TextReading } from './text-query.ts';

export type WordQuery = Extract<TextQuery, { kind: 'words' }>;

/** How a word of a text may stand in a field. */
export type Standing = 'whole' | 'beginning' | 'containing';

export function writtenIn(levels: readonly Level[]): TextField[] {
  return levels.flatMap(({ written }) => written);
}

/** The readings of a text by which only other forms match: its other spellings, and its keys of the kinds that fields have. */
function otherReadings(text: WordQuery, levels: readonly Level[]): readonly TextReading[] {
  const kinds = new Set(levels.flatMap(({ forms }) => forms.flatMap(({ keyKinds }) => keyKinds)));
  if (kinds.size === 0) return text.spellings;
  return [...text.spellings, ...Array.from(kinds, (kind) => text.sounds(kind)).flat()];
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

/**
 * The conditions of the matches that need another form, of the text or of a name; the tracks may match as written, too. In
 * every list, one condition has only places in other forms, which are few, unless the reading is another spelling.
 */
export function formConditionsOf(
  text: TextQuery,
  levels: readonly Level[],
  standing: Standing = 'containing',
): FieldOccurrences[][] {
  if (text.kind === 'literal') return [];
  const forms = levels.flatMap((level) => level.forms);
  if (forms.length === 0 && text.spellings.length === 0) return [];
  const written = writtenIn(levels);
  const found: FieldOccurrences[][] = [];
  const addOf = (reading: TextReading, isWritten: boolean) => {
    const { words } = reading;
    const inForms = words.map((word) => occurrences(reading, word, forms, standing).filter(occurs));
    const isInForms = inForms.some(({ length }) => length > 0);
    if (isWritten && !isInForms) return;
    const asWritten = words.map((word) =>
      occurrences(reading, word, written, standing).filter(occurs),
    );
    if (words.some((_, i) => asWritten[i]!.length + inForms[i]!.length === 0)) return;
    if (!isWritten && asWritten.every(({ length }) => length > 0)) found.push(asWritten);
    for (let i = 0; i < words.length; i++) {
      if (inForms[i]!.length === 0) continue;
      found.push(words.map((_, j) => (j === i ? inForms[i]! : [...asWritten[j]!, ...inForms[j]!])));
    }
  };
  for (const reading of readingsOf(text.readings, standing)) addOf(reading, true);
  for (const reading of readingsOf(otherReadings(text, levels), standing)) addOf(reading, false);
  return found;
}

/**
 * What begins with a text in another form, in the fields of the last level.
 * @param isByForms whether the text has a match by other forms of words
 * @param isUnfinished whether only readings count that may end inside a word
 */
export function formBeginnings(
  text: WordQuery,
  levels: readonly Level[],
  isByForms: boolean,
  isUnfinished: boolean,
): Beginnings[] {
  const { written, forms } = levels.at(-1)!;
  const of = (readings: readonly TextReading[], fields: readonly TextField[]) =>
    readings
      .filter(({ isWhole }) => !isUnfinished || !isWhole)
      .flatMap(({ sequence }) => fields.map((field) => field.startingWith(sequence)));
  // A form that begins with the only word of a text has it among its new words.
  const readings = text.readings.filter(({ sequence }) => isByForms || sequence.length > 1);
  const others = isByForms ? otherReadings(text, levels) : [];
  return [...of(readings, forms), ...of(others, [...written, ...forms])];
}

/** A reading that matches only whole words has no words that are only the beginning of one. */
function readingsOf(readings: readonly TextReading[], standing: Standing): readonly TextReading[] {
  return standing === 'beginning' ? readings.filter(({ isWhole }) => !isWhole) : readings;
}

function occurrences(
  { isWhole }: TextReading,
  word: string,
  fields: readonly TextField[],
  standing: Standing,
): FieldOccurrences {
  return fields.map((field) => (isWhole ? field.whole(word) : field[standing](word)));
}

function occurs(place: FieldOccurrences[number]): boolean {
  return costOf([place]) > 0;
}
