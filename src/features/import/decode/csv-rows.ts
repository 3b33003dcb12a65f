import { foldedName } from '../canonical/text.ts';
import { textDecoding } from './bytes.ts';

const QUOTE = 0x22;
export const LF = 0x0a;
export const CR = 0x0d;

/** The position of a cell in the bytes, without its quotes. */
export interface Cell {
  start: number;
  end: number;
  /** Whether two quotes in the cell stand for one. */
  isQuoted: boolean;
  isMultiLine: boolean;
}

export type ScannedRow =
  | { kind: 'row'; cells: Cell[]; cellCount: number; end: number }
  /** The row needs more bytes than there are. */
  | { kind: 'more' }
  /** The row has an unbalanced quote; `end` is where the scan stopped. */
  | { kind: 'broken'; problem: string; end: number };

export type WholeRow = Extract<ScannedRow, { kind: 'row' }>;

/** Cells beyond this number are counted, but not kept. */
export const MAX_COLUMNS = 1000;

/**
 * Scans the row that begins at `from`, in one pass over its bytes. A cell that opens with a quote
 * ends at the next single quote that the separator or the end of the line follows. If other text
 * follows, the quotes belong to the text (`"Heroes" (live)`), unless there is a line break between
 * them: then the row is broken. `isLast` means that no more bytes follow.
 */
export function scanRow(
  bytes: Buffer,
  from: number,
  separator: number,
  isLast: boolean,
): ScannedRow {
  const cells: Cell[] = [];
  let cellCount = 0;
  let start = from;
  for (;;) {
    let at = start;
    let quoted: Cell | undefined;
    if (bytes[start] === QUOTE) {
      const close = closingQuote(bytes, start + 1);
      if (close < 0 || (close + 1 === bytes.length && !isLast)) {
        return isLast
          ? { kind: 'broken', problem: 'a quote that nothing closes', end: bytes.length }
          : { kind: 'more' };
      }
      const next = bytes[close + 1];
      if (next === CR && close + 2 === bytes.length && !isLast) {
        return { kind: 'more' };
      }
      const isMultiLine = hasLineEnd(bytes, start + 1, close);
      const isClosed =
        next === separator ||
        next === LF ||
        next === undefined ||
        (next === CR && (bytes[close + 2] ?? LF) === LF);
      if (isClosed) {
        quoted = { start: start + 1, end: close, isQuoted: true, isMultiLine };
      } else if (isMultiLine) {
        const problem = 'a quote that is closed on another line, with text after it';
        return { kind: 'broken', problem, end: close };
      }
      at = close + 1;
    }
    while (at < bytes.length && bytes[at] !== separator && bytes[at] !== LF) {
      at++;
    }
    if (at === bytes.length && !isLast) {
      return { kind: 'more' };
    }
    const isEnd = bytes[at] !== separator;
    cellCount++;
    if (cellCount <= MAX_COLUMNS) {
      const end = isEnd && at > start && bytes[at - 1] === CR ? at - 1 : at;
      cells.push(quoted ?? { start, end, isQuoted: false, isMultiLine: false });
    }
    if (isEnd) {
      return { kind: 'row', cells, cellCount, end: Math.min(at + 1, bytes.length) };
    }
    start = at + 1;
  }
}

function closingQuote(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(QUOTE, from);
  while (at >= 0 && bytes[at + 1] === QUOTE) {
    at = bytes.indexOf(QUOTE, at + 2);
  }
  return at;
}

function hasLineEnd(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (bytes[at] === LF) {
      return true;
    }
  }
  return false;
}

const SPACE = 0x20;
const TAB = 0x09;

/** Whether a row has nothing but separators, quotes and spaces, as spreadsheets write empty rows. */
export function isEmptyRow(bytes: Buffer, { cells, cellCount }: WholeRow): boolean {
  if (cellCount > cells.length) {
    return false;
  }
  return cells.every(({ start, end }) => {
    for (let at = start; at < end; at++) {
      if (bytes[at] !== SPACE && bytes[at] !== TAB) {
        return false;
      }
    }
    return true;
  });
}

export function linesOf(bytes: Buffer, from: number, { end }: WholeRow): number {
  let lines = bytes[end - 1] === LF ? 0 : 1;
  for (let at = from; at < end; at++) {
    lines += bytes[at] === LF ? 1 : 0;
  }
  return lines;
}

/**
 * Whether each line of a row of several lines has the number of cells of the row. Then a quote that
 * opened in one line was closed in another (`1,"Heroes,music` … `9,7",music`), and the lines
 * between are rows.
 */
export function isRowsByLine(
  bytes: Buffer,
  { cells, cellCount }: WholeRow,
  separator: number,
): boolean {
  return cells.some((cell, index) => {
    if (!cell.isMultiLine) {
      return false;
    }
    let separators = index;
    for (let at = cell.start; at < cell.end; at++) {
      if (bytes[at] === separator) {
        separators++;
      } else if (bytes[at] === LF) {
        if (separators !== cellCount - 1) {
          return false;
        }
        separators = 0;
      }
    }
    return separators === index;
  });
}

export interface CsvForm {
  delimiter: string;
  /** The line of the heading, from 1. The lines above it are passed over. */
  headingLine: number;
  hasTitles: boolean;
  /** Whether CR alone ends the rows. */
  endsWithCr: boolean;
  firstRecordLine?: number | undefined;
  lastColumnIsList?: boolean | undefined;
}

export interface CsvHints {
  delimiter?: string | undefined;
  headingLine?: number | undefined;
  encoding?: string | undefined;
  columns?: ReadonlySet<string> | undefined;
}

const MAX_LINES = 60;
const DELIMITERS = [',', ';', '\t'];

/**
 * Recognizes the form of a CSV file by its first bytes. The heading is the line with most of the
 * known columns, at least two. Otherwise it is the first line that has a table's number of cells and
 * a name in most of them: a line with one filled cell is a title.
 */
export function recognizeCsv(head: Buffer, hints: CsvHints = {}): CsvForm {
  const endsWithCr = !head.includes(LF) && head.includes(CR);
  const bytes = endsWithCr ? withLineFeeds(head) : head;
  const lines = linesIn(bytes);
  const named = SEPARATOR_LINE.exec(textOf(bytes, lines[0]!))?.[1];
  const first = named === undefined ? 0 : 1;
  const stated = hints.delimiter ?? named;
  const tables = (stated === undefined ? byUse(bytes, lines) : [stated]).map((delimiter) =>
    tableOf(bytes, lines.slice(first), delimiter, hints.encoding),
  );
  if (hints.headingLine !== undefined) {
    const { headingLine } = hints;
    const at = headingLine - 1 - first;
    const widest = (one: Table, other: Table) =>
      (other.rows[at]?.length ?? 0) > (one.rows[at]?.length ?? 0) ? other : one;
    const { delimiter } = tables.reduce(widest);
    return { delimiter, headingLine, hasTitles: false, endsWithCr };
  }
  const names = new Set([...(hints.columns ?? [])].map(foldedName).filter((name) => name !== ''));
  const known = tables
    .map((table) => mostKnown(table, names))
    .reduce((best, next) => (next.count > best.count ? next : best));
  const { table, at } = known.count >= 2 ? known : { table: tables[0]!, at: firstFull(tables[0]!) };
  const hasTitles = table.rows.slice(0, at).some((row) => row.some((cell) => cell !== ''));
  return { delimiter: table.delimiter, headingLine: at + 1 + first, hasTitles, endsWithCr };
}

export function withLineFeeds(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(CR); at >= 0; at = copy.indexOf(CR, at + 1)) {
    copy[at] = LF;
  }
  return copy;
}

/** The first line that spreadsheets write to name the delimiter. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n\u0080-\uffff])"?\s*$/i;

type Line = readonly [from: number, to: number];

function linesIn(bytes: Buffer): Line[] {
  const lines: Line[] = [];
  let from = 0;
  do {
    const end = bytes.indexOf(LF, from);
    lines.push([from, end < 0 ? bytes.length : end]);
    from = end + 1;
  } while (from > 0 && lines.length < MAX_LINES);
  return lines;
}

function textOf(bytes: Buffer, [from, to]: Line): string {
  return bytes.toString('latin1', from, to);
}

/** Returns the delimiters, first the one that most lines have, then the one that the first line repeats. */
function byUse(bytes: Buffer, lines: readonly Line[]): string[] {
  const texts = lines.map((line) => textOf(bytes, line).replace(/"[^"]*"/g, ''));
  const first = texts.find((text) => text.trim() !== '') ?? '';
  const spread = (sign: string) => texts.filter((text) => text.includes(sign)).length;
  const count = (sign: string) => first.split(sign).length;
  return DELIMITERS.toSorted(
    (one, other) => spread(other) - spread(one) || count(other) - count(one),
  );
}

interface Table {
  delimiter: string;
  /** The trimmed cells of each line, as if a row began there. */
  rows: string[][];
}

function tableOf(
  bytes: Buffer,
  lines: readonly Line[],
  delimiter: string,
  encoding: string | undefined,
): Table {
  const decodeText = textDecoding(encoding ?? 'latin1');
  const rows = lines.map(([from, to]) => {
    if (from >= to) {
      return [];
    }
    const row = scanRow(bytes, from, delimiter.charCodeAt(0), true);
    return row.kind === 'row' && row.cellCount <= MAX_COLUMNS
      ? row.cells.map(({ start, end }) => (decodeText(bytes.subarray(start, end)) ?? '').trim())
      : [];
  });
  return { delimiter, rows };
}

function mostKnown(table: Table, columns: ReadonlySet<string>) {
  let at = 0;
  let count = 0;
  for (const [i, row] of table.rows.entries()) {
    const known = new Set(row.map(foldedName).filter((name) => columns.has(name))).size;
    if (known > count) {
      at = i;
      count = known;
    }
  }
  return { table, at, count };
}

/** Returns the first row that looks like a heading; the first line that is not blank if none does. */
function firstFull({ rows }: Table): number {
  const widths = rows.map((row) => row.length).filter((width) => width > 0);
  const width = mostFrequent(widths);
  const isFull = (row: readonly string[]) =>
    row.length >= width - 1 && row.filter((cell) => cell !== '').length * 2 > width;
  const at = width < 2 ? -1 : rows.findIndex(isFull);
  return Math.max(0, at >= 0 ? at : rows.findIndex((row) => row.some((cell) => cell !== '')));
}

/** Returns the number that occurs most often, the largest of several; 0 of none. */
function mostFrequent(numbers: readonly number[]): number {
  const groups = [...Map.groupBy(numbers, (number) => number)];
  const [most] = groups.toSorted(([a, some], [b, more]) => more.length - some.length || b - a);
  return most?.[0] ?? 0;
}
