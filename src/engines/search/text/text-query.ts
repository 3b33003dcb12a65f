import { keptIn } from '../../../common/memory/caches.ts';
import { spellingsOfText } from '../../../common/text/forms/other-forms.ts';
import { type KeyKind, soundsOfText } from '../../../common/text/forms/sounds.ts';
import { fold, searchForms, unfinishedForm } from '../../../common/text/search-form.ts';
import { type FilterNames, TEXT_FIELDS, type TextFieldName } from '../catalog-index.ts';

/** One reading of a text that has letters or digits. */
export interface TextReading {
  sequence: readonly string[];
  /** The distinct words. A repeated word counts once. */
  words: readonly string[];
  /** Whether a name must have each word as a whole word. */
  isWhole: boolean;
  /** If the words are keys: the word that each of them romanizes, which another field may have as it is written. */
  romanized?: readonly string[];
}

/** A parsed text (docs/contract/search.md#text), and the fields to search, the most important first. */
export type TextQuery = {
  fields: readonly TextFieldName[];
  translations: boolean;
  filterNames?: FilterNames | undefined;
} & (
  | {
      kind: 'words';
      /**
       * A name matches if it matches one of the readings. The first reading is the text glued at its
       * apostrophes. A text with apostrophes has another reading, split at them, which matches only whole
       * words: the pieces `don` and `t` of `don't` are parts of many words. A text that ends with a Hangul
       * final has another reading, with that final as the initial of the next syllable.
       */
      readings: readonly [glued: TextReading, ...others: TextReading[]];
      /** The other spellings of the text. A match by one of them ranks below a match of the same kind by a reading. */
      spellings: readonly TextReading[];
      /** The keys of a kind of the text as a romanization, which only other forms of names have. */
      sounds(kind: KeyKind): readonly TextReading[];
    }
  /** A text without a letter or digit. Only names that contain it character by character match. */
  | { kind: 'literal'; text: string }
);

/**
 * Parses a text; undefined if it is absent or blank, because such a text restricts nothing.
 * @param wanted the fields to search, in any order; by default the name
 * @param filterNames the names of filters, if they are searched
 * @param translations whether the translations of the fields are searched, too
 */
export function readText(
  text: string | undefined,
  wanted: readonly TextFieldName[] = [],
  translations = false,
  filterNames?: FilterNames,
): TextQuery | undefined {
  const trimmed = text?.trim().normalize('NFC');
  if (trimmed === undefined || trimmed === '') {
    return undefined;
  }
  const chosen = TEXT_FIELDS.filter((field) => wanted.includes(field));
  const fields = chosen.length === 0 ? (['name'] as const) : chosen;
  if (!/[A-Za-z0-9]/.test(trimmed) && !Array.from(trimmed).some(isLetterOrDigit)) {
    return { kind: 'literal', text: trimmed, fields, translations, filterNames };
  }
  const [glued, split] = searchForms(trimmed);
  const unfinished = unfinishedForm(glued);
  const others = [
    ...(split === undefined ? [] : [reading(split, true)]),
    ...(unfinished === undefined ? [] : [reading(unfinished)]),
  ];
  const spelled = spellingsOfText(trimmed);
  const spellings = spelled
    .filter(({ form }) => form !== split)
    .map(({ form, isWhole }) => reading(form, isWhole));
  const sounds = new Map<KeyKind, readonly TextReading[]>();
  return {
    kind: 'words',
    readings: [reading(glued), ...others],
    spellings,
    sounds: (kind) =>
      keptIn(sounds, kind, () => keysOf([glued, ...spelled.map(({ form }) => form)], kind)),
    fields,
    translations,
    filterNames,
  };
}

function keysOf(forms: readonly string[], kind: KeyKind): TextReading[] {
  return forms.flatMap((form) => {
    const romanized = form.split(' ');
    return soundsOfText(form, kind).map((key) => {
      const found = reading(key);
      if (found.sequence.length !== romanized.length) return found;
      // A repeated key counts once, with the first of its words.
      const wordOf = (one: string) => romanized[found.sequence.indexOf(one)]!;
      return { ...found, romanized: found.words.map(wordOf) };
    });
  });
}

function reading(form: string, isWhole = false): TextReading {
  const sequence = form.split(' ');
  return { sequence, words: [...new Set(sequence)], isWhole };
}

/** The words of a text, with its apostrophes removed, and split at them. A text without letter or digit has none. */
export function formsOf(text: string): string[][] {
  return searchForms(text)
    .filter((form) => form !== undefined && form !== '')
    .map((form) => form!.split(' '));
}

/** The number of typos that are forgiven in a word of the text: one from four letters on, two from eight. */
export function typosForgiven(word: string): number {
  // Letters are characters, not UTF-16 units.
  const { length } = Array.from(word);
  return length >= 8 ? 2 : length >= 4 ? 1 : 0;
}

/**
 * The runs of symbols between the letters and digits of a name, in order: a literal text can match only
 * there. Single spaces are left out, because a literal text is never a single space. The name must be in NFC.
 */
export function symbolRuns(name: string): readonly string[] {
  // Most names have no symbols.
  if (!/[^A-Za-z0-9 ]| {2}/.test(name)) return NO_RUNS;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(name)) {
    return name.match(/[^A-Za-z0-9]{2,}|[^A-Za-z0-9 ]/g) ?? [];
  }
  const runs: string[] = [];
  let run = '';
  for (const character of name) {
    if (!isLetterOrDigit(character)) {
      run += character;
    } else if (run !== '') {
      runs.push(run);
      run = '';
    }
  }
  return [...runs, run].filter((symbols) => symbols !== '' && symbols !== ' ');
}

const NO_RUNS: readonly string[] = [];

/** Some letters, such as ʼ, are apostrophes or carriers of marks, and folding removes them. */
function isLetterOrDigit(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character) && fold(character) !== '';
}
