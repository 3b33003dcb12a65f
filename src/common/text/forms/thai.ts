/** Thai by the Royal Thai General System of Transcription, syllable by syllable. */

const INITIALS: ReadonlyMap<string, string> = new Map(
  'กk ขkh ฃkh คkh ฅkh ฆkh งng จch ฉch ชch ฌch ซs ศs ษs สs ญy ดd ฎd ตt ฏt ถth ฐth ทth ธth ฑth ฒth นn ณn บb ปp ผph พph ภph ฝf ฟf มm ยy รr ลl ฬl วw หh ฮh อ'
    .split(' ')
    .map((pair): [string, string] => [pair.slice(0, 1), pair.slice(1)]),
);

const FINALS: ReadonlyMap<string, string> = new Map(
  [
    ['กขคฆ', 'k'],
    ['ง', 'ng'],
    ['จชซฌดฎตฏถฐทธฑฒศษส', 't'],
    ['นณญรลฬ', 'n'],
    ['บปพภฟ', 'p'],
    ['ม', 'm'],
    ['ย', 'i'],
    ['ว', 'o'],
  ].flatMap(([letters, latin]) =>
    [...letters!].map((letter): [string, string] => [letter, latin!]),
  ),
);

const C = '[ก-ฮ]';
/** A consonant at the end of a syllable: it has no vowel of its own. */
const F = '([ก-ฮ](?![ะาำิีึืุูั็รร]|อ(?![ก-ฮ]*[ะาิีึืุู])))';
/** The consonants before a vowel: pairs that are spoken together, or one. */
const PAIR = 'ทร|จร|สร|ศร|ห[งญนมยรลว]|อย|[กขค][รลว]|ตร|[ปพ][รล]|ผล';
const K = `(${PAIR}|[ก-ฮ])`;
const VOWEL = '[ะาำิีึืุูั็]';
/** Consonants without a written vowel. */
const BARE = new RegExp(`(?:(?!(?:${PAIR})${VOWEL})${C}(?!${VOWEL}))+`, 'uy');

const FIRST_PAIR = new RegExp(`^(?:${PAIR})`, 'u');

/** Each syllable: consonants, perhaps a final, and the vowel between them. The first that fits is taken. */
const SYLLABLES: readonly (readonly [RegExp, vowel: string])[] = (
  [
    [`เ${K}ีย(?:ะ|${F})?`, 'ia'],
    [`เ${K}ือ(?:ะ|${F})?`, 'uea'],
    [`เ${K}าะ`, 'o'],
    [`เ${K}า`, 'ao'],
    [`เ${K}ิ${F}`, 'oe'],
    [`เ${K}ย(?![ก-ฮ]?[ะาิีึืุูั])`, 'oei'],
    [`เ${K}อะ?${F}?`, 'oe'],
    [`เ${K}(?:ะ|็?${F})?`, 'e'],
    [`แ${K}(?:ะ|็?${F})?`, 'ae'],
    [`โ${K}(?:ะ|${F})?`, 'o'],
    [`[ใไ]${K}ย?`, 'ai'],
    [`${K}ัว(?:ะ|(?!${C}))`, 'ua'],
    [`${K}ั${F}`, 'a'],
    [`${K}ะ`, 'a'],
    [`${K}ำ`, 'am'],
    [`${K}า${F}?`, 'a'],
    [`${K}[ิี]${F}?`, 'i'],
    [`${K}ือ`, 'ue'],
    [`${K}[ึื]${F}?`, 'ue'],
    [`${K}[ุู]${F}?`, 'u'],
    [`${K}็?อ${F}?`, 'o'],
    [`${K}ว${F}`, 'ua'],
    [`${K}รร${F}`, 'a'],
    [`${K}รร`, 'an'],
    [`${C}(?=${C}${VOWEL})`, 'a'],
    [`${K}${F}`, 'o'],
    [`${K}`, 'a'],
  ] as const
).map(([pattern, vowel]) => [new RegExp(pattern, 'uy'), vowel]);

/** Romanizes a run of Thai letters as one word. */
export function romanizedThai(run: string): string {
  const text = run
    .replace(/(?:[ทตด]ร|[ก-ฮ])[ิุ]?์/g, '')
    .replace(/[\u0e48-\u0e4c]/g, '')
    .replace(/ํา/g, 'ำ')
    .replace(/ฤ/g, 'รึ')
    .replace(/[ๆฯ]/g, '');
  let latin = '';
  for (let at = 0; at < text.length; ) {
    const length = syllableAt(text, at, (syllable) => {
      latin += syllable;
    });
    at += length;
  }
  return latin;
}

/** Calls back with the syllable, and returns its length. */
function syllableAt(text: string, at: number, visit: (latin: string) => void): number {
  BARE.lastIndex = at;
  // Of three consonants without a vowel, the first has a short one.
  const run = BARE.exec(text)?.[0] ?? '';
  if (run.length === 3 && !/^.[วอ]|รร/.test(run) && !FIRST_PAIR.test(run)) {
    visit(`${INITIALS.get(text[at]!)}a`);
    return 1;
  }
  for (const [pattern, vowel] of SYLLABLES) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) continue;
    const [whole, initial = whole, final = ''] = found;
    visit(initialOf(initial) + vowel + (FINALS.get(final) ?? ''));
    return whole.length;
  }
  return 1;
}

function initialOf(consonants: string): string {
  if (/^(?:ทร|สร|ศร)$/.test(consonants)) return 's';
  if (consonants === 'จร') return 'ch';
  if (/^[หอ]./.test(consonants)) return INITIALS.get(consonants[1]!)!;
  return Array.from(consonants, (letter) => INITIALS.get(letter) ?? '').join('');
}
