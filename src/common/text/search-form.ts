import { fold } from './fold.ts';
import { hangulLetters, withFinalCarried } from './hangul.ts';
import { inHiragana } from './kana.ts';

/**
 * The form in which searches compare a text: folded, and without the differences that a script leaves to the
 * writer. Katakana become hiragana, Hangul syllables become the letters with which they are typed, and Thai
 * and Lao tone and silencing marks are removed. The result has words with single spaces between them; it is
 * `""` if there is no letter or digit.
 *
 * Only searches use this form. Ids are derived from folded texts, so a change of the search form changes no
 * id.
 */
export function searchForm(text: string): string {
  return loosened(fold(text));
}

/**
 * The search forms of a name: glued at its apostrophes (`jeux denfants`), and, if that is different, split at
 * them (`jeux d enfants`).
 */
export function searchForms(name: string): [glued: string, split?: string] {
  const glued = searchForm(name);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(name) && !/['`]/.test(name)) return [glued];
  const split = loosened(fold(name, ' '));
  return split === glued ? [glued] : [glued, split];
}

/**
 * The search form of a text whose last syllable is unfinished, so that its final belongs to the next
 * syllable: while typing 하나, one types 한 first. Undefined if the text does not end with such a syllable.
 */
export function unfinishedForm(form: string): string | undefined {
  return withFinalCarried(form);
}

/** The words of all search forms of a name. */
export function searchWords(name: string): string[] {
  return searchForms(name).flatMap((form) => (form ? form.split(' ') : []));
}

const TONES = /[\u0e48-\u0e4c\u0ec8-\u0ecc]/g;

function loosened(folded: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(folded)) return folded;
  // A tone mark between a letter and another mark keeps them from being composed.
  const toneless = folded.search(TONES) < 0 ? folded : folded.replace(TONES, '').normalize('NFC');
  return hangulLetters(inHiragana(toneless));
}
