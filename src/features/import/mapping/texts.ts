import { isUtf8 } from 'node:buffer';
import type { REPAIRS } from './mapping.ts';

const MAX_DEPTH = 16;

/**
 * Parses a Python literal, as `str()` of a list or dict writes it into a CSV cell: lists, tuples,
 * dicts with text keys, texts, bytes of UTF-8, numbers, True, False and None. Evaluates nothing. Throws an Error
 * that names the position of the first fault.
 */
export function parsePythonLiteral(text: string): unknown {
  let at = 0;
  const fault = (what: string) => new Error(`${what} at character ${at + 1}`);
  /** Skips white space, then the sign. Returns false if another one follows. */
  const skip = (sign: string): boolean => {
    while (/\s/.test(text[at] ?? '')) at++;
    const isNext = text.startsWith(sign, at);
    if (isNext) at += sign.length;
    return isNext;
  };
  const eachEntry = (close: string, read: () => void) => {
    for (let isFirst = true; !skip(close); isFirst = false) {
      if (!isFirst && !skip(',')) throw fault('a comma is missing');
      if (!isFirst && skip(close)) return;
      read();
    }
  };
  const escaped = (): string => {
    const sign = text[at++] ?? '';
    const digits = HEX_DIGITS[sign];
    if (digits === undefined) return ESCAPES[sign] ?? `\\${sign}`;
    const hex = text.slice(at, at + digits);
    const code = /^[0-9a-f]+$/i.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : -1;
    if (code < 0 || code > 0x10ffff) throw fault('a broken escape');
    at += digits;
    return String.fromCodePoint(code);
  };
  const quoted = (quote: string): string => {
    let value = '';
    for (let sign = text[at++]; sign !== quote; sign = text[at++]) {
      if (sign === undefined) throw fault('a quote that nothing closes');
      value += sign === '\\' ? escaped() : sign;
    }
    return value;
  };
  const word = (): unknown => {
    WORD.lastIndex = at;
    const [found] = WORD.exec(text) ?? [];
    if (found === undefined) throw fault('no value');
    at += found.length;
    const value = Object.hasOwn(CONSTANTS, found) ? CONSTANTS[found] : Number(found);
    if (Number.isNaN(value)) throw fault(`the unknown word ${found.slice(0, 20)}`);
    return value;
  };
  const valueAt = (depth: number): unknown => {
    if (depth > MAX_DEPTH) throw fault('nested too deeply');
    const open = ['[', '(', '{', "'", '"', "b'", 'b"'].find(skip);
    if (open === "'" || open === '"') return quoted(open);
    if (open?.startsWith('b') === true) return textOfBytes(quoted(open[1]!));
    if (open === undefined) return word();
    const entries: unknown[] = [];
    const members: Record<string, unknown> = Object.create(null);
    eachEntry(CLOSING[open]!, () => {
      const entry = valueAt(depth + 1);
      entries.push(entry);
      if (open !== '{') return;
      if (!skip(':')) throw fault('a colon is missing');
      members[String(entry)] = valueAt(depth + 1);
    });
    return open === '{' ? members : entries;
  };
  const value = valueAt(0);
  skip('');
  if (at < text.length) throw fault('text after the end');
  return value;
}

/** Bytes that are not UTF-8 are taken for Latin-1. */
function textOfBytes(characters: string): string {
  const bytes = Buffer.from(characters, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : characters;
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };
const WORD = /[\w.+-]+/y;
const CONSTANTS: Readonly<Record<string, unknown>> = { True: true, False: false, None: null };
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

export type Repair = (typeof REPAIRS)[number];

export function repaired(text: string, repair: Repair): string {
  switch (repair) {
    case 'html-entities':
      return text.includes('&') ? withoutEntities(text) : text;
    case 'html-tags':
      return text.includes('<') ? text.replace(/<\/?[a-z][^<>]*>/gi, '') : text;
    case 'double-utf8':
      return decodedTwice(text);
    case 'spaces':
      return text.replace(/\s+/g, ' ').trim();
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

function withoutEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi,
    (entity, decimal, hex, name) => {
      if (name !== undefined) {
        return Object.hasOwn(NAMED, name) ? NAMED[name]! : entity;
      }
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : entity;
    },
  );
}

/** The characters that Windows-1252 has at 0x80 to 0x9f, where Latin-1 has control characters. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Repairs UTF-8 that was read as Windows-1252 and written as UTF-8: `SeÃ±or` becomes `Señor`. */
function decodedTwice(text: string): string {
  const bytes = Buffer.alloc(text.length);
  for (let i = 0; i < text.length; i++) {
    const special = WINDOWS_1252.indexOf(text[i]!);
    const byte = special >= 0 ? 0x80 + special : text.charCodeAt(i);
    if (byte > 0xff) {
      return text;
    }
    bytes[i] = byte;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return text;
  }
}

/** The signs that may separate groups of three digits. */
const GROUPS = " \\u00a0\\u202f'’";

const forms = {
  ',': numberForm(',', `.${GROUPS}`),
  '.': numberForm('\\.', `,${GROUPS}`),
} as const;

function numberForm(sign: string, groups: string): RegExp {
  const whole = `\\d{1,15}|\\d{1,3}([${groups}])\\d{3}(?:\\2\\d{3}){0,4}`;
  return new RegExp(`^([+-]?(?:${whole})?)(?:${sign}(\\d{1,15}))?$`);
}

/**
 * Returns a written number in the form `-1234.5`. `sign` stands before its decimals; groups of three
 * digits may be separated by a space, an apostrophe or the other sign. Returns undefined for any
 * other text.
 */
export function decimalText(text: string, sign: ',' | '.'): string | undefined {
  const parts = forms[sign].exec(text.trim());
  if (parts === null) {
    return undefined;
  }
  const whole = parts[1]!.replace(/[^\d+-]/g, '');
  const decimals = parts[3];
  if (!/\d/.test(whole) && decimals === undefined) {
    return undefined;
  }
  const digits = /\d/.test(whole) ? whole : `${whole}0`;
  return decimals === undefined ? digits : `${digits}.${decimals}`;
}

/** Whether a text is, or contains, a number in the notation of `8.05E+11`, of which digits are lost. */
export function isScientific(value: unknown): boolean {
  return typeof value === 'string' && /(?:^|[^\w.])\d+(?:[.,]\d+E\+?|E\+)\d+(?![\w.])/i.test(value);
}
