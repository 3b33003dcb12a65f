import { trimmed, withoutInvisibleEnds } from '../canonical/text.ts';
import type { Input } from './bytes.ts';
import { columnNames, type Row, type RowOptions } from './csv.ts';
import {
  Batch,
  type Decoded,
  decoded,
  UnreadableError,
  undecoded,
  VALUE_BYTES,
} from './decoded.ts';
import type { SheetRow } from './xlsx-rows.ts';
import { type Sheet, Workbook } from './xlsx-workbook.ts';

/** Where the heading and the records of a worksheet are, by the numbers of rows. */
export interface SheetForm {
  headingLine?: number | undefined;
  /** Rows between the heading and this one are passed over. */
  firstRecordLine?: number | undefined;
}

export interface SheetOptions extends RowOptions, SheetForm {
  onRead?: ((bytes: number) => void) | undefined;
}

/** Decodes the rows of the sheet of this name, or of the first visible one that has records. */
export async function* decodeXlsx(
  file: Input,
  name: string | undefined,
  options: SheetOptions = {},
): AsyncGenerator<Decoded[]> {
  await using workbook = await Workbook.open(file);
  for (const sheet of sheetsToRead(workbook, name)) {
    let isEmpty = true;
    for await (const batch of decodeSheet(workbook, sheet, options)) {
      isEmpty = false;
      yield batch;
    }
    if (!isEmpty) {
      return;
    }
  }
}

/** Returns the sheet of this name, or all visible ones. Throws UnreadableError if there is none. */
export function sheetsToRead({ sheets }: Workbook, name: string | undefined): Sheet[] {
  if (name === undefined) {
    const visible = sheets.filter(({ isVisible }) => isVisible);
    if (visible.length === 0) {
      throw new UnreadableError(0, 'the workbook has no visible sheet');
    }
    return visible;
  }
  const key = name.trim().toLowerCase();
  const sheet =
    sheets.find((one) => one.name === name) ??
    sheets.find((one) => one.name.trim().toLowerCase() === key);
  if (sheet === undefined) {
    const names = sheets.slice(0, 10).map((one) => `"${one.name.slice(0, 60)}"`);
    const reason = `the workbook has no sheet "${name.slice(0, 60)}"; its sheets are ${names.join(', ') || 'none'}`;
    throw new UnreadableError(0, reason);
  }
  return [sheet];
}

/** Decodes the records of one sheet. Columns without a name and empty rows are left out. */
export async function* decodeSheet(
  workbook: Workbook,
  sheet: Sheet,
  options: SheetOptions = {},
): AsyncGenerator<Decoded[]> {
  const table = new SheetTable(options);
  try {
    for await (const rows of workbook.rows(sheet, options.onRead)) {
      for (const row of rows) {
        table.take(row);
        if (table.found.isFull) {
          yield* table.found.take();
        }
      }
    }
    table.end();
  } catch (error) {
    // The records before a fault are imported.
    table.end();
    yield* table.found.take();
    throw error;
  }
  yield* table.found.take();
}

/** The heading is among these first rows that are not empty. */
const HEADING_ROWS = 25;
const HEADING_BYTES = 4 * 1024 * 1024;

class SheetTable {
  readonly found = new Batch();
  readonly #options: SheetOptions;
  #first: SheetRow[] = [];
  #firstBytes = 0;
  #columns: (string | undefined)[] | undefined;

  constructor(options: SheetOptions) {
    this.#options = options;
  }

  take(row: SheetRow): void {
    const { headingLine = 0, firstRecordLine = 0 } = this.#options;
    if (row.position < (this.#columns === undefined ? headingLine : firstRecordLine)) {
      return;
    }
    if (this.#columns !== undefined) {
      this.#record(row, this.#columns);
      return;
    }
    this.#first.push(row);
    this.#firstBytes += row.sizeBytes;
    if (headingLine > 0 || this.#first.length >= HEADING_ROWS || this.#firstBytes > HEADING_BYTES) {
      this.#begin();
    }
  }

  end(): void {
    if (this.#columns === undefined && this.#first.length > 0) {
      this.#begin();
    }
  }

  #begin(): void {
    const rows = this.#first;
    this.#first = [];
    const { headingLine } = this.#options;
    const at = headingLine === undefined ? headingOf(rows) : 0;
    if (headingLine !== undefined && rows[0]!.position > headingLine) {
      throw new UnreadableError(headingLine, 'the heading is an empty row');
    }
    this.#columns = columnsOf(rows[at]!, this.#options);
    for (const row of rows.slice(at + 1)) {
      this.#record(row, this.#columns);
    }
  }

  #record(row: SheetRow, columns: readonly (string | undefined)[]): void {
    if (row.problem !== null) {
      this.found.push(undecoded(row.position, row.problem));
      return;
    }
    const record: Row = Object.create(null);
    let damaged: Map<string, string> | null = null;
    let count = 0;
    if (this.#options.keepEmpty === true) {
      for (const column of columns) {
        if (column !== undefined) {
          record[column] = '';
        }
      }
    }
    for (const { column: index, text, damage } of row.cells) {
      const column = columns[index];
      if (column === undefined) {
        continue;
      }
      count++;
      if (damage === undefined) {
        record[column] = withoutInvisibleEnds(text);
      } else {
        damaged ??= new Map();
        damaged.set(column, damage);
      }
    }
    if (count > 0) {
      const sizeBytes = row.sizeBytes + VALUE_BYTES;
      this.found.push(decoded(row.position, record, sizeBytes, damaged));
    }
  }
}

/** Returns the index of the first row with half as many texts as the row with most. Titles have fewer. */
function headingOf(rows: readonly SheetRow[]): number {
  const counts = rows.map(({ cells }) => cells.filter(({ isText }) => isText).length);
  const most = Math.max(...counts);
  return counts.findIndex((count) => count * 2 >= most && count >= Math.min(2, most));
}

function columnsOf({ position, cells }: SheetRow, options: RowOptions): (string | undefined)[] {
  const heading = cells.map(({ text }) => trimmed(text));
  const columns: (string | undefined)[] = [];
  for (const [i, name] of columnNames(heading, cells.length, position, options).entries()) {
    if (heading[i] !== '') columns[cells[i]!.column] = name;
  }
  return columns;
}
