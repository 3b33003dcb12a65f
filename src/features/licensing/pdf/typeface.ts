import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import anyAscii from 'any-ascii';
import * as fontkit from 'fontkit';
import { keptIn } from '../../../common/memory/caches.ts';

const require = createRequire(import.meta.url);

export type Weight = 400 | 700;

export interface Run {
  font: string;
  text: string;
}

export interface Printable {
  text: string;
  /** Whether the typeface lacks characters of the original text. */
  isTransliterated: boolean;
}

/**
 * The files that Noto Sans is divided into, those of frequent characters first. They are WOFF files: fontkit cannot read
 * the WOFF 2 files of the same package.
 */
const PARTS = [
  'latin',
  'latin-ext',
  'greek',
  'cyrillic',
  'vietnamese',
  'greek-ext',
  'cyrillic-ext',
] as const;

/** A letter with its accents is one character. */
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Noto Sans, for Latin, Greek and Cyrillic. Reads each file when it is first needed. */
export class Typeface {
  readonly #files = new Map<string, Buffer>();
  readonly #fonts = new Map<string, fontkit.Font>();

  /** A font that `runs` has named, as a TrueType file. */
  file(font: string): Buffer {
    return keptIn(this.#files, font, () =>
      unpackWoff(readFileSync(require.resolve(`@fontsource/noto-sans/files/${font}.woff`))),
    );
  }

  /**
   * Divides a text into runs of one font each; undefined if the typeface lacks a character. A character with its accents
   * is always in one run.
   */
  runs(text: string, weight: Weight): Run[] | undefined {
    const runs: Run[] = [];
    for (const { segment } of characters.segment(text)) {
      const last = runs.at(-1);
      if (last !== undefined && this.#has(last.font, segment)) {
        last.text += segment;
        continue;
      }
      const fonts = PARTS.map((part) => `noto-sans-${part}-${weight}-normal`);
      const font = fonts.find((one) => this.#has(one, segment));
      if (font === undefined) return undefined;
      runs.push({ font, text: segment });
    }
    return runs;
  }

  /**
   * Returns a text in the form that is printed: on one line, without control characters, and in Latin letters if the
   * typeface lacks a character.
   */
  printable(given: string): Printable {
    const text = onOneLine(given);
    if (this.runs(text, 400) !== undefined) return { text, isTransliterated: false };
    const transliterated = onOneLine(anyAscii(text));
    return { text: transliterated === '' ? '?' : transliterated, isTransliterated: true };
  }

  #has(font: string, text: string): boolean {
    const known = this.#font(font);
    for (const character of text) {
      if (!known.hasGlyphForCodePoint(character.codePointAt(0)!)) return false;
    }
    return true;
  }

  #font(name: string): fontkit.Font {
    return keptIn(this.#fonts, name, () => {
      // A file of this package is one font, not a collection.
      return fontkit.create(this.file(name)) as fontkit.Font;
    });
  }
}

function onOneLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim();
}

const WOFF_HEADER = 44;
const WOFF_ENTRY = 20;
const SFNT_HEADER = 12;
const SFNT_ENTRY = 16;

/**
 * Converts a font from WOFF 1.0 (W3C) into the form that it wraps (TrueType or OpenType). fontkit also reads WOFF, but
 * inflates a table again for each glyph that it reads from it, which takes most of the time of a document. Throws if the
 * file is not of this form.
 */
export function unpackWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('The font is not a WOFF file');
  const count = woff.readUInt16BE(12);
  const head = Buffer.alloc(SFNT_HEADER + count * SFNT_ENTRY);
  woff.copy(head, 0, 4, 8);
  head.writeUInt16BE(count, 4);
  const entrySelector = Math.floor(Math.log2(count));
  const searchRange = 2 ** entrySelector * SFNT_ENTRY;
  head.writeUInt16BE(searchRange, 6);
  head.writeUInt16BE(entrySelector, 8);
  head.writeUInt16BE(count * SFNT_ENTRY - searchRange, 10);
  const parts: Buffer[] = [head];
  let offset = head.length;
  for (let i = 0; i < count; i++) {
    const from = WOFF_HEADER + i * WOFF_ENTRY;
    const to = SFNT_HEADER + i * SFNT_ENTRY;
    const table = tableAt(woff, from);
    // Tag and checksum.
    woff.copy(head, to, from, from + 4);
    woff.copy(head, to + 4, from + 16, from + 20);
    head.writeUInt32BE(offset, to + 8);
    head.writeUInt32BE(table.length, to + 12);
    const padding = Buffer.alloc(-table.length & 3);
    parts.push(table, padding);
    offset += table.length + padding.length;
  }
  return Buffer.concat(parts);
}

/** Returns the table of a directory entry, which is compressed if that makes it shorter. */
function tableAt(woff: Buffer, entry: number): Buffer {
  const offset = woff.readUInt32BE(entry + 4);
  const storedLength = woff.readUInt32BE(entry + 8);
  const length = woff.readUInt32BE(entry + 12);
  const stored = woff.subarray(offset, offset + storedLength);
  const table = storedLength < length ? inflateSync(stored, { maxOutputLength: length }) : stored;
  if (table.length !== length) throw new Error('A table of the font is damaged');
  return table;
}
