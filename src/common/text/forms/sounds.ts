import { fold } from '../search-form.ts';
import { consonantsOfName, consonantsOfText } from './consonants.ts';
import { inOneSpelling } from './letters.ts';
import { romanizations } from './romanize.ts';

/**
 * Romanizations are compared by keys, in which usual spellings of the same sound are one: long vowels and short ones,
 * `y` and `i`, `q` and `k`. Keys are written in an alphabet of private characters, so that they equal no written word.
 */
const KEY_ALPHABET = 0xe000;

/** The first character of the alphabet of keys. No written word has one that sorts after it. */
export const FIRST_OF_KEYS = String.fromCharCode(KEY_ALPHABET);

/** The keys of a name in other scripts than Latin; none for other names. */
export function soundsOfName(name: string): string[] {
  const folded = fold(name);
  if (!OTHER_LETTER.test(folded)) return [];
  const keys = romanizations(folded).map((latin) => keyOf(latin));
  return [...new Set([...keys, ...consonantsOfName(inOneSpelling(folded))])].filter(
    (key) => key !== '',
  );
}

const OTHER_LETTER = /[\p{L}--\p{sc=Latin}]/v;

/** The keys of a text that may be a romanization; none if it has letters that are not Latin. */
export function soundsOfText(form: string): string[] {
  if (!/^[a-z0-9 ]*[a-z][a-z0-9 ]*$/.test(form)) return [];
  return [...new Set([keyOf(form), ...consonantsOfText(form)])];
}

/** Later rules see the results of earlier ones. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/(?<=[nl])v/g, 'u'],
  [/y/g, 'i'],
  [/([aeiou])\1+/g, '$1'],
  [/ou/g, 'o'],
  [/m(?=[bpm])/g, 'n'],
  [/(?<![a-z])ie/g, 'e'],
  [/(?:t?c*ch)+h*/g, 'ch'],
  [/ph/g, 'f'],
  [/x/g, 'ks'],
  [/q/g, 'k'],
  [/w/g, 'v'],
  [/tz/g, 'ts'],
];

function keyOf(latin: string): string {
  let key = latin;
  for (const [sound, common] of RULES) key = key.replace(sound, common);
  return key.replace(/[a-z]/g, (letter) =>
    String.fromCharCode(KEY_ALPHABET + letter.charCodeAt(0) - 97),
  );
}
