/** The beginnings of cells that spreadsheets take for a formula, or may make one of. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Returns one row of CSV (RFC 4180) with its line end. A cell without a value is empty. A text that a spreadsheet could
 * take for a formula gets an apostrophe before it, as OWASP recommends, because clients and suppliers choose names. Other
 * cells are quoted only if they must be.
 */
export function csvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join()}\r\n`;
}

/** What a cell says. */
type CsvCell = string | number | null | undefined;

/** Returns the heading of a table, and what makes its rows, by the names of its columns and what they say of a record. */
export function csvTable<Row>(columns: Readonly<Record<string, (row: Row) => CsvCell>>) {
  const cellsOf = Object.values(columns);
  return {
    heading: csvRow(Object.keys(columns)),
    row: (row: Row) => csvRow(cellsOf.map((cellOf) => cellOf(row))),
  };
}

function csvCell(value: CsvCell): string {
  if (typeof value === 'string' && FORMULA.test(value)) return quoted(`'${value}`);
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? quoted(text) : text;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
