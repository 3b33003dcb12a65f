import { UnreadableError } from './decoded.ts';
import type { XmlHandler } from './xml.ts';

const PAGE_BYTES = 1024 * 1024;
/** The places of this many texts are allocated at once. */
const PLACES = 64 * 1024;
/** The memory of all texts: enough for four million titles. */
const MAX_BYTES = 128 * 1024 * 1024;
/** More than Excel (32,767) and Google Sheets (50,000) allow in a cell. */
export const MAX_TEXT = 65_536;

/**
 * The texts that the cells of a workbook share. Kept in memory as UTF-8 outside of the heap: eight
 * bytes for each text in addition to its own. Throws UnreadableError for more than 128 MiB.
 */
export class SharedStrings {
  readonly #pages: Buffer[] = [];
  /** The bytes of the last page that are taken. */
  #used = PAGE_BYTES;
  /** Two numbers for each text: where it begins, counted over all pages, and its length. */
  readonly #places: Uint32Array[] = [];
  #count = 0;

  add(text: string): void {
    // A character has at most three bytes. A text does not cross pages, and each one begins within a page, also an
    // empty one.
    if (this.#used + text.length * 3 >= PAGE_BYTES) {
      this.#pages.push(Buffer.allocUnsafeSlow(PAGE_BYTES));
      this.#used = 0;
    }
    const at = this.#count % PLACES;
    if (at === 0) {
      this.#places.push(new Uint32Array(2 * PLACES));
    }
    if (this.#pages.length * PAGE_BYTES + this.#count * 8 > MAX_BYTES) {
      const reason = `the workbook has more than ${MAX_BYTES / 1024 / 1024} MiB of texts; save the sheet as CSV`;
      throw new UnreadableError(0, reason);
    }
    const length = this.#pages.at(-1)!.write(text, this.#used);
    const places = this.#places.at(-1)!;
    places[2 * at] = (this.#pages.length - 1) * PAGE_BYTES + this.#used;
    places[2 * at + 1] = length;
    this.#count++;
    this.#used += length;
  }

  /** Returns undefined if there is no such text. */
  get(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) {
      return undefined;
    }
    const places = this.#places[Math.floor(index / PLACES)]!;
    const at = index % PLACES;
    const start = places[2 * at]!;
    const from = start % PAGE_BYTES;
    const page = this.#pages[(start - from) / PAGE_BYTES]!;
    return page.toString('utf8', from, from + places[2 * at + 1]!);
  }
}

/**
 * Collects the text of a string item: the texts of its runs, without the phonetic ones. Reads at
 * most one character more than a text may have.
 */
export class RichText {
  text = '';
  #isText = false;
  #phonetic = 0;

  open(name: string): void {
    if (name === 'rPh') {
      this.#phonetic++;
    } else {
      this.#isText = name === 't' && this.#phonetic === 0;
    }
  }

  add(text: string): void {
    if (this.#isText && this.text.length <= MAX_TEXT) {
      this.text += text.slice(0, MAX_TEXT + 1 - this.text.length);
    }
  }

  close(name: string): void {
    this.#isText = false;
    if (name === 'rPh') {
      this.#phonetic--;
    }
  }

  /** Returns the text, and begins the next one. */
  take(): string {
    const { text } = this;
    this.text = '';
    return unescaped(text);
  }
}

/** `_x000D_` stands for a character that XML cannot contain. */
export function unescaped(text: string): string {
  return text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;
}

/** Returns a handler that adds the texts of the part `sharedStrings.xml`. */
export function sharedStringsHandler(strings: SharedStrings): XmlHandler {
  const item = new RichText();
  return {
    open: ({ name }) => item.open(name),
    text: (text) => item.add(text),
    close: (name) => {
      item.close(name);
      if (name === 'si') {
        strings.add(item.take());
      }
    },
  };
}
