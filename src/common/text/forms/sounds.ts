import { fold } from '../search-form.ts';
import { ARABIC, consonantsOfName, consonantsOfText, HEBREW } from './consonants.ts';
import { inOneSpelling } from './letters.ts';
import { romanizations } from './romanize.ts';
import { isRespelled, otherSpellings, withNumberWords } from './spelling.ts';

/**
 * Romanizations are compared by keys, in which usual spellings of the same sound are one: long vowels and short ones,
 * `y` and `i`, `q` and `k`. Keys are written in an alphabet of private characters, so that they equal no written word.
 */
const KEY_ALPHABET = 0xe000;

/** The kinds of keys: of romanizations, and of the consonants of Arabic and Hebrew. */
export const KEY_KINDS = ['sounds', 'arabic', 'hebrew'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** The first characters of the words of each kind of keys, as a range without its end. No written word has one. */
export const KEYS: Readonly<Record<KeyKind, readonly [from: string, to: string]>> = {
  sounds: [String.fromCharCode(KEY_ALPHABET), ARABIC.mark],
  arabic: [ARABIC.mark, HEBREW.mark],
  hebrew: [HEBREW.mark, '\uf000'],
};

/** Whether a word has a character of keys. */
export function isKey(word: string): boolean {
  return /[\ue000-\uefff]/.test(word);
}

/** The keys of a name in other scripts than Latin; none for other names. */
export function soundsOfName(name: string): string[] {
  const folded = fold(withNumberWords(name));
  if (!OTHER_LETTER.test(folded)) return [];
  const spoken = name.normalize('NFC');
  const latins = romanizations(folded);
  // Folded, it is an е.
  if (/ё/i.test(spoken)) {
    latins.push(
      ...romanizations(fold(spoken.replace(/ё/gi, 'йо'))),
      ...romanizations(fold(spoken.replace(AFTER_SIBILANT, 'о').replace(/ё/gi, 'йо'))),
    );
  }
  const respelled = (texts: readonly string[]) =>
    isRespelled(folded) ? [...texts, ...texts.flatMap(spelledOtherwise)] : texts;
  const keys = respelled(latins).map(keyOf);
  const consonants = respelled([inOneSpelling(folded)]).flatMap(consonantsOfName);
  return [...new Set([...keys, ...consonants])].filter((key) => key !== '');
}

function spelledOtherwise(text: string): string[] {
  return otherSpellings(text).map(({ form }) => form);
}

/** Where ё is spoken as o, too: `Горбачёв` is gorbachyov and gorbachov. */
const AFTER_SIBILANT = /(?<=[жчшщ])ё/gi;

const OTHER_LETTER = /[\p{L}--\p{sc=Latin}]/v;

/** The keys of a kind of a text that may be a romanization; none if it has letters that are not Latin. */
export function soundsOfText(form: string, kind: KeyKind): string[] {
  if (!/^[a-z0-9 ]*[a-z][a-z0-9 ]*$/.test(form)) return [];
  if (kind === 'sounds') return [keyOf(form)];
  return consonantsOfText(form, kind === 'arabic' ? ARABIC : HEBREW);
}

/** Later rules see the results of earlier ones. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/(?<=[nl])v(?![aiou])/g, 'u'],
  // й at the end of a syllable, but raj is another Hindi word than rai.
  [/(?<=[eiouy]|[a-z]{2}a)j(?![aiou])/g, 'i'],
  [/(?<=[oe])ff(?![a-z])/g, 'v'],
  [/y/g, 'i'],
  [/([aeiou])\1+/g, '$1'],
  [/ou/g, 'o'],
  [/m(?=[bpm])/g, 'n'],
  [/(?<![bcdfghj-np-tvwxz])ie/g, 'e'],
  [/ss+/g, 's'],
  [/(?:t?c*ch)+h*/g, 'ch'],
  [/ph/g, 'f'],
  [/x|ksh/g, 'ks'],
  [/q/g, 'k'],
  [/w/g, 'v'],
  [/tz/g, 'ts'],
];

/** Whether one of the rules may apply: most words need none. */
const ANY_RULE = /[yxqwvj]|ff|ksh|([aeiou])\1|ou|m[bpm]|ie|ss|ch|ph|tz/;

function keyOf(latin: string): string {
  let key = latin;
  if (ANY_RULE.test(latin)) {
    for (const [sound, common] of RULES) key = key.replace(sound, common);
  }
  let lettered = '';
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    lettered += code >= 97 && code <= 122 ? String.fromCharCode(KEY_ALPHABET + code - 97) : key[i]!;
  }
  return lettered;
}
