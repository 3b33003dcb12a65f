/** The distance of katakana (ァ to ヶ, ヽ, ヾ) from the hiragana of the same sound, in code points. */
const ABOVE_HIRAGANA = 0x60;

/** Katakana whose hiragana needs a separate voicing mark. */
const VOICED: ReadonlyMap<string, string> = new Map([
  ['ヷ', 'わ\u3099'],
  ['ヸ', 'ゐ\u3099'],
  ['ヹ', 'ゑ\u3099'],
  ['ヺ', 'を\u3099'],
]);

/** The kana that end with each vowel. */
const BY_VOWEL: readonly [vowel: string, kana: string][] = [
  ['あ', 'ぁあかがさざただなはばぱまゃやらゎわゕ'],
  ['い', 'ぃいきぎしじちぢにひびぴみりゐ'],
  ['う', 'ぅうくぐすずつづぬふぶぷむゅゆるゔ'],
  ['え', 'ぇえけげせぜてでねへべぺめれゑゖ'],
  ['お', 'ぉおこごそぞとどのほぼぽもょよろを'],
];
const VOWELS: ReadonlyMap<string, string> = new Map(
  BY_VOWEL.flatMap(([vowel, kana]) => [...kana].map((one) => [one, vowel] as const)),
);

/**
 * Replaces katakana in a text in NFC by hiragana, and each long-vowel mark by the vowel that it lengthens
 * (らあめん for ラーメン). A mark that lengthens no vowel stays, and so does a text without kana.
 */
export function inHiragana(text: string): string {
  const hiragana = text.replace(
    /[ァ-ヶヷ-ヺヽヾ]/g,
    (kana) => VOICED.get(kana) ?? String.fromCharCode(kana.charCodeAt(0) - ABOVE_HIRAGANA),
  );
  return hiragana.replace(/([ぁ-ゖ])(ー+)/g, (_, kana: string, marks: string) => {
    const vowel = VOWELS.get(kana) ?? 'ー';
    return kana + vowel.repeat(marks.length);
  });
}
