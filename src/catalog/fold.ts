/**
 * Text with everything taken away that decisions §4 calls indifferent: case, accents, punctuation
 * and Unicode form. What is left is words of letters and digits in NFC, with single spaces between
 * them and none around; `""` where there was no letter or digit. Folding twice changes nothing.
 *
 * Accents vanish where they are accents (Latin, Greek, Cyrillic, and the optional points of Hebrew
 * and Arabic) and stay where they are part of the spelling: Thai and Indic vowels, Japanese voicing.
 * Scripts written without spaces keep each run as one word; it is found by any inner piece.
 */
export function fold(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) {
    return text
      .toLowerCase()
      .replace(/['`]/g, '')
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  }
  const bare = text.normalize('NFKD').replace(VANISHING, '');
  // Thrice, for ẞ has no other upper case and ß, ı and the final sigma show only in upper case.
  const caseless = bare.toLowerCase().toUpperCase().toLowerCase();
  const plain = caseless
    .normalize('NFKD')
    .replace(VANISHING, '')
    .replace(NOT_ASCII, (letter) => REPLACED.get(letter) ?? letter);
  return (plain.match(WORD) ?? []).join(' ').normalize('NFC');
}

/** The words of the folded text, in order, repeated ones included. */
export function words(text: string): string[] {
  const folded = fold(text);
  return folded === '' ? [] : folded.split(' ');
}

/** A word begins with a letter or digit; a mark that follows neither belongs to nothing. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

const NOT_ASCII = /[^\0-\x7f]/gu;

/**
 * What leaves no trace, not even a gap between words: apostrophes of all sorts (the free-standing
 * acute accent, often typed for one, is a space with a mark in NFKD), accents, zero-width and
 * formatting characters, the Arabic tatweel.
 */
const VANISHING = new RegExp(
  [
    "['`‘’‛′‵ʹʻʼʽʾʿˈ՚׳ߴߵꞋꞌ]",
    ' [\u0301\u0313\u0314]',
    '[[\\p{M}&&[\\p{sc=Inherited}\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{sc=Hebrew}\\p{sc=Arabic}]]--[\u3099\u309a]]',
    '[\\p{Default_Ignorable_Code_Point}\\p{Cf}\u0640]',
  ].join('|'),
  'gv',
);

/** Letters that Unicode does not decompose, each with what a keyboard without it offers. */
const LETTERS =
  'æae œoe þth ςσ øo đd ðd łl ħh ŧt ŋn ĸk əe ɨi ʉu ƀb ɓb ƈc ȼc ɖd ɗd ɇe ƒf ɠg ǥg ɉj ƙk ƚl ɫl ⱡl ɲn ƥp ɋq ɍr ƭt ⱦt ʋv ⱳw ƴy ɏy ƶz ⱥa';

/** The noughts of the living scripts that have digits of their own; one to nine follow each. */
const NOUGHTS = '٠۰߀०০੦૦୦௦౦೦൦๐໐༠၀០᠐';

const REPLACED: ReadonlyMap<string, string> = new Map([
  ...LETTERS.split(' ').map((pair): [string, string] => [pair.slice(0, 1), pair.slice(1)]),
  ...[...NOUGHTS].flatMap((nought) =>
    Array.from('0123456789', (digit, value): [string, string] => [
      String.fromCodePoint(nought.codePointAt(0)! + value),
      digit,
    ]),
  ),
]);
