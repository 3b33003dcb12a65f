import { searchForm } from '../search-form.ts';
import { inOneSpelling } from './letters.ts';

/** A text in another spelling, as words with single spaces between them. */
export interface Spelling {
  form: string;
  /** Whether its last word is complete, although the text may end inside a word: it replaces a whole word. */
  isWhole: boolean;
}

/** Words that may be left out between two words; their signs (`&`, `+`) are no words. */
const OPTIONAL: ReadonlySet<string> = new Set('and und et y e feat ft featuring with'.split(' '));

/** The common spelling of words before another word. */
const BEFORE_WORD: ReadonlyMap<string, string> = new Map([
  ['vol', 'volume'],
  ['pt', 'part'],
]);

/** Words after which a numeral is a number. */
const NUMBERED: ReadonlySet<string> = new Set(['no', 'volume', 'part']);

const NUMERALS: ReadonlyMap<string, string> = new Map(
  'i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx'
    .split(' ')
    .map((numeral, i) => [numeral, String(i + 1)]),
);

const ORDINALS: ReadonlyMap<string, string> = new Map(
  'first 1st second 2nd third 3rd fourth 4th fifth 5th sixth 6th seventh 7th eighth 8th ninth 9th tenth 10th'
    .split(' ')
    .flatMap((word, i, words) => (i % 2 === 0 ? [[word, words[i + 1]!] as const] : [])),
);

const ALWAYS: ReadonlySet<string> = new Set([
  ...OPTIONAL,
  ...BEFORE_WORD.keys(),
  ...NUMBERED,
  'nr',
  ...ORDINALS.keys(),
]);

/** Whether a text in which this word occurs may have another spelling: always, or only if it ends with the word. */
export function mayBeRespelled(word: string): 'always' | 'last' | undefined {
  if (ALWAYS.has(word) || /^(?=.*[013])(?=.*[a-z])/.test(word)) return 'always';
  return NUMERALS.has(word) ? 'last' : undefined;
}

/** Whether the symbols of a text may give it another spelling. */
export function hasSpellingSymbols(text: string): boolean {
  return SYMBOLS.test(text);
}

const SYMBOLS = /[!$@€](?=[^\s!])|[$@€]|[#№]|[^\s][-‐‑–./·・&"״][^\s]/u;

/**
 * The other spellings of a text, without repetitions: with words and numbers in their common spelling and without
 * optional words, with signs as letters, and with the parts of its compounds joined (docs/contract/search.md#spellings).
 * The first of them are the nearest to the text.
 */
export function otherSpellings(text: string): Spelling[] {
  const written = searchForm(text);
  const found = new Map<string, Spelling>();
  for (const lettered of [text, withSignsAsLetters(text, 'i'), withSignsAsLetters(text, 'l')]) {
    for (const joined of [lettered, joinedAt(lettered, WITHOUT_SLASH), joinedAt(lettered, ALL)]) {
      const spelling = commonSpelling(joined);
      if (spelling.form !== '' && spelling.form !== written && !found.has(spelling.form)) {
        found.set(spelling.form, spelling);
      }
    }
  }
  return [...found.values()];
}

/** The text with the parts of its compounds joined. */
export function joinedCompounds(text: string): string {
  return joinedAt(text, ALL);
}

function commonSpelling(text: string): Spelling {
  const words = searchForm(text.replace(NUMBER_SIGN, ' no ')).split(' ');
  const common: string[] = [];
  let isWhole = false;
  for (const [i, word] of words.entries()) {
    const next = words[i + 1];
    if (OPTIONAL.has(word) && i > 0 && next !== undefined) continue;
    const spelled = commonWord(word, next, common.at(-1));
    isWhole = spelled !== word;
    common.push(spelled);
  }
  const form = common.join(' ');
  const one = inOneSpelling(form);
  return { form: one, isWhole };
}

const NUMBER_SIGN = /(?:#|№)\s*(?=\p{N})/gu;

function commonWord(word: string, next: string | undefined, before: string | undefined): string {
  if (word === 'nr' && next !== undefined && /^\d/.test(next)) return 'no';
  const isNumeral = before !== undefined && (next === undefined || NUMBERED.has(before));
  return (
    (next === undefined ? undefined : BEFORE_WORD.get(word)) ??
    (isNumeral ? NUMERALS.get(word) : undefined) ??
    ORDINALS.get(word) ??
    word
  );
}

/** Words whose parts are separated by single signs. */
const ALL = compounds('-‐‑–./·・&"״');
const WITHOUT_SLASH = compounds('-‐‑–.·・&"״');
const INITIALS = /(?<=(?<!\p{L})\p{L}\.)\s+(?=\p{L}\.)/gu;

function compounds(signs: string): RegExp {
  const letters = "[\\p{L}\\p{N}\\p{M}'’]+";
  return new RegExp(`${letters}(?:[${signs.replace('-', '\\-')}]${letters})+`, 'gu');
}

/** The greatest number of parts of a joined compound; more parts are joined only if they are single letters. */
const MAX_PARTS = 3;

/** Joins the parts of compounds (`wi-fi`, `U.S.A.`). Numbers next to each other stay apart. */
function joinedAt(text: string, compound: RegExp): string {
  return text.replace(INITIALS, '').replace(compound, (whole) => {
    const parts = whole.split(/[^\p{L}\p{N}\p{M}'’]/u);
    const isJoined =
      (parts.length <= MAX_PARTS || parts.every((part) => part.length === 1)) &&
      !/\d[^\p{L}\p{N}\p{M}]\d/u.test(whole);
    return isJoined ? parts.join('') : whole;
  });
}

const SIGNS: Readonly<Record<string, string>> = {
  '!': 'i',
  $: 's',
  '@': 'a',
  '€': 'e',
  0: 'o',
  3: 'e',
};
const SIGNED = /[\p{L}\p{N}\p{M}!$@€]+/gu;

/** Replaces signs and digits that stand for letters. Digits do so only before a letter, and if they are not the most. */
function withSignsAsLetters(text: string, one: 'i' | 'l'): string {
  if (!/[!$@€013]/.test(text)) return text;
  return text.replace(SIGNED, (token) => {
    const letters = token.match(/\p{L}/gu)?.length ?? 0;
    if (letters === 0 || /^\d+(?:st|nd|rd|th)$/i.test(token)) return token;
    const lettered = token.replace(/[$@€]|!(?!!*$)/g, (sign) => SIGNS[sign]!);
    const digits = token.match(/\p{N}/gu)?.length ?? 0;
    if (digits > letters) return lettered;
    return lettered.replace(/[013](?=.*\p{L})/gu, (digit) => SIGNS[digit] ?? one);
  });
}
