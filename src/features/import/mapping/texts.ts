import type { REPAIRS } from './mapping.ts';

const MAX_DEPTH = 16;

/**
 * Parses a Python literal, as `str()` of a list or dict writes it into a CSV cell: lists, tuples,
 * dicts with text keys, texts, numbers, True, False and None. Evaluates nothing. Throws an Error
 * that names the position of the first fault.
 */
export function parsePythonLiteral(text: string): unknown {
  const reader = new LiteralReader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class LiteralReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) {
      throw this.#problem('nested too deeply');
    }
    this.#blanks();
    switch (this.#text[this.#at]) {
      case '[':
        return this.#list(']', depth);
      case '(':
        return this.#list(')', depth);
      case '{':
        return this.#dict(depth);
      case "'":
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  end(): void {
    this.#blanks();
    if (this.#at < this.#text.length) {
      throw this.#problem('text after the end');
    }
  }

  #list(close: string, depth: number): unknown[] {
    const entries: unknown[] = [];
    this.#at++;
    while (!this.#closes(close, entries.length > 0)) {
      entries.push(this.value(depth + 1));
    }
    return entries;
  }

  #dict(depth: number): Record<string, unknown> {
    const members: Record<string, unknown> = Object.create(null);
    let isFollowing = false;
    this.#at++;
    while (!this.#closes('}', isFollowing)) {
      const key = this.value(depth + 1);
      this.#blanks();
      if (this.#text[this.#at] !== ':') {
        throw this.#problem('a colon is missing');
      }
      this.#at++;
      members[String(key)] = this.value(depth + 1);
      isFollowing = true;
    }
    return members;
  }

  /** Skips the comma before the next entry; returns true if the bracket closes instead. */
  #closes(close: string, isFollowing: boolean): boolean {
    this.#blanks();
    if (isFollowing && this.#text[this.#at] === ',') {
      this.#at++;
      this.#blanks();
    } else if (isFollowing && this.#text[this.#at] !== close) {
      throw this.#problem('a comma is missing');
    }
    if (this.#text[this.#at] === close) {
      this.#at++;
      return true;
    }
    return false;
  }

  #string(): string {
    const quote = this.#text[this.#at++];
    let value = '';
    for (;;) {
      const sign = this.#text[this.#at++];
      if (sign === undefined) {
        throw this.#problem('a quote that nothing closes');
      }
      if (sign === quote) {
        return value;
      }
      value += sign === '\\' ? this.#escape() : sign;
    }
  }

  #escape(): string {
    const sign = this.#text[this.#at++] ?? '';
    const digits = HEX_DIGITS[sign];
    if (digits === undefined) {
      return ESCAPES[sign] ?? `\\${sign}`;
    }
    const hex = this.#text.slice(this.#at, this.#at + digits);
    const code = /^[0-9a-f]+$/i.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : -1;
    if (code < 0 || code > 0x10ffff) {
      throw this.#problem('a broken escape');
    }
    this.#at += digits;
    return String.fromCodePoint(code);
  }

  #word(): unknown {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text)?.[0];
    if (word === undefined) {
      throw this.#problem('no value');
    }
    this.#at += word.length;
    if (Object.hasOwn(CONSTANTS, word)) {
      return CONSTANTS[word];
    }
    const number = Number(word);
    if (Number.isNaN(number)) {
      throw this.#problem(`the unknown word ${word.slice(0, 20)}`);
    }
    return number;
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) {
      this.#at++;
    }
  }

  #problem(what: string): Error {
    return new Error(`${what} at character ${this.#at + 1}`);
  }
}

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

/** One kind of damage that can be repaired. */
export type Repair = (typeof REPAIRS)[number];

/** Returns the text with one kind of damage repaired; unchanged without that damage. */
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

/**
 * Repairs UTF-8 that was read as Windows-1252 and written as UTF-8 again: `SeÃ±or` becomes `Señor`.
 */
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
