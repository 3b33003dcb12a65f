/**
 * Folds a text: removes the differences that docs/contract/search.md#text ignores, which are case, accents,
 * punctuation and Unicode form. The result has words of letters and digits in NFC with single spaces between
 * them; it is `""` if there is no letter or digit. Folding a folded text changes nothing.
 *
 * Apostrophes are removed (`dont` for `Don't`) or replaced by the given gap (`don t`). Marks are removed if
 * they are accents (in Latin, Greek and Cyrillic, and the optional points of Hebrew and Arabic). They are
 * kept if they are a part of the spelling, as Thai and Indic vowels and Japanese voicing marks are. In
 * scripts without spaces, each run of letters is one word, which is found by any part of it.
 */
export function fold(text: string, forApostrophes: '' | ' ' = ''): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) {
    return text
      .toLowerCase()
      .replace(/['`]/g, forApostrophes)
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  }
  const bare = withoutVanishing(text.normalize('NFKD'), forApostrophes);
  // Three conversions are needed: ẞ has no other upper case, and ß, ı and the final sigma differ only in
  // upper case.
  const caseless = bare.toLowerCase().toUpperCase().toLowerCase();
  const plain = withoutVanishing(caseless.normalize('NFKD'), forApostrophes).replace(
    NOT_ASCII,
    (letter) => REPLACED.get(letter) ?? letter,
  );
  return (plain.match(WORD) ?? []).join(' ').normalize('NFC');
}

/** A word begins with a letter or digit. A mark that follows neither is not a part of a word. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

const NOT_ASCII = /[^\0-\x7f]/gu;

function withoutVanishing(text: string, forApostrophes: '' | ' '): string {
  return forApostrophes === ''
    ? text.replace(VANISHING, '')
    : text.replace(VANISHING, (_sign, apostrophe?: string) =>
        apostrophe === undefined ? '' : forApostrophes,
      );
}

/**
 * All characters that are used as an apostrophe: the ASCII and the typographic ones, grave accents and
 * primes, and similar letters (okina, hamza and ayin in transcriptions). The free-standing acute accent,
 * which is often typed instead, is a space with a mark in NFKD.
 */
const APOSTROPHE = "['`‘’‛′‵ʹʻʼʽʾʿˈ՚׳ߴߵꞋꞌ]| [\u0301\u0313\u0314]";

/**
 * The characters that are removed without leaving a gap between words: apostrophes (unless a gap is given for
 * them), accents, zero-width and formatting characters, the Arabic tatweel.
 */
const VANISHING = new RegExp(
  [
    `(${APOSTROPHE})`,
    '[[\\p{M}&&[\\p{sc=Inherited}\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{sc=Hebrew}\\p{sc=Arabic}]]--[\u3099\u309a]]',
    '[\\p{Default_Ignorable_Code_Point}\\p{Cf}\u0640]',
  ].join('|'),
  'gv',
);

/** Letters that Unicode does not decompose, each with its usual replacement on a keyboard without it. */
const LETTERS =
  'æae œoe þth ςσ øo đd ðd łl ħh ŧt ŋn ĸk əe ɨi ʉu ƀb ɓb ƈc ȼc ɖd ɗd ɇe ƒf ɠg ǥg ɉj ƙk ƚl ɫl ⱡl ɲn ƥp ɋq ɍr ƭt ⱦt ʋv ⱳw ƴy ɏy ƶz ⱥa';

/** The digits zero of the scripts in use that have their own digits. The digits one to nine follow each zero. */
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
