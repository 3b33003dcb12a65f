import { fold } from '../catalog/fold.ts';

/** A free text, understood (decisions §4, Text). */
export type TextQuery =
  | {
      kind: 'words';
      /** The words of the folded text, in order, repeated ones too. */
      sequence: readonly string[];
      /** The same words, each once: to ask for a word twice is to ask for it once. */
      words: readonly string[];
    }
  /** A text without a letter or digit: only names that contain it, character by character, match. */
  | { kind: 'literal'; text: string };

/** Reads a text; undefined where it is absent or blank, which asks for nothing. */
export function readText(text: string | undefined): TextQuery | undefined {
  const trimmed = text?.trim().normalize('NFC');
  if (trimmed === undefined || trimmed === '') {
    return undefined;
  }
  if (!Array.from(trimmed).some(isLetterOrDigit)) {
    return { kind: 'literal', text: trimmed };
  }
  const sequence = fold(trimmed).split(' ');
  return { kind: 'words', sequence, words: [...new Set(sequence)] };
}

/** How many typos are forgiven in a word of the text: one in four letters or more, two in eight. */
export function typosForgiven(word: string): number {
  // Letters are characters, not UTF-16 units.
  const { length } = Array.from(word);
  return length >= 8 ? 2 : length >= 4 ? 1 : 0;
}

/**
 * What stands in a name between its letters and digits, in order: where a literal text can match.
 * Single spaces are left out, for no literal text is one. The name must be in NFC.
 */
export function symbolRuns(name: string): string[] {
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

/** Some letters are apostrophes (ʼ) or mere carriers of marks, of which folding leaves nothing. */
function isLetterOrDigit(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character) && fold(character) !== '';
}
