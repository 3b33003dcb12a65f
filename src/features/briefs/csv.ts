/** A row of a CSV file, and the number of its first line, from 1. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/**
 * Reads CSV with commas, semicolons or tabs, whichever the first line has first. Cells are trimmed, and rows without a
 * text are left out. Returns the line of a quote that nothing closes, or that a text follows, instead, if there is one.
 */
export function readCsv(text: string): CsvRow[] | { unclosedAt: number } {
  const delimiter = /[,;\t]/.exec(text)?.[0] ?? ',';
  const rows: CsvRow[] = [];
  let row: CsvRow = { line: 1, cells: [] };
  let line = 1;
  // A cell in quotes, with its end; or a cell without.
  const end = `(${delimiter}|\\r?\\n|$)`;
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|(?!")([^${delimiter}\\r\\n]*))${end}`, 'y');
  const content = text.replace(/^\uFEFF/, '');
  while (cell.lastIndex < content.length) {
    const [whole, quoted, plain = '', last] = cell.exec(content) ?? [];
    if (whole === undefined) return { unclosedAt: line };
    row.cells.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    line += whole.split('\n').length - 1;
    if (last !== delimiter) {
      rows.push(row);
      row = { line, cells: [] };
    }
  }
  if (row.cells.length > 0) rows.push(row);
  return rows.filter(({ cells }) => cells.some((text) => text !== ''));
}
