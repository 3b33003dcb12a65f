import { readFileSync } from 'node:fs';

/** Letters that are written in several ways, each with its common one. */
const COMMON: ReadonlyMap<string, string> = new Map(
  'ىي یي ېي ےي کك ڪك ةه ۀه ہه ھه ٱا'
    .split(' ')
    .map((pair): [string, string] => [pair.slice(0, 1), pair.slice(1)]),
);

/**
 * Replaces letters of a search form by their common ones: Arabic and Persian letters, traditional Chinese characters,
 * Devanagari nukta and nasals, and digits of all scripts. A text in ASCII stays as it is.
 */
export function inOneSpelling(form: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(form)) return form;
  let text = form;
  if (/[\u0600-\u06ff]/.test(text)) {
    text = text.replace(/[\u0671-\u06d5\u0629\u0649]/g, (letter) => COMMON.get(letter) ?? letter);
  }
  if (/[\u0900-\u097f]/.test(text)) {
    text = text.replace(/\u093c/g, '').replace(NASALS, '\u0902');
  }
  if (HAN.test(text)) text = simplified(text);
  return text.replace(/\p{Nd}/gu, digitOf).normalize('NFC');
}

/** A nasal consonant before a consonant of its place, and the sign of a nasal vowel, are written as an anusvara, too. */
const NASALS =
  /ङ\u094d(?=[क-घ])|ञ\u094d(?=[च-झ])|ण\u094d(?=[ट-ढ])|न\u094d(?=[त-ध])|म\u094d(?=[प-भ])|\u0901/g;

const HAN = /\p{sc=Han}/u;

/** Digits of a script follow each other, from a code point that ends with 0 or 6. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0)!;
  if (code < 0x80) return digit;
  const first = code & ~15;
  return String(code - (/\p{Nd}/u.test(String.fromCodePoint(first)) ? first : first + 6));
}

let simple: ReadonlyMap<string, string> | undefined;

/** Converts traditional Chinese characters, each by itself. */
export function simplified(text: string): string {
  simple ??= readPairs();
  const table = simple;
  return text.replace(/[\u3400-\u9fff]/g, (character) => table.get(character) ?? character);
}

/** The table has pairs of characters: those single ones that opencc-js 1 converts from `t` to `cn` (docs/adr/0045-other-forms-of-names.md). */
function readPairs(): ReadonlyMap<string, string> {
  const pairs = readFileSync(new URL('simplified-characters.txt', import.meta.url), 'utf8').trim();
  return new Map(pairs.match(/../gs)!.map((pair) => [pair[0]!, pair[1]!]));
}
