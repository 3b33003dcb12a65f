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
