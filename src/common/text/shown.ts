const MARKS = '\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069';
const IN_TEXT = new RegExp(`(?![\\n\\t])[\\p{Cc}${MARKS}]`, 'gu');
const IN_LINE = new RegExp(`[\\p{Cc}${MARKS}]`, 'gu');

/**
 * Replaces control characters, except line breaks and tabs, and direction marks. Names come from suppliers, and an escape
 * sequence must not reach the terminal of the operator.
 */
export function printable(text: string): string {
  return text.replace(IN_TEXT, '\uFFFD');
}

/** Like `printable`, for a text on one line: replaces line breaks and tabs, too. */
export function printableLine(text: string): string {
  return text.replace(IN_LINE, '\uFFFD');
}

const UNITS = ['KB', 'MB', 'GB', 'TB'];

/** Formats a number of bytes for people, with two significant digits at least: `1.2 GB`, `340 MB`. */
export function shownBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let size = bytes / 1_000;
  let unit = 0;
  for (; size >= 999.5 && unit < UNITS.length - 1; unit++) size /= 1_000;
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`;
}

export const REDACTED = '[secret]';

const SECRET_TEXT =
  /stave_(?:test|live)_[0-9A-Za-z]+|(?-i:eyJ)[\w-]{6,}(?:\.[\w-]*){0,2}|signature(?:=|%3D)[\w%-]+|\b(?:Basic|Bearer) +[\w.~+/=-]{8,}/gi;

/** Redacts every secret, token and signature in a text: the last safeguard of logs and messages. */
export function withoutSecretText(text: string): string {
  return text.replace(SECRET_TEXT, REDACTED);
}

/** A number and its noun: `1 track`, `2 tracks`, `0 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function escaped(text: string): string {
  return text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!,
  );
}

/** Stands before CSV for people: without it, Excel reads UTF-8 as another encoding. */
export const CSV_MARK = '\uFEFF';

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

/** Like `csvRow`, for programs: a line that ends with LF alone. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join()}\n`;
}

type CsvCell = string | number | null | undefined;

/** @param columns for each name of a column, a function that returns its cell of a record */
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
