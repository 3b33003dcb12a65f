import {
  ACCENT,
  GRAY,
  HEAD,
  MARGIN,
  PAGE_WIDTH,
  Pages,
  pdfOf,
  WIDTH,
} from '../../features/licensing/pdf/pages.ts';
import type { TextStyle } from '../../features/licensing/pdf/text-block.ts';
import { Typeface } from '../../features/licensing/pdf/typeface.ts';
import { headingsOf, type Sheet, type SheetTable } from './sheet.ts';

const GAP = 12;
const CELL: TextStyle = { size: 8.5 };

export function sheetPdf(sheet: Sheet): Promise<Buffer> {
  const typeface = new Typeface();
  const about = {
    title: sheet.title,
    author: 'Stave',
    subject: 'Statement',
    at: new Date(sheet.at),
  };
  return pdfOf(about, (doc) => {
    new SheetPages(doc, typeface).draw(sheet);
  });
}

class SheetPages extends Pages {
  readonly #typeface: Typeface;

  constructor(doc: PDFKit.PDFDocument, typeface: Typeface) {
    super(doc, typeface);
    this.#typeface = typeface;
  }

  draw({ title, facts, tables }: Sheet): void {
    this.doc.rect(0, 0, PAGE_WIDTH, 10).fill(ACCENT);
    this.#text(title, { size: 21, weight: 700, color: ACCENT });
    this.y += 6;
    for (const [name, value] of facts) this.#text(`${name}: ${value}`, { size: 9, color: GRAY });
    for (const table of tables) this.#drawTable(table);
    this.drawFeet(this.#printable(title));
  }

  #drawTable(table: SheetTable): void {
    this.y += 18;
    this.makeRoom(80);
    this.#text(table.title, { size: 12.5, weight: 700, color: ACCENT });
    this.y += 4;
    if (table.rows.length === 0) this.#text(table.empty, { size: 9, color: GRAY });
    else this.#drawRows(table);
    if (table.note) this.#text(table.note, { size: 9, color: GRAY });
  }

  #drawRows(table: SheetTable): void {
    const rows = table.rows.map((row) => row.map((cell) => this.#printable(cell)));
    const headings = headingsOf(table);
    const widths = headings.map((heading, i) => {
      const cells = rows.map((row) => this.setter.width(row[i]!, CELL));
      return GAP + Math.ceil(Math.max(this.setter.width(heading, HEAD), ...cells));
    });
    for (let excess = widths.reduce((sum, width) => sum + width) - WIDTH; excess > 0; excess--) {
      widths[widths.indexOf(Math.max(...widths))]!--;
    }
    let left = MARGIN;
    const columns = widths.map((width, i) => {
      const x = left;
      left += width;
      return { x, width: width - GAP, isNumber: table.columns[i]!.startsWith('# ') };
    });
    const cellsOf = (row: readonly string[], style: TextStyle) =>
      columns.map(({ x, width, isNumber }, i) => {
        const free = isNumber ? width - this.setter.width(row[i]!, style) : 0;
        return { x: x + Math.max(0, free), blocks: [this.setter.block(row[i]!, width, style)] };
      });
    const drawHead = () => {
      this.drawColumns(cellsOf(headings, HEAD));
      this.y += 4;
      this.rule();
    };
    drawHead();
    for (const row of rows) this.drawRow(cellsOf(row, CELL), drawHead);
  }

  #text(text: string, style: TextStyle): void {
    this.put(this.#printable(text), style);
  }

  #printable(cell: string | number): string {
    const text = typeof cell === 'number' ? cell.toLocaleString('en') : cell;
    return this.#typeface.printable(text).text;
  }
}
