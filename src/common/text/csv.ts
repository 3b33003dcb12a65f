/** The beginnings of cells that spreadsheets take for a formula, or may make one of. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Returns one row of CSV (RFC 4180) with its line end. A cell without a value is empty. A text that a spreadsheet could
 * take for a formula gets an apostrophe before it, as OWASP recommends, because clients and suppliers choose names. Other
 * cells are quoted only if they must be.
 */
export function csvRow(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map(csvCell).join()}\r\n`;
}

function csvCell(value: string | number | null | undefined): string {
  if (typeof value === 'string' && FORMULA.test(value)) return quoted(`'${value}`);
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? quoted(text) : text;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
