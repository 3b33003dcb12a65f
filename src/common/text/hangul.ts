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
export function hangulLetters(text: string): string {
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
 * Replaces a final at the end, or its second half, by the initial of a next syllable: while typing 하나, one
 * types 한 first. Returns undefined if the letters do not end with a final.
 */
export function withFinalCarried(letters: string): string | undefined {
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
