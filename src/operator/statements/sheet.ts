import { CSV_MARK, csvRow } from '../../common/text/shown.ts';

/** A statement as people read it, whatever its form: text, CSV, PDF or a page. */
export interface Sheet {
  title: string;
  /** What it is about, and of which time. */
  facts: readonly (readonly [name: string, value: string])[];
  tables: readonly SheetTable[];
  /** When it was made, in milliseconds since the epoch. */
  at: number;
}

export interface SheetTable {
  title: string;
  /** `# ` before a name aligns numbers at their ends. */
  columns: readonly string[];
  rows: readonly (readonly (string | number)[])[];
  /** The clients of the rows, if each is about one. */
  clientIds?: readonly string[];
  /** What stands in place of the table if it has no rows. */
  empty: string;
  /** What the table leaves out; '' for nothing. */
  note?: string;
}

export function headingsOf({ columns }: SheetTable): string[] {
  return columns.map((column) => column.replace('# ', ''));
}

/** Formats a moment in UTC, to the second. */
export function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Returns CSV for people: the tables below each other, each with its title. */
export function sheetCsv({ title, facts, tables }: Sheet): string {
  const blocks = [
    [[title], ...facts],
    ...tables.map((table) => [
      [table.title],
      ...(table.rows.length === 0 ? [[table.empty]] : [headingsOf(table), ...table.rows]),
      ...(table.note ? [[table.note]] : []),
    ]),
  ];
  return CSV_MARK + blocks.map((rows) => rows.map(csvRow).join('')).join(csvRow([]));
}
