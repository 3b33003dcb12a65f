const QUOTE = 0x22;
export const LF = 0x0a;
export const CR = 0x0d;

/** The position of a cell in the bytes, without its quotes. */
export interface Cell {
  start: number;
  end: number;
  /** Whether two quotes in the cell stand for one. */
  isQuoted: boolean;
  /** Whether the cell contains a line break. */
  isMultiLine: boolean;
}

/** One row of a CSV file, or the reason why it is invalid. */
export type ScannedRow =
  | { kind: 'row'; cells: Cell[]; cellCount: number; end: number }
  /** The row needs more bytes than there are. */
  | { kind: 'more' }
  /** The row has an unbalanced quote; `end` is where the scan stopped. */
  | { kind: 'broken'; problem: string; end: number };

/** A row that is complete. */
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

/** Returns the position of the next quote that is not doubled; -1 if there is none. */
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

/** Returns how many lines a row has; it begins at `from`. */
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
