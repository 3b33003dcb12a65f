import { isAscii } from 'node:buffer';
import { type Cell, CR, LF, MAX_COLUMNS, type ScannedRow, scanRow } from './csv-rows.ts';
import {
  Batch,
  type Decoded,
  decoded,
  MAX_RECORD_BYTES,
  MAX_SKIPPED_BYTES,
  UnreadableError,
  undecoded,
  VALUE_BYTES,
} from './decoded.ts';
import { invalidByte, type TextDecoding } from './text-decoding.ts';

/**
 * A row by column name; every cell is text. The object has no prototype, so that no column name is
 * special. A row may lack its empty cells.
 */
export type Row = Record<string, string>;

/**
 * How many bytes may be scanned twice because of unclosed quotes, before the rest of the file is
 * not read.
 */
const MAX_RESCANNED_BYTES = 64 * 1024 * 1024;

/**
 * Decodes the records of a CSV file with a heading. Splits cells as bytes and decodes each
 * separately, so that one invalid byte damages one cell. Rejects rows that have another number of
 * cells than the heading, and skips blank lines. If a faulty quote joins a row with the rows after
 * it, rejects its first line and continues at the second. Rows have their empty cells only with
 * `keepEmpty`: each takes 50 bytes.
 */
export async function* decodeCsv(
  chunks: AsyncIterable<Buffer>,
  decodeText: TextDecoding,
  delimiter: string,
  keepEmpty = false,
): AsyncGenerator<Decoded[]> {
  const reader = new CsvReader(decodeText, delimiter, keepEmpty);
  try {
    for await (const chunk of chunks) {
      yield* reader.read(chunk, false);
    }
    yield* reader.read(Buffer.alloc(0), true);
  } catch (error) {
    // The records before a fault are imported.
    yield* reader.found.take();
    throw error;
  }
  yield* reader.found.take();
}

class CsvReader {
  readonly found = new Batch();
  readonly #decodeText: TextDecoding;
  readonly #separator: number;
  readonly #keepEmpty: boolean;
  #columns: string[] | undefined;
  /** Bytes of a row whose end has not arrived. */
  #pending: Buffer = Buffer.alloc(0);
  /** The line of the next row, from 1. */
  #line = 1;
  /** Whether the rest of a line is skipped, and how many bytes of it were. */
  #isSkipping = false;
  #skippedBytes = 0;
  #rescannedBytes = 0;

  constructor(decodeText: TextDecoding, delimiter: string, keepEmpty: boolean) {
    this.#decodeText = decodeText;
    this.#separator = delimiter.charCodeAt(0);
    this.#keepEmpty = keepEmpty;
  }

  *read(chunk: Buffer, isLast: boolean): Generator<Decoded[]> {
    const bytes = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    let at = 0;
    for (;;) {
      const next = this.#step(bytes, at, isLast);
      if (next === at) {
        break;
      }
      at = next;
      if (this.found.isFull) {
        yield* this.found.take();
      }
    }
    // Copies the bytes, because the memory of the chunk may be reused.
    this.#pending = Buffer.from(bytes.subarray(at));
  }

  /** Reads one row, or skips one line. Returns where it ends, or `at` if more bytes are needed. */
  #step(bytes: Buffer, at: number, isLast: boolean): number {
    if (at === bytes.length) {
      return at;
    }
    if (this.#isSkipping) {
      return this.#skip(bytes, at);
    }
    if (bytes[at] === LF) {
      this.#line++;
      return at + 1;
    }
    if (bytes[at] === CR && bytes[at + 1] === LF) {
      this.#line++;
      return at + 2;
    }
    const row = bounded(scanRow(bytes, at, this.#separator, isLast), at, bytes.length);
    switch (row.kind) {
      case 'more':
        return at;
      case 'broken':
        return this.#reject(bytes, at, row);
      case 'row':
        return this.#columns === undefined
          ? this.#takeHeading(bytes, at, row)
          : this.#takeRow(bytes, at, row, this.#columns);
    }
  }

  #takeHeading(bytes: Buffer, at: number, row: WholeRow): number {
    if (row.cellCount > MAX_COLUMNS) {
      const reason = `the heading has ${row.cellCount} columns; ${MAX_COLUMNS} are read at most`;
      throw new UnreadableError(this.#line, reason);
    }
    const columns = row.cells.map((cell) => (this.#textOf(bytes, cell, false) ?? '').trim());
    const known = new Set<string>();
    for (const column of columns) {
      if (column !== '' && known.has(column)) {
        throw new UnreadableError(this.#line, `the heading names the column "${column}" twice`);
      }
      known.add(column);
    }
    this.#columns = columns;
    this.#line += linesOf(bytes, at, row);
    return row.end;
  }

  #takeRow(bytes: Buffer, at: number, row: WholeRow, columns: readonly string[]): number {
    const { end } = row;
    const isMultiLine = row.cells.some((cell) => cell.isMultiLine);
    if (row.cellCount !== columns.length) {
      const problem = `the row has ${row.cellCount} cells where the heading has ${columns.length}`;
      if (isMultiLine) {
        return this.#reject(bytes, at, {
          problem: `${problem}, perhaps for a quote that nothing closes`,
          end,
        });
      }
      this.found.push(undecoded(this.#line, problem));
    } else if (isMultiLine && isRowsByLine(bytes, row, this.#separator)) {
      return this.#reject(bytes, at, {
        problem: 'a quote that another row closes: each of its lines is a row by itself',
        end,
      });
    } else {
      this.found.push(this.#recordOf(bytes, at, row, columns));
    }
    this.#line += isMultiLine ? linesOf(bytes, at, row) : 1;
    return end;
  }

  #recordOf(bytes: Buffer, at: number, row: WholeRow, columns: readonly string[]): Decoded {
    const isPlain = isAscii(bytes.subarray(at, row.end));
    const record: Row = Object.create(null);
    let damaged: Map<string, string> | null = null;
    for (let i = 0; i < row.cells.length; i++) {
      const cell = row.cells[i]!;
      const text = this.#textOf(bytes, cell, isPlain);
      if (text === undefined) {
        damaged ??= new Map();
        const plain = unquoted(bytes.toString('latin1', cell.start, cell.end), cell);
        const where = invalidByte(Buffer.from(plain, 'latin1'));
        damaged.set(columns[i]!, `is not valid UTF-8 (${where})`);
      } else if (text !== '' || this.#keepEmpty) {
        record[columns[i]!] = text;
      }
    }
    const sizeBytes = row.end - at + row.cellCount * 3 * VALUE_BYTES;
    return decoded(this.#line, record, sizeBytes, damaged);
  }

  /**
   * Returns undefined if the cell is not valid in any encoding of the file. `isPlain` means that
   * the row is ASCII.
   */
  #textOf(bytes: Buffer, cell: Cell, isPlain: boolean): string | undefined {
    const { start, end } = cell;
    if (start === end) {
      return '';
    }
    const text = isPlain
      ? bytes.toString('latin1', start, end)
      : this.#decodeText(bytes.subarray(start, end));
    return text === undefined ? undefined : unquoted(text, cell);
  }

  /** Rejects the row that begins here, and continues at its second line. */
  #reject(bytes: Buffer, at: number, row: { problem: string; end: number }): number {
    if (this.#columns === undefined) {
      throw new UnreadableError(this.#line, `the heading has ${row.problem}`);
    }
    this.found.push(undecoded(this.#line, row.problem));
    this.#isSkipping = true;
    const next = this.#skip(bytes, at);
    this.#rescannedBytes += Math.max(0, row.end - next);
    if (this.#rescannedBytes > MAX_RESCANNED_BYTES) {
      const reason = 'too many rows with a quote that nothing closes; the rest was not read';
      throw new UnreadableError(this.#line, reason);
    }
    return next;
  }

  #skip(bytes: Buffer, at: number): number {
    const lineEnd = bytes.indexOf(LF, at);
    if (lineEnd >= 0) {
      this.#isSkipping = false;
      this.#skippedBytes = 0;
      this.#line++;
      return lineEnd + 1;
    }
    this.#skippedBytes += bytes.length - at;
    if (this.#skippedBytes > MAX_SKIPPED_BYTES) {
      const reason = `a line of more than ${MAX_SKIPPED_BYTES / 1024 / 1024} MiB; the rest was not read`;
      throw new UnreadableError(this.#line, reason);
    }
    return bytes.length;
  }
}

type WholeRow = Extract<ScannedRow, { kind: 'row' }>;

/** Returns the scanned row; broken if it is longer than a record may be. */
function bounded(row: ScannedRow, from: number, length: number): ScannedRow {
  const end = row.kind === 'more' ? length : row.end;
  return end - from > MAX_RECORD_BYTES
    ? {
        kind: 'broken',
        problem: `a row longer than ${MAX_RECORD_BYTES / 1024} KiB, perhaps for a quote that nothing closes`,
        end,
      }
    : row;
}

function unquoted(text: string, { isQuoted }: Cell): string {
  return isQuoted ? text.replaceAll('""', '"') : text;
}

function linesOf(bytes: Buffer, from: number, { end }: WholeRow): number {
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
function isRowsByLine(bytes: Buffer, { cells, cellCount }: WholeRow, separator: number): boolean {
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
