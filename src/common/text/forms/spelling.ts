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

/** Numbers behind `part` and `volume`. Behind `no`, they are rather words: `no one`. */
const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  'one two three four five six seven eight nine ten'
    .split(' ')
    .map((word, i) => [word, String(i + 1)]),
);

const ORDINALS: ReadonlyMap<string, string> = new Map(
  'first 1st second 2nd third 3rd fourth 4th fifth 5th sixth 6th seventh 7th eighth 8th ninth 9th tenth 10th'
    .split(' ')
    .flatMap((word, i, words) => (i % 2 === 0 ? [[word, words[i + 1]!] as const] : [])),
);

const RESPELLED: ReadonlySet<string> = new Set([
  ...OPTIONAL,
  ...BEFORE_WORD.keys(),
  'nr',
  ...NUMERALS.keys(),
  ...NUMBER_WORDS.keys(),
  ...ORDINALS.keys(),
]);

/** Whether a folded text has a word that has another spelling. */
export function isRespelled(folded: string): boolean {
  return folded.split(' ').some((word) => RESPELLED.has(word));
}

/** Whether a text in ASCII has a word that may have another spelling, or a digit that may stand for a letter. */
export function mayBeRespelled(text: string): boolean {
  return RESPELLED_WORD.test(text);
}

const RESPELLED_WORD = new RegExp(
  `(?<![a-z0-9])(?:${[...RESPELLED].join('|')})(?![a-z0-9])|[013][a-z0-9]*[a-z]`,
  'i',
);

/** Whether the symbols of a text may give it another spelling. */
export function hasSpellingSymbols(text: string): boolean {
  return SYMBOLS.test(text);
}

const SYMBOLS = /[!$@€](?=[^\s!])|[$@€#№]|[^\s][-‐‑–./·・&"״][^\s]/;

/**
 * The other spellings of a text, without repetitions: with words and numbers in their common spelling and without
 * optional words, with signs as letters, and with the parts of its compounds joined (docs/contract/search.md#spellings).
 * The first of them are the nearest to the text.
 * @param written the search form of the text
 */
export function otherSpellings(text: string, written = searchForm(text)): Spelling[] {
  const patterns = ASCII.test(text) ? IN_ASCII : IN_UNICODE;
  const texts = [text];
  const add = (other: string) => {
    if (!texts.includes(other)) texts.push(other);
  };
  if (LETTERLIKE.test(text)) {
    add(withSignsAsLetters(text, patterns.signed, 'i'));
    if (text.includes('1')) add(withSignsAsLetters(text, patterns.signed, 'l'));
  }
  for (const lettered of SYMBOLS.test(text) ? texts.slice() : []) {
    add(joinedAt(lettered, patterns.compoundWithoutSlash));
    if (lettered.includes('/')) add(joinedAt(lettered, patterns.compound));
  }
  const found: Spelling[] = [];
  for (const [i, one] of texts.entries()) {
    const form = i === 0 && !/[#№]/.test(one) ? written : searchForm(withNumberWords(one));
    const spelling = commonSpelling(form);
    const isNew = !found.some((other) => other.form === spelling.form);
    if (spelling.form !== '' && spelling.form !== written && isNew) found.push(spelling);
  }
  return found;
}

/** The text with words for the signs of numbers. */
export function withNumberWords(text: string): string {
  return text.replaceAll(NUMBER_SIGNS, ' no ');
}

/** The text with the parts of its compounds joined. */
export function joinedCompounds(text: string): string {
  return SYMBOLS.test(text) ? joinedAt(text, IN_UNICODE.compound) : text;
}

function commonSpelling(form: string): Spelling {
  const words = form.split(' ');
  if (!words.some((word) => RESPELLED.has(word)))
    return { form: inOneSpelling(form), isWhole: false };
  const common: string[] = [];
  let isWhole = false;
  for (const [i, word] of words.entries()) {
    const next = words[i + 1];
    if (OPTIONAL.has(word) && i > 0 && next !== undefined) continue;
    const spelled = commonWord(word, next, common.at(-1));
    isWhole = spelled !== word;
    common.push(spelled);
  }
  return { form: inOneSpelling(common.join(' ')), isWhole };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;
const NUMBER_SIGNS = /[#№]\s*(?=\p{N}|(?:[ivx]+)(?![\p{L}\p{N}]))/giu;

function commonWord(word: string, next: string | undefined, before: string | undefined): string {
  if (word === 'nr' && next !== undefined && (/^\d/.test(next) || NUMERALS.has(next))) return 'no';
  const isNumeral = before !== undefined && (next === undefined || NUMBERED.has(before));
  return (
    (next === undefined ? undefined : BEFORE_WORD.get(word)) ??
    (isNumeral ? NUMERALS.get(word) : undefined) ??
    (before === 'part' || before === 'volume' ? NUMBER_WORDS.get(word) : undefined) ??
    ORDINALS.get(word) ??
    word
  );
}

interface Patterns {
  /** Words whose parts are separated by single signs. */
  compound: RegExp;
  compoundWithoutSlash: RegExp;
  /** Runs of letters, digits and signs. */
  signed: RegExp;
}

function patternsOf(letters: string, signs: string, flags: string): Patterns {
  const compound = (some: string) =>
    new RegExp(`[${letters}'’]+(?:[\\-${some}][${letters}'’]+)+`, flags);
  return {
    compound: compound(`${signs}/`),
    compoundWithoutSlash: compound(signs),
    signed: new RegExp(`[${letters}!$@€]+`, flags),
  };
}

/** Patterns of Unicode classes take several times as long. */
const IN_ASCII = patternsOf('A-Za-z0-9', '.&"', 'g');
const IN_UNICODE = patternsOf('\\p{L}\\p{N}\\p{M}', '‐‑–.·・&"״', 'gu');
const LETTERLIKE = /[!$@€][^\s!]|[$@€]|[013][^\s]/;
const SPACED_INITIALS = /\.\s+\p{L}\./u;
const INITIALS = /(?<=(?<!\p{L})\p{L}\.)\s+(?=\p{L}\.)/gu;

/** The greatest number of parts of a joined compound; more parts are joined only if they are single letters. */
const MAX_PARTS = 3;

/** Joins the parts of compounds (`wi-fi`, `U.S.A.`). Numbers next to each other stay apart. */
function joinedAt(whole: string, compound: RegExp): string {
  const text = SPACED_INITIALS.test(whole) ? whole.replace(INITIALS, '') : whole;
  return text.replace(compound, (word) => {
    const parts = word.split(/[^\p{L}\p{N}\p{M}'’]/u);
    const isJoined =
      (parts.length <= MAX_PARTS || parts.every((part) => part.length === 1)) &&
      !/\d[^\p{L}\p{N}\p{M}]\d/u.test(word);
    return isJoined ? parts.join('') : word;
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

/** Replaces signs and digits that stand for letters. Digits do so only before a letter, and if they are not the most. */
function withSignsAsLetters(text: string, signed: RegExp, one: 'i' | 'l'): string {
  return text.replace(signed, (token) => {
    if (!LETTERLIKE.test(token)) return token;
    const letters = token.match(/\p{L}/gu)?.length ?? 0;
    if (letters === 0 || /^\d+(?:st|nd|rd|th)$/i.test(token)) return token;
    const lettered = token.replace(/[$@€]|!(?!!*$)/g, (sign) => SIGNS[sign]!);
    const digits = token.match(/\p{N}/gu)?.length ?? 0;
    if (digits > letters) return lettered;
    return lettered.replace(/[013](?=.*\p{L})/gu, (digit) => SIGNS[digit] ?? one);
  });
}
