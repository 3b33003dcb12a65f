import PDFDocument from 'pdfkit';
import { type TextBlock, TextSetter, type TextStyle } from './text-block.ts';
import type { Typeface } from './typeface.ts';

/** A page of A4, in points. */
export const PAGE_WIDTH = 595.28;
const PAGE_HEIGHT = 841.89;
export const MARGIN = 56;
export const WIDTH = PAGE_WIDTH - 2 * MARGIN;
/** The end of the contents of a page, above its foot. */
const BOTTOM = PAGE_HEIGHT - 76;

export const GRAY = '#5b6874';
const RULE = '#d5dbe1';
export const ACCENT = '#14505c';
export const HEAD: TextStyle = { size: 7.5, weight: 700, color: GRAY };

/**
 * Makes a PDF. The bytes depend on what is drawn alone, so that every node makes the same ones: nothing is compressed,
 * because that depends on the processor.
 *
 * @param about.at the date of the PDF
 */
export async function pdfOf(
  { at, ...about }: { title: string; author: string; subject: string; at: Date },
  draw: (doc: PDFKit.PDFDocument) => void,
): Promise<Buffer> {
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    compress: false,
    lang: 'en',
    displayTitle: true,
    font: null as unknown as string,
    info: {
      Title: about.title,
      Author: about.author,
      Subject: about.subject,
      Creator: 'Stave',
      Producer: 'Stave',
      CreationDate: at,
      ModDate: at,
    },
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    doc.on('end', resolve).on('error', reject);
  });
  draw(doc);
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

interface Column {
  x: number;
  blocks: readonly TextBlock[];
}

/** Draws from the top of the first page to the end of the last one. */
export class Pages {
  protected readonly doc: PDFKit.PDFDocument;
  protected readonly setter: TextSetter;
  protected y = MARGIN;

  constructor(doc: PDFKit.PDFDocument, typeface: Typeface) {
    this.doc = doc;
    this.setter = new TextSetter(doc, typeface);
  }

  /** Draws the feet, which contain the number of pages, and end the document. */
  protected drawFeet(text: string): void {
    const { start, count } = this.doc.bufferedPageRange();
    const style: TextStyle = { size: 8, color: GRAY };
    const y = PAGE_HEIGHT - 48;
    for (let i = start; i < start + count; i++) {
      this.doc.switchToPage(i);
      this.doc
        .lineWidth(0.5)
        .moveTo(MARGIN, y - 8)
        .lineTo(PAGE_WIDTH - MARGIN, y - 8)
        .stroke(RULE);
      const left = this.setter.block(text, WIDTH - 80, style);
      this.setter.draw({ ...left, lines: left.lines.slice(0, 1) }, MARGIN, y);
      this.setter.drawRight(`Page ${i - start + 1} of ${count}`, PAGE_WIDTH - MARGIN, y, style);
    }
  }

  /** Draws a text over the whole width, and moves below it. */
  protected put(text: string, style: TextStyle): void {
    this.y = this.setter.draw(this.setter.block(text, WIDTH, style), MARGIN, this.y);
  }

  /** Draws a row of a table, and the heading of the table again if the row begins a page. */
  protected drawRow(columns: readonly Column[], drawHead: () => void): void {
    const height = Math.max(...columns.map(({ blocks }) => heightOf(blocks)));
    if (this.makeRoom(height + 12)) drawHead();
    this.y += 5;
    this.drawColumns(columns);
    this.y += 5;
    this.rule();
  }

  /** Draws columns beside each other, and moves below them. What does not fit on the page continues on the next one. */
  protected drawColumns(columns: readonly Column[]): void {
    let rest = columns.map(({ x, blocks }) => ({ x, lines: blocks.flatMap(linesOf) }));
    for (;;) {
      const top = this.y;
      rest = rest.map(({ x, lines }) => {
        let y = top;
        let drawn = 0;
        for (; drawn < lines.length && y + lines[drawn]!.height <= BOTTOM; drawn++) {
          y = this.setter.draw(lines[drawn]!, x, y);
        }
        this.y = Math.max(this.y, y);
        return { x, lines: lines.slice(drawn) };
      });
      if (rest.every(({ lines }) => lines.length === 0)) return;
      this.doc.addPage();
      this.y = MARGIN;
    }
  }

  protected rule(): void {
    this.doc
      .lineWidth(0.5)
      .moveTo(MARGIN, this.y)
      .lineTo(PAGE_WIDTH - MARGIN, this.y)
      .stroke(RULE);
  }

  /** Adds a page if the rest of this one is too short, and a whole one is not. Returns whether it did. */
  protected makeRoom(height: number): boolean {
    if (this.y + height <= BOTTOM || height > BOTTOM - MARGIN) return false;
    this.doc.addPage();
    this.y = MARGIN;
    return true;
  }
}

function linesOf(block: TextBlock): TextBlock[] {
  return block.lines.map((line) => ({ ...block, lines: [line], height: block.lineHeight }));
}

export function heightOf(blocks: readonly TextBlock[]): number {
  return blocks.reduce((sum, { height }) => sum + height, 0);
}
