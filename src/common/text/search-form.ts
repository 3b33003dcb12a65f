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

/** The distance of katakana (ァ to ヶ, ヽ, ヾ) from the hiragana of the same sound, in code points. */
const ABOVE_HIRAGANA = 0x60;

/** Katakana whose hiragana needs a separate voicing mark. */
const VOICED: ReadonlyMap<string, string> = new Map([
  ['ヷ', 'わ\u3099'],
  ['ヸ', 'ゐ\u3099'],
  ['ヹ', 'ゑ\u3099'],
  ['ヺ', 'を\u3099'],
]);

const BY_VOWEL: readonly [vowel: string, kana: string][] = [
  ['あ', 'ぁあかがさざただなはばぱまゃやらゎわゕ'],
  ['い', 'ぃいきぎしじちぢにひびぴみりゐ'],
  ['う', 'ぅうくぐすずつづぬふぶぷむゅゆるゔ'],
  ['え', 'ぇえけげせぜてでねへべぺめれゑゖ'],
  ['お', 'ぉおこごそぞとどのほぼぽもょよろを'],
];
const LONG_VOWELS: ReadonlyMap<string, string> = new Map(
  BY_VOWEL.flatMap(([vowel, kana]) => [...kana].map((one) => [one, vowel] as const)),
);

/**
 * Replaces katakana in a text in NFC by hiragana, and each long-vowel mark by the vowel that it lengthens
 * (らあめん for ラーメン). A mark that lengthens no vowel stays, and so does a text without kana.
 */
function inHiragana(text: string): string {
  const hiragana = text.replace(
    /[ァ-ヶヷ-ヺヽヾ]/g,
    (kana) => VOICED.get(kana) ?? String.fromCharCode(kana.charCodeAt(0) - ABOVE_HIRAGANA),
  );
  return hiragana.replace(/([ぁ-ゖ])(ー+)/g, (_, kana: string, marks: string) => {
    const vowel = LONG_VOWELS.get(kana) ?? 'ー';
    return kana + vowel.repeat(marks.length);
  });
}

/**
 * Converts Hangul syllables to the letters that a keyboard types one after another, so that a half-typed
 * syllable (하) is the beginning of a complete one (한).
 *
 * Each letter is one character, and the letters sort as the syllables do. A syllable that ends with its vowel
 * comes first, followed by those that continue with the next syllable (U+1100 on), with a final (U+11A8 on),
 * and with the second half of a vowel or final. Characters of Hangul Jamo Extended-B (U+D7B0 on) represent
 * these halves.
 */

const INITIALS = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'];

/** In the order of Unicode. Vowels that are typed with two letters are written as these. */
const VOWELS = 'ㅏ ㅐ ㅑ ㅒ ㅓ ㅔ ㅕ ㅖ ㅗ ㅗㅏ ㅗㅐ ㅗㅣ ㅛ ㅜ ㅜㅓ ㅜㅔ ㅜㅣ ㅠ ㅡ ㅡㅣ ㅣ'.split(
  ' ',
);
const FINALS = [
  ...'ㄱ ㄱㄱ ㄱㅅ ㄴ ㄴㅈ ㄴㅎ ㄷ ㄹ ㄹㄱ ㄹㅁ ㄹㅂ ㄹㅅ ㄹㅌ ㄹㅍ ㄹㅎ'.split(' '),
  ...'ㅁ ㅂ ㅂㅅ ㅅ ㅅㅅ ㅇ ㅈ ㅊ ㅋ ㅌ ㅍ ㅎ'.split(' '),
];

/** The letters that can be the second half of a vowel or a final, in order. */
const SECOND_VOWELS = [...'ㅏㅐㅓㅔㅣ'];
const SECOND_FINALS = [...'ㄱㅁㅂㅅㅈㅌㅍㅎ'];

const FIRST_SYLLABLE = 0xac00;
const FIRST_INITIAL = 0x1100;
const FIRST_VOWEL = 0x1161;
const FIRST_FINAL = 0x11a8;
const FIRST_SECOND_VOWEL = 0xd7b0;
const FIRST_SECOND_FINAL = 0xd7cb;

const VOWEL_LETTERS = VOWELS.map((vowel) =>
  typed(vowel, [VOWELS, FIRST_VOWEL], [SECOND_VOWELS, FIRST_SECOND_VOWEL]),
);
const FINAL_LETTERS = FINALS.map(finalLetters);

/** The letters of each vowel or final that stands alone, by its Unicode character. */
const ALONE: ReadonlyMap<string, string> = new Map([
  ...VOWEL_LETTERS.map((letters, i) => [String.fromCharCode(FIRST_VOWEL + i), letters] as const),
  ...FINAL_LETTERS.map((letters, i) => [String.fromCharCode(FIRST_FINAL + i), letters] as const),
]);

/** The letters of each final, two-letter finals first, and the initial that it becomes when it is carried over. */
const CARRIED = FINALS.map((final) => [finalLetters(final), carried(final)] as const).sort(
  ([a], [b]) => b.length - a.length,
);

/** Replaces the syllables of a text in NFC by their letters. A text without Hangul stays the same. */
function hangulLetters(text: string): string {
  return text.replace(/[가-힣\u1161-\u1175\u11a8-\u11c2]/g, (character) => {
    const alone = ALONE.get(character);
    if (alone !== undefined) return alone;
    const number = character.charCodeAt(0) - FIRST_SYLLABLE;
    const final = number % 28;
    const vowel = Math.floor(number / 28) % 21;
    const initial = Math.floor(number / (28 * 21));
    return (
      String.fromCharCode(FIRST_INITIAL + initial) +
      VOWEL_LETTERS[vowel]! +
      (final === 0 ? '' : FINAL_LETTERS[final - 1]!)
    );
  });
}

/**
 * The search form of a text whose last syllable is unfinished: its final, or the second half of it, becomes the initial of
 * the next syllable, because while typing 하나, one types 한 first. Undefined if the text does not end with a final.
 */
export function unfinishedForm(letters: string): string | undefined {
  // Finals are above most letters.
  if (letters.charCodeAt(letters.length - 1) < FIRST_FINAL) return undefined;
  for (const [final, carried] of CARRIED) {
    if (letters.endsWith(final)) return letters.slice(0, -final.length) + carried;
  }
  return undefined;
}

type Alphabet = readonly [letters: readonly string[], firstCode: number];

/** Converts one or two letters. The first is of one alphabet, the second of another. */
function typed([first, second]: string, firsts: Alphabet, seconds: Alphabet): string {
  const character = (letter: string, [letters, firstCode]: Alphabet) =>
    String.fromCharCode(firstCode + letters.indexOf(letter));
  return character(first!, firsts) + (second === undefined ? '' : character(second, seconds));
}

function finalLetters(final: string): string {
  return typed(final, [FINALS, FIRST_FINAL], [SECOND_FINALS, FIRST_SECOND_FINAL]);
}

function carried([first, second]: string): string {
  const initial = (letter: string) => String.fromCharCode(FIRST_INITIAL + INITIALS.indexOf(letter));
  if (second === undefined) return initial(first!);
  // ㄲ and ㅆ are each typed with one key, so they move as a whole.
  if (second === first) return initial(first === 'ㄱ' ? 'ㄲ' : 'ㅆ');
  return finalLetters(first!) + initial(second);
}
