import type { Run, Typeface, Weight } from './typeface.ts';

export interface TextStyle {
  /** In points. */
  size: number;
  weight?: Weight;
  color?: string;
}

/** Lines of text of one style. */
export interface TextBlock {
  lines: readonly (readonly Run[])[];
  style: Required<TextStyle>;
  /** In points. */
  lineHeight: number;
  height: number;
}

const INK = '#1b2530';
/** The height of a line, as a multiple of the font size. */
const LEADING = 1.36;

/** Sets and draws texts of several fonts. pdfkit has one font at a time, and the typeface has one for each script. */
export class TextSetter {
  readonly #doc: PDFKit.PDFDocument;
  readonly #typeface: Typeface;
  readonly #registered = new Set<string>();

  constructor(doc: PDFKit.PDFDocument, typeface: Typeface) {
    this.#doc = doc;
    this.#typeface = typeface;
  }

  /**
   * Breaks a printable text into lines of at most `width` points, between words, and within a word that is longer than a
   * line.
   */
  block(text: string, width: number, style: TextStyle): TextBlock {
    const { size, weight = 400, color = INK } = style;
    const lines: string[] = [''];
    for (const word of text.split(' ')) {
      const line = lines.at(-1)!;
      const longer = line === '' ? word : `${line} ${word}`;
      if (this.width(longer, style) <= width) {
        lines[lines.length - 1] = longer;
        continue;
      }
      const pieces = this.#broken(word, width, style);
      if (line === '') lines.pop();
      lines.push(...pieces);
    }
    const lineHeight = size * LEADING;
    return {
      lines: lines.map((line) => this.#runs(line, weight)),
      style: { size, weight, color },
      lineHeight,
      height: lines.length * lineHeight,
    };
  }

  draw({ lines, style, lineHeight }: TextBlock, x: number, y: number): number {
    const doc = this.#doc;
    doc.fontSize(style.size).fillColor(style.color);
    for (const [i, runs] of lines.entries()) {
      let left = x;
      for (const { font, text } of runs) {
        this.#select(font);
        doc.text(text, left, y + i * lineHeight, { lineBreak: false });
        left += doc.widthOfString(text);
      }
    }
    return y + lines.length * lineHeight;
  }

  /** Draws a text on one line that ends at `right`. */
  drawRight(text: string, right: number, y: number, style: TextStyle): void {
    const block = this.block(text, Number.POSITIVE_INFINITY, style);
    this.draw(block, right - this.width(text, style), y);
  }

  /** The width of a printable text on one line, in points. */
  width(text: string, { size, weight = 400 }: TextStyle): number {
    this.#doc.fontSize(size);
    return this.#runs(text, weight).reduce((sum, run) => {
      this.#select(run.font);
      return sum + this.#doc.widthOfString(run.text);
    }, 0);
  }

  #broken(word: string, width: number, style: TextStyle): string[] {
    const pieces: string[] = [''];
    for (const character of word) {
      const longer = pieces.at(-1)! + character;
      const isMark = /^\p{M}/u.test(character);
      if (longer === character || isMark || this.width(longer, style) <= width) {
        pieces[pieces.length - 1] = longer;
      } else pieces.push(character);
    }
    return pieces;
  }

  #select(font: string): void {
    if (!this.#registered.has(font)) this.#doc.registerFont(font, this.#typeface.file(font));
    this.#registered.add(font);
    this.#doc.font(font);
  }

  #runs(text: string, weight: Weight): Run[] {
    const runs = this.#typeface.runs(text, weight);
    if (runs === undefined) throw new Error('The text has characters that the typeface lacks');
    return runs;
  }
}
