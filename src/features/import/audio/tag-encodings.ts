/** The encodings of tags that claim to be Latin-1, as `--tag-encoding` names them. */
export const TAG_ENCODINGS = [
  ...['windows-1251', 'shift_jis', 'gbk', 'euc-kr', 'windows-1253', 'windows-1255'],
  ...['windows-1250', 'windows-1252', 'windows-1254', 'windows-1256', 'windows-1257'],
  ...['windows-874', 'koi8-r', 'big5', 'euc-jp', 'utf-8'],
] as const;
export type TagEncoding = (typeof TAG_ENCODINGS)[number];

/** The encoding of texts that say nothing else: Latin-1 without control characters. */
const WESTERN = 'windows-1252';

interface Script {
  encoding: TagEncoding;
  /** What a word of the script looks like. */
  word: RegExp;
  /** Bytes that a text of this encoding has, where another encoding could read it, too. */
  needs?: RegExp;
}

/** A capital letter only at the beginning of a word, or nothing but capital letters. */
const cased = (script: string): RegExp =>
  new RegExp(`^(?:\\p{Lu}?\\p{Ll}*|\\p{Lu}+)$(?<=^\\p{Script=${script}}+$)`, 'u');

/**
 * The scripts that are recognized. A capital letter distinguishes Cyrillic and Greek from Hebrew, the frequent characters of
 * GBK from what other encodings make of it, and the second half of those from Hangul.
 */
const SCRIPTS: readonly Script[] = [
  { encoding: 'windows-1251', word: cased('Cyrillic'), needs: /[\xc0-\xdf\xa8]/ },
  {
    encoding: 'windows-1253',
    // With an accent, an end that words have, the final sigma only there, and no letter that hardly occurs.
    word: new RegExp(
      `(?!.*(?:ς.|[ΐΰ]))(?=\\p{Lu}+$|(?:.{1,3}$|.*[άέήίόύώΆΈΉΊΌΎΏ]).*(?<=[αεηιουωάέήίόύώςνρ])$)${cased('Greek').source}`,
      'u',
    ),
    needs: /[\xb8-\xba\xbc\xbe\xbf\xc1-\xd9]/,
  },
  // Final letters only at the end of a word.
  { encoding: 'windows-1255', word: /^(?!.*[ךםןףץ].)\p{Script=Hebrew}+$/u },
  {
    encoding: 'shift_jis',
    // Without the narrow katakana, whose bytes are letters elsewhere.
    word: /^[\p{Script=Hiragana}\p{Script=Han}\u30a0-\u30ff\u3000-\u303f\uff01-\uff60]+$/u,
  },
  { encoding: 'gbk', word: /^[\p{Script=Han}\u3000-\u303f\uff01-\uff60]+$/u },
  { encoding: 'euc-kr', word: /^\p{Script=Hangul}+$/u },
];

/** Fewer bytes above 127 prove nothing. */
const MIN_BYTES = 8;
/** The part of the letters that are in words of the script, of those in words with bytes above 127, and of all. */
const NEARLY_ALL = 0.9;
const A_THIRD = 1 / 3;

/** Returns how to read Latin-1 texts that are not: the encoding, if it is certain; otherwise undefined. */
export function recognizedEncoding(texts: readonly string[]): TagEncoding | undefined {
  const foreign = texts.filter((text) => /[\x80-\xff]/.test(text) && !isUtf8(text));
  const bytes = foreign.join('\n');
  if ((bytes.match(/[\x80-\xff]/g)?.length ?? 0) < MIN_BYTES) return undefined;
  const fits = SCRIPTS.filter((script) => isIn(foreign, script));
  return fits.length === 1 ? fits[0]!.encoding : undefined;
}

function isIn(texts: readonly string[], { encoding, word, needs }: Script): boolean {
  const bytes = texts.join('\n');
  if (needs !== undefined && !needs.test(bytes)) return false;
  if (encoding === 'gbk' && !isFrequentGbk(texts)) return false;
  const decoded = decodedBy(encoding, bytes);
  if (decoded === undefined) return false;
  let [all, notAscii, inScript] = [0, 0, 0];
  for (const found of decoded.split(/[\0-@[-`{-\x7f\s]+/)) {
    // Quotation marks and dashes of the script's typewriters are no letters.
    const letters = found.replace(/[«»„“”‘’–—…·]/g, '');
    all += letters.length;
    if (/^\p{ASCII}*$/u.test(letters)) continue;
    notAscii += letters.length;
    if (word.test(letters)) inScript += letters.length;
  }
  return inScript > 0 && inScript >= notAscii * NEARLY_ALL && inScript >= all * A_THIRD;
}

/** Whether nearly all pairs of bytes are frequent characters, and one of them is none of Hangul in EUC-KR. */
function isFrequentGbk(texts: readonly string[]): boolean {
  const pairs = texts.flatMap((text) => text.match(/[\x80-\xff]./gs) ?? []);
  const frequent = pairs.filter((pair) => /^[\xb0-\xd7][\xa1-\xfe]|^[\xa1\xa3]/.test(pair));
  return (
    frequent.length >= pairs.length * NEARLY_ALL && pairs.some((pair) => /^[\xc9-\xd7]/.test(pair))
  );
}

/** Reads a Latin-1 text by the encoding, which is undefined if none was recognized or named. */
export function decodedText(
  text: string,
  { encoding, isNamed }: { encoding: TagEncoding | undefined; isNamed: boolean },
): string {
  if (!/[\x80-\xff]/.test(text)) return text;
  const utf8 = isNamed ? undefined : decodedBy('utf-8', text);
  if (utf8 !== undefined) return utf8;
  return new TextDecoder(encoding ?? WESTERN).decode(Buffer.from(text, 'latin1'));
}

function isUtf8(text: string): boolean {
  return decodedBy('utf-8', text) !== undefined;
}

function decodedBy(encoding: TagEncoding, text: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return undefined;
  }
}
