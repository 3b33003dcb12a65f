import { isatty } from 'node:tty';
import { csvLine, printableLine } from '../../../common/text/shown.ts';
import { shownTime } from './arguments.ts';

/**
 * The columns of a table, by their headings: the member of a row that a cell shows, or what returns the cell. Members whose
 * names are `at` or end in `At` are moments in milliseconds since the epoch. A cell without a value is empty.
 */
export type Columns<Row> = Readonly<
  Record<string, (keyof Row & string) | ((row: Row) => string | number | null)>
>;

/** Returns `empty` if there are no rows. */
export function listOf<Row>(rows: readonly Row[], empty: string, columns: Columns<Row>): string {
  const text = table(Object.keys(columns), cellsOf(rows, columns));
  return rows.length === 0 ? empty : text;
}

/** The tables that the text of `csvOf` contains. */
let collected: string[] | undefined;

/**
 * Returns the tables of a text as CSV for programs, without the rest of the text. An empty line stands between tables,
 * and a table without rows is its heading.
 */
export function csvOf(text: () => string): string {
  collected = [];
  try {
    text();
    return collected.join('\n');
  } finally {
    collected = undefined;
  }
}

/** Whether the text is made for its tables only, which become CSV: nothing is left out of them. */
export function isCsv(): boolean {
  return collected !== undefined;
}

/** Returns the first rows for people, and all for CSV. */
export function firstOf<Row>(rows: readonly Row[], most: number): readonly Row[] {
  return isCsv() ? rows : rows.slice(0, most);
}

function cellsOf<Row>(rows: readonly Row[], columns: Columns<Row>): string[][] {
  return rows.map((row) =>
    Object.values(columns).map((column) => {
      const value = typeof column === 'function' ? column(row) : row[column];
      const isTime = typeof column === 'string' && /^at$|At$/.test(column);
      return isTime && typeof value === 'number' ? shownTime(value) : String(value ?? '');
    }),
  );
}

/**
 * Formats rows under a heading. Pads all columns except the last to the widest cell, with two
 * spaces between them. Makes the cells safe for a terminal.
 */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows.map((row) => row.map(printableLine))];
  collected?.push(lines.map(csvLine).join(''));
  const widths = heading.map((_, column) =>
    Math.max(...lines.map((line) => width(line[column] ?? ''))),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column === line.length - 1 ? cell : cell + ' '.repeat(widths[column]! - width(cell)),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats one `name  value` line per fact, with names padded to the widest. Omits facts without a value. */
export function facts(pairs: readonly (readonly [name: string, value: string])[]): string {
  const shown = pairs.filter(([, value]) => value !== '');
  const widest = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(widest)}  ${printableLine(value)}`).join('\n');
}

/** Returns the number of terminal columns: marks take none, East Asian characters and emoji two. */
export function width(text: string): number {
  let columns = 0;
  for (const character of text) {
    if (/\p{M}|\p{Cf}/u.test(character)) continue;
    columns += WIDE.test(character) ? 2 : 1;
  }
  return columns;
}

const WIDE =
  /[\u1100-\u115f\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}/u;

/** The width of the narrowest terminal that a table fits. */
const TERMINAL = 80;
/** No cell is shortened to fewer columns than this. */
const LEAST = 8;

/**
 * Formats rows as `table`, and shortens cells of some columns so that lines fit a terminal: the widest column first.
 * Other columns stay whole, because people copy from them.
 * @param shortened the headings of the columns that may be shortened
 * @param isTerminal nothing is shortened in a pipe or a file
 */
export function fittedTable<Row>(
  rows: readonly Row[],
  shortened: readonly string[],
  columns: Columns<Row>,
  isTerminal: boolean = isatty(1),
): string {
  const heading = Object.keys(columns);
  const cells = cellsOf(rows, columns).map((row) => row.map(printableLine));
  if (!isTerminal || isCsv()) return table(heading, cells);
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
  return `${start}…`;
}
