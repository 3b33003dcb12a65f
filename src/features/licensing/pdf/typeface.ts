import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import anyAscii from 'any-ascii';
import * as fontkit from 'fontkit';
import { unpackWoff } from './unpack-woff.ts';

const require = createRequire(import.meta.url);

/** The weights of the typeface. */
export type Weight = 400 | 700;

/** A text in one font. */
export interface Run {
  /** The name of the font. */
  font: string;
  text: string;
}

/** A text that can be printed. */
export interface Printable {
  text: string;
  /** Whether it differs from what was given, because the typeface lacks characters. */
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

/** What a text consists of for a reader: a letter with its accents is one. */
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Noto Sans, for Latin, Greek and Cyrillic. Reads each file when it is first needed. */
export class Typeface {
  readonly #files = new Map<string, Buffer>();
  readonly #fonts = new Map<string, fontkit.Font>();

  /** A font that `runs` has named, as a TrueType file. */
  file(font: string): Buffer {
    let file = this.#files.get(font);
    if (file === undefined) {
      file = unpackWoff(readFileSync(require.resolve(`@fontsource/noto-sans/files/${font}.woff`)));
      this.#files.set(font, file);
    }
    return file;
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
      const font = PARTS.map((part) => fontOf(part, weight)).find((one) => this.#has(one, segment));
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
    let font = this.#fonts.get(name);
    if (font === undefined) {
      // A file of this package is one font, not a collection.
      font = fontkit.create(this.file(name)) as fontkit.Font;
      this.#fonts.set(name, font);
    }
    return font;
  }
}

function fontOf(part: (typeof PARTS)[number], weight: Weight): string {
  return `noto-sans-${part}-${weight}-normal`;
}

function onOneLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim();
}
