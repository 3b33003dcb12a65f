import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import anyAscii from 'any-ascii';
import * as fontkit from 'fontkit';
import { keptIn } from '../../../common/memory/caches.ts';

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

/** The files that Noto Sans is divided into, those of frequent characters first. */
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
      readFileSync(join(import.meta.dirname, 'fonts', `${font}.ttf`)),
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
      const fonts = PARTS.map((part) => `noto-sans-${part}-${weight}`);
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
      // Each file is one font, not a collection.
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
