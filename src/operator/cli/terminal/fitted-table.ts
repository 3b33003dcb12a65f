import { printableLine } from '../../../common/text/printable.ts';
import { table, width } from './table.ts';

/** The columns of a terminal that every table fits into. */
const TERMINAL = 80;
/** No cell is shortened to fewer columns than this. */
const LEAST = 8;
/** What stands for the end of a shortened cell. */
const MORE = '…';

/**
 * Formats rows as `table`, and shortens cells of some columns so that lines fit a terminal: the widest column first.
 * Other columns stay whole, because people copy from them.
 * @param shortened the headings of the columns that may be shortened
 */
export function fittedTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  shortened: readonly string[],
): string {
  const cells = rows.map((row) => row.map(printableLine));
  const widths = heading.map((name, column) =>
    Math.max(width(name), ...cells.map((row) => width(row[column] ?? ''))),
  );
  const gaps = 2 * (heading.length - 1);
  for (;;) {
    const excess = gaps + widths.reduce((sum, one) => sum + one, 0) - TERMINAL;
    const [widest] = heading
      .map((name, column) => ({ name, column, columns: widths[column]! }))
      .filter(({ name, columns }) => shortened.includes(name) && columns > LEAST)
      .sort((a, b) => b.columns - a.columns);
    if (excess <= 0 || widest === undefined) break;
    widths[widest.column]!--;
  }
  return table(
    heading,
    cells.map((row) => row.map((cell, column) => shortenedTo(widths[column]!, cell))),
  );
}

function shortenedTo(columns: number, cell: string): string {
  if (width(cell) <= columns) return cell;
  let start = '';
  for (const character of cell) {
    if (width(start + character) > columns - 1) break;
    start += character;
  }
  return start + MORE;
}
