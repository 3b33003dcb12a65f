import { MAX_RECORD_BYTES, UnreadableError, VALUE_BYTES } from './decoded.ts';
import { isoText, numberText, type WorkbookStyles } from './xlsx-numbers.ts';
import type { XmlElement, XmlHandler } from './xml.ts';

/** The columns of a worksheet, as Excel has them. */
const MAX_CELLS = 16_384;
const MAX_ROWS = 1_048_576;

/** A cell that is not empty. */
export interface SheetCell {
  /** The column, from 0. */
  column: number;
  text: string;
  /** Whether the cell holds a text, and no number, date or flag. */
  isText: boolean;
  /** Why the cell cannot be read; then its text is empty. */
  damage?: string;
}

/** A row of a worksheet that has cells which are not empty. */
export interface SheetRow {
  position: number;
  cells: SheetCell[];
  /** Why the row cannot be read; null if it can. */
  problem: string | null;
  sizeBytes: number;
}

export interface SheetContext {
  strings: readonly string[];
  styles: WorkbookStyles;
  is1904: boolean;
  /** Called with the size of each text that a cell takes of the shared ones. */
  onShared(characters: number): void;
}

/** Collects the rows of the part of a worksheet. Empty rows and cells are left out. */
export class SheetRows implements XmlHandler {
  readonly found: SheetRow[] = [];
  readonly #context: SheetContext;
  #isData = false;
  #isRow = false;
  /** The open row, from its first cell that is not empty: a file may have millions of empty rows. */
  #row: SheetRow | undefined;
  #position = 0;
  #column = -1;
  #cell: { type: string; style: number } | undefined;
  #isValue = false;
  #value = '';
  readonly #inline = new RichText();
  #isInline = false;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  /** The number of the last row that was opened; 0 before the first. */
  get position(): number {
    return this.#position;
  }

  open({ name, attributes }: XmlElement): void {
    if (name === 'sheetData') {
      this.#isData = true;
    } else if (!this.#isData) {
      return;
    } else if (name === 'row') {
      this.#position = numberedFrom(attributes.r, this.#position + 1, MAX_ROWS);
      this.#column = -1;
      this.#isRow = true;
    } else if (name === 'c') {
      this.#column = columnOf(attributes.r) ?? this.#column + 1;
      this.#cell = { type: attributes.t ?? 'n', style: Number(attributes.s ?? 0) };
      this.#value = '';
      this.#inline.take();
    } else if (name === 'v') {
      this.#isValue = true;
    } else if (name === 'is') {
      this.#isInline = true;
    } else if (this.#isInline) {
      this.#inline.open(name);
    }
  }

  text(text: string): void {
    if (this.#isValue) {
      if (this.#value.length <= MAX_TEXT) {
        this.#value += text.slice(0, MAX_TEXT + 1 - this.#value.length);
      }
    } else if (this.#isInline) {
      this.#inline.add(text);
    }
  }

  close(name: string): void {
    if (name === 'v') {
      this.#isValue = false;
    } else if (name === 'is') {
      this.#isInline = false;
    } else if (name === 'c') {
      this.#endCell();
    } else if (name === 'row') {
      this.#endRow();
    } else if (name === 'sheetData') {
      this.#isData = false;
    } else if (this.#isInline) {
      this.#inline.close(name);
    }
  }

  #endCell(): void {
    const cell = this.#cell;
    this.#cell = undefined;
    if (cell === undefined || !this.#isRow || this.#row?.problem) {
      return;
    }
    const { text, isText, damage } = this.#read(cell);
    if (damage === undefined && text.trim() === '') {
      return;
    }
    this.#row ??= { position: this.#position, cells: [], problem: null, sizeBytes: 0 };
    const row = this.#row;
    row.sizeBytes += text.length + 3 * VALUE_BYTES;
    if (row.cells.length >= MAX_CELLS) {
      row.problem = `the row has more than ${MAX_CELLS} cells`;
    } else if (row.sizeBytes > MAX_RECORD_BYTES) {
      row.problem = `a row longer than ${MAX_RECORD_BYTES / 1024} KiB`;
    } else {
      const column = this.#column;
      row.cells.push({ column, text, isText, ...(damage !== undefined && { damage }) });
      return;
    }
    row.cells = [];
  }

  #endRow(): void {
    if (this.#row !== undefined) this.found.push(this.#row);
    this.#row = undefined;
    this.#isRow = false;
  }

  #read({ type, style }: { type: string; style: number }): Omit<SheetCell, 'column'> {
    switch (type) {
      case 's':
        return this.#readShared();
      case 'inlineStr':
        return textCell(this.#inline.take() || unescaped(this.#value));
      case 'str':
        return textCell(unescaped(this.#value));
      case 'b':
        return { text: /^(1|true)$/.test(this.#value.trim()) ? 'true' : 'false', isText: false };
      case 'e':
        return { text: '', isText: false };
      case 'd':
        return { text: isoText(this.#value.trim()), isText: false };
      default: {
        const { styles, is1904 } = this.#context;
        const text = numberText(this.#value, styles.formOf(style), is1904);
        return text.length > MAX_TEXT ? textCell(text) : { text, isText: false };
      }
    }
  }

  #readShared(): Omit<SheetCell, 'column'> {
    if (this.#value.trim() === '') {
      return textCell('');
    }
    const text = this.#context.strings[Number(this.#value)];
    if (text === undefined) {
      return { text: '', isText: true, damage: 'names a text that the workbook does not have' };
    }
    this.#context.onShared(text.length);
    return textCell(text);
  }
}

function textCell(text: string): Omit<SheetCell, 'column'> {
  return text.length > MAX_TEXT
    ? { text: '', isText: true, damage: `is longer than ${MAX_TEXT} characters` }
    : { text, isText: true };
}

/** Returns a number of the file if it is one from 1 to `most`, otherwise the other one. */
function numberedFrom(given: string | undefined, otherwise: number, most: number): number {
  const number = given === undefined ? Number.NaN : Number(given);
  return Number.isInteger(number) && number >= 1 && number <= most ? number : otherwise;
}

/** Returns the column of a reference, from 0: `B3` is 1. Returns undefined if there is none. */
function columnOf(reference: string | undefined): number | undefined {
  if (reference === undefined) {
    return undefined;
  }
  let column = 0;
  for (let i = 0; i < reference.length; i++) {
    const letter = reference.charCodeAt(i) | 0x20;
    if (letter < 0x61 || letter > 0x7a) {
      break;
    }
    column = column * 26 + letter - 0x60;
    if (column > MAX_CELLS) {
      return undefined;
    }
  }
  return column === 0 ? undefined : column - 1;
}

/** The approximate memory of all texts: enough for three million titles. */
const MAX_BYTES = 128 * 1024 * 1024;
const OVERHEAD_BYTES = 24;
/** More than Excel (32,767) and Google Sheets (50,000) allow in a cell. */
const MAX_TEXT = 65_536;

/** Collects the texts that the cells of a workbook share. Throws UnreadableError for more than 128 MiB. */
export class SharedStrings implements XmlHandler {
  readonly texts: string[] = [];
  readonly #item = new RichText();
  #bytes = 0;

  open({ name }: XmlElement): void {
    this.#item.open(name);
  }

  text(text: string): void {
    this.#item.add(text);
  }

  close(name: string): void {
    this.#item.close(name);
    if (name !== 'si') return;
    // A copy, because a part of a document would keep the whole in memory.
    const text = Buffer.from(this.#item.take());
    this.#bytes += OVERHEAD_BYTES + text.length;
    if (this.#bytes > MAX_BYTES) {
      const reason = `the workbook has more than ${MAX_BYTES / 1024 / 1024} MiB of texts; save the sheet as CSV`;
      throw new UnreadableError(0, reason);
    }
    this.texts.push(text.toString());
  }
}

/** Collects the text of a string item, without the phonetic runs and not much more than a text may have. */
class RichText {
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

  take(): string {
    const { text } = this;
    this.text = '';
    return unescaped(text);
  }
}

/** `_x000D_` stands for a character that XML cannot contain. */
function unescaped(text: string): string {
  return text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;
}
