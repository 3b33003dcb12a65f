import { createRequire } from 'node:module';
import anyAscii from 'any-ascii';
import { simplified } from './letters.ts';
import { CYRILLIC, DEVANAGARI, GREEK, KANA } from './romanization-tables.ts';
import { romanizedThai } from './thai.ts';

/** Loads a library at its first use: most catalogs and all commands need none of them. */
const load = createRequire(import.meta.url);

/** Romanizes a run of letters of one script in its usual ways, the most usual first. */
type Romanize = (run: string) => readonly string[];

const SCRIPTS: readonly (readonly [script: RegExp, romanize: Romanize])[] = [
  [/^\p{sc=Cyrillic}/u, cyrillic],
  [/^\p{sc=Greek}/u, greek],
  [/^[\p{sc=Hiragana}\p{sc=Katakana}ー]/u, kana],
  [/^\p{sc=Hangul}/u, hangul],
  [/^\p{sc=Thai}/u, (run) => [romanizedThai(run)]],
  [/^\p{sc=Devanagari}/u, devanagari],
  [/^\p{sc=Han}/u, han],
  // Their consonants are compared instead.
  [/^[\p{sc=Arabic}\p{sc=Hebrew}]/u, () => ['']],
];

const RUN =
  /\p{sc=Cyrillic}+|\p{sc=Greek}+|[\p{sc=Hiragana}\p{sc=Katakana}ー]+|\p{sc=Hangul}+|\p{sc=Thai}+|\p{sc=Devanagari}+|\p{sc=Han}+|[\p{sc=Arabic}\p{sc=Hebrew}]+|[^\0-\x7f]/gu;

/**
 * The usual romanizations of a folded text, in lower-case ASCII words. Each has every run of letters in one of its ways;
 * their number is the greatest number of ways of a run.
 */
export function romanizations(folded: string): string[] {
  const ways = new Map<string, readonly string[]>();
  for (const run of folded.match(RUN) ?? []) {
    const script = SCRIPTS.find(([first]) => first.test(run));
    ways.set(run, script === undefined ? [anyAscii(run).toLowerCase()] : script[1](run));
  }
  const most = Math.max(...Array.from(ways.values(), ({ length }) => length));
  const texts = Array.from({ length: most }, (_, way) =>
    folded
      .replace(RUN, (run) => {
        const found = ways.get(run)!;
        return found[Math.min(way, found.length - 1)]!;
      })
      .replace(/[^a-z0-9 ]/g, '')
      .replace(/ {2,}/g, ' ')
      .trim(),
  );
  return [...new Set(texts)];
}

function byTable(text: string, table: ReadonlyMap<string, string>, longest: number): string {
  let latin = '';
  for (let at = 0; at < text.length; ) {
    let length = Math.min(longest, text.length - at);
    while (length > 1 && !table.has(text.slice(at, at + length))) length--;
    latin += table.get(text.slice(at, at + length)) ?? '';
    at += length;
  }
  return latin;
}

function cyrillic(run: string): string[] {
  // Outside of Bulgarian, a hard sign stands only before these vowels.
  let text = run.replace(/ъ(?![еёюя])/g, 'а');
  // In the shorter way, a sign before a vowel has no sound.
  const separated = (some: string) => some.replace(/[ьъ](?=[ео])/g, 'й');
  if (/[іїєґ]/.test(text)) text = text.replace(/г/g, 'һ').replace(/и/g, 'ы');
  const usual = separated(text);
  const ways = [
    byTable(usual, CYRILLIC.usual, 1),
    byTable(text, CYRILLIC.shorter, 1),
    byTable(usual, CYRILLIC.spoken, 1),
    byTable(usual, CYRILLIC.withJ, 1),
  ];
  if (/[јљњђћџ]/.test(run)) return [byTable(text, CYRILLIC.serbian, 1), ...ways];
  if (/[жхцчшщюя]/.test(text)) ways.push(byTable(text, CYRILLIC.scholarly, 1));
  if (/[жзхцчшщ]/.test(text)) ways.push(byTable(text, CYRILLIC.german, 1));
  return ways;
}

function greek(run: string): string[] {
  const text = run
    .replace(/^μπ/, 'b')
    .replace(/^ντ/, 'd')
    .replace(/^γκ/, 'g')
    .replace(/(?<=[αεη])υ(?=[βγδζλμνραεηιουω])/g, 'v')
    .replace(/(?<=[αεη])υ(?=[θκξπσςτφχψ]|$)/g, 'f');
  const spoken = text.replace(/μπ/g, 'b').replace(/ντ/g, 'd');
  const isTyped = /μπ|ντ|γ[γκ]|[αεη]υ/.test(run);
  const nasal = text.replace(/μπ/g, 'μb').replace(/ντ/g, 'νd').replace(/γκ/g, 'νg');
  return [
    byTable(text, GREEK.written, 2),
    byTable(spoken, GREEK.spoken, 2),
    byTable(nasal, GREEK.spoken, 2),
    ...(isTyped ? [byTable(spoken, GREEK.written, 2), byTable(run, GREEK.typed, 2)] : []),
  ];
}

/** Hepburn with short vowels, as keys have them; particles once as they are written and once as they are spoken. */
function kana(run: string): string[] {
  const hiragana = run.replace(/[ァ-ヶ]/g, (one) => String.fromCharCode(one.charCodeAt(0) - 0x60));
  const spoken = hiragana.replace(/(?<=.)は/g, 'わ').replace(/(?<=.)へ/g, 'え');
  return [hiragana, spoken].map((text) =>
    byTable(text, KANA, 2).replace(
      /っ+(.)/g,
      (_, next: string) => (next === 'c' ? 't' : next) + next,
    ),
  );
}

const romanizedWords = new Map<string, string>();
/** The number of Korean words that are kept, because their library takes 20 µs for each. */
const MAX_WORDS = 10_000;

/** In nouns, ㅎ is written behind ㄱ, ㄷ and ㅂ (`묵호` is Mukho), and elsewhere it is not. */
function hangul(run: string): string[] {
  const parts = run
    .replace(/[가-힣](?=[하-힣])/gu, (syllable) => (keepsH(syllable) ? `${syllable} ` : syllable))
    .split(' ');
  return [romanizedHangul(run), parts.map(romanizedHangul).join('')];
}

/** Whether a syllable ends with ㄱ, ㄷ or ㅂ, by the number of its final. */
function keepsH(syllable: string): boolean {
  return [1, 7, 17].includes((syllable.charCodeAt(0) - 0xac00) % 28);
}

function romanizedHangul(run: string): string {
  let latin = romanizedWords.get(run);
  if (latin === undefined) {
    const { romanize } = load('es-hangul') as typeof import('es-hangul');
    latin = romanize(run);
    if (romanizedWords.size === MAX_WORDS) romanizedWords.clear();
    romanizedWords.set(run, latin);
  }
  return latin;
}

/** As one word, and by syllables. */
function han(run: string): string[] {
  const { pinyin } = load('pinyin-pro') as typeof import('pinyin-pro');
  const syllables = pinyin(simplified(run), { toneType: 'none', type: 'array' }).map((one) =>
    one.replace(/ü/g, 'u'),
  );
  return [syllables.join(''), ` ${syllables.join(' ')} `];
}

const VIRAMA = '\u094d';
const NUKTA = /(.)\u093c/g;
/** Letters whose sound a nukta changes. */
const WITH_NUKTA: ReadonlyMap<string, string> = new Map([
  ['ज', 'z'],
  ['क', 'q'],
  ['फ', 'f'],
  ['ड', 'r'],
  ['ढ', 'rh'],
]);

/**
 * Hunterian, with long vowels once as single and once as double letters. The vowel that is written without a sign is
 * silent at the end of a word, and between a vowel and a consonant with a vowel. Names from Sanskrit keep it in the
 * middle, or everywhere; which ones do so is not written.
 */
function devanagari(run: string): string[] {
  const bare = run.replace(/\u093c/g, '');
  // `ज्ञ` is gy as it is spoken, and jn as it is written.
  const spoken = [run, bare].flatMap((some) => [some.replace(/ज्ञ/g, 'ग्य'), some]);
  return [...new Set(spoken)].flatMap((some) =>
    SILENT.flatMap((silent) => hunterian(some, silent)),
  );
}

/** Where the vowel without a sign is silent. */
const SILENT = ['at the end and inside', 'at the end', 'nowhere'] as const;

function hunterian(run: string, silent: (typeof SILENT)[number]): string[] {
  const parts = syllables(run.normalize('NFKD'));
  for (let i = silent === 'nowhere' ? 0 : parts.length - 1; i > 0; i--) {
    const [before, part, next] = [parts[i - 1]!, parts[i]!, parts[i + 1]];
    if (part.vowel !== 'ə') continue;
    // After two consonants, a final vowel is spoken before some consonants only.
    if (next === undefined)
      part.vowel = before.vowel === '' && /^[yrlvnm]$/.test(part.latin) ? 'a' : '';
    else if (silent === 'at the end') continue;
    else if (before.vowel !== '' && next.latin !== '' && next.vowel !== '') part.vowel = '';
  }
  const latin = parts
    .map((part) => part.latin + part.vowel)
    .join('')
    .replace(/ə/g, 'a');
  return [
    latin.replace(/[īū]/g, (long) => (long === 'ī' ? 'i' : 'u')),
    latin.replace(/[īū]/g, (long) => (long === 'ī' ? 'ee' : 'oo')),
  ];
}

/** Each consonant with its vowel, `ə` if that is not written. */
function syllables(run: string): { latin: string; vowel: string }[] {
  const { consonants, vowels } = DEVANAGARI;
  const parts: { latin: string; vowel: string }[] = [];
  const marked = run.replace(NUKTA, (_, letter: string) => WITH_NUKTA.get(letter) ?? letter);
  for (const letter of marked) {
    const last = parts.at(-1);
    if (letter === VIRAMA || /\p{M}/u.test(letter)) {
      const vowel = letter === VIRAMA ? '' : vowels.get(letter);
      if (vowel !== undefined && last !== undefined) last.vowel = vowel;
      else parts.push({ latin: letter === '\u0903' ? 'h' : 'n', vowel: '' });
    } else if (/[a-z]/.test(letter) || consonants.has(letter)) {
      const latin = consonants.get(letter) ?? letter;
      if (letter === 'h' && last?.latin === 'r') last.latin = 'rh';
      else parts.push({ latin, vowel: 'ə' });
    } else {
      parts.push({ latin: '', vowel: vowels.get(letter) ?? '' });
    }
  }
  return parts;
}
