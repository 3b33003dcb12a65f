import { isAscii } from 'node:buffer';
import { trimmed, withoutInvisibleEnds } from '../canonical/text.ts';
import { invalidByte, type TextDecoding } from './bytes.ts';
import {
  type Cell,
  CR,
  type CsvForm,
  isEmptyRow,
  isRowsByLine,
  LF,
  linesOf,
  MAX_COLUMNS,
  type ScannedRow,
  scanRow,
  type WholeRow,
  withLineFeeds,
} from './csv-rows.ts';
import {
  Batch,
  type Decoded,
  decoded,
  MAX_RECORD_BYTES,
  MAX_SKIPPED_BYTES,
  type RecordReader,
  recordsFound,
  UnreadableError,
  undecoded,
  VALUE_BYTES,
} from './decoded.ts';

/** A row by column name, without a prototype. It may lack its empty cells. */
export type Row = Record<string, string>;

/** How many bytes may be scanned twice because of unclosed quotes. */
const MAX_RESCANNED_BYTES = 64 * 1024 * 1024;

export interface RowOptions {
  /** Whether rows have their empty cells, too: each takes 50 bytes. */
  keepEmpty?: boolean;
  /**
   * Whether columns of the same name become `Name`, `Name[2]`, …, and columns without a name `[5]`, by
   * their place. Otherwise a heading with two columns of one name cannot be read.
   */
  numbersColumns?: boolean;
}

/**
 * Decodes the records of a CSV file with a heading. Splits cells as bytes and decodes each
 * separately, so that one invalid byte damages one cell. Rejects rows that have another number of
 * cells than the heading, apart from empty cells at their end. Skips empty rows, and rows that
 * repeat the heading. If a faulty quote joins a row with the rows after it, rejects its first line
 * and continues at the second.
 */
export function decodeCsv(
  chunks: AsyncIterable<Buffer>,
  decodeText: TextDecoding,
  form: Pick<CsvForm, 'delimiter'> & Partial<CsvForm>,
  options: RowOptions = {},
): AsyncGenerator<Decoded[]> {
  return recordsFound(chunks, new CsvReader(decodeText, form, options));
}

class CsvReader implements RecordReader<Buffer> {
  readonly found = new Batch();
  readonly #decodeText: TextDecoding;
  readonly #separator: number;
  readonly #options: RowOptions;
  readonly #form: Partial<CsvForm>;
  /** The line before which all lines are passed over. */
  #nextLine: number;
  #columns: Columns | undefined;
  /** Bytes of a row whose end has not arrived. */
  #pending: Buffer = Buffer.alloc(0);
  #line = 1;
  /** Whether the rest of a line is skipped, and how many bytes of it were. */
  #isSkipping = false;
  #skippedBytes = 0;
  #rescannedBytes = 0;

  constructor(
    decodeText: TextDecoding,
    form: Pick<CsvForm, 'delimiter'> & Partial<CsvForm>,
    options: RowOptions,
  ) {
    this.#decodeText = decodeText;
    this.#separator = form.delimiter.charCodeAt(0);
    this.#options = options;
    this.#form = form;
    this.#nextLine = form.headingLine ?? 1;
    this.#isSkipping = this.#nextLine > 1;
  }

  read(chunk: Buffer): Generator<Decoded[]> {
    return this.#read(this.#form.endsWithCr === true ? withLineFeeds(chunk) : chunk, false);
  }

  end(): Generator<Decoded[]> {
    return this.#read(Buffer.alloc(0), true);
  }

  *#read(chunk: Buffer, isLast: boolean): Generator<Decoded[]> {
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
    const heading = row.cells.map((cell) => trimmed(this.#textOf(bytes, cell, false) ?? ''));
    const names = columnNames(heading, row.cellCount, this.#line, this.#options);
    const needed = heading.findLastIndex((name) => name !== '') + 1;
    this.#columns = { names, heading, needed };
    this.#line += linesOf(bytes, at, row);
    this.#nextLine = this.#form.firstRecordLine ?? this.#line;
    this.#isSkipping = this.#line < this.#nextLine;
    return row.end;
  }

  #takeRow(bytes: Buffer, at: number, row: WholeRow, columns: Columns): number {
    const { end } = row;
    if (isEmptyRow(bytes, row)) {
      this.#line++;
      return end;
    }
    const isMultiLine = row.cells.some((cell) => cell.isMultiLine);
    const isList = this.#form.lastColumnIsList === true;
    if (!hasWidth(row, columns, isList)) {
      const problem = widthProblem(row, columns, isList);
      if (isMultiLine) {
        return this.#reject(bytes, at, { problem, end });
      }
      this.found.push(undecoded(this.#line, problem));
    } else if (isMultiLine && isRowsByLine(bytes, row, this.#separator)) {
      return this.#reject(bytes, at, {
        problem: 'a quote that another row closes: each of its lines is a row by itself',
        end,
      });
    } else if (!this.#repeatsHeading(bytes, row, columns)) {
      this.found.push(this.#recordOf(bytes, at, row, columns.names));
    }
    this.#line += isMultiLine ? linesOf(bytes, at, row) : 1;
    return end;
  }

  /** Whether the row is the heading again, as at the top of each page of a printed report. */
  #repeatsHeading(bytes: Buffer, { cells }: WholeRow, { heading }: Columns): boolean {
    return heading.every((name, i) => {
      const cell = cells[i];
      return (cell === undefined ? '' : trimmed(this.#textOf(bytes, cell, false) ?? '')) === name;
    });
  }

  #recordOf(bytes: Buffer, at: number, row: WholeRow, columns: readonly string[]): Decoded {
    const isPlain = isAscii(bytes.subarray(at, row.end));
    const record: Record<string, string | string[]> = Object.create(null);
    let damaged: Map<string, string> | null = null;
    const list: string[] = [];
    const last = columns.length - 1;
    const isList = this.#form.lastColumnIsList === true && row.cells.length > columns.length;
    const count = isList ? row.cells.length : Math.min(row.cells.length, columns.length);
    for (let i = 0; i < count; i++) {
      const cell = row.cells[i]!;
      const name = columns[Math.min(i, last)]!;
      const text = this.#textOf(bytes, cell, isPlain);
      if (text === undefined) {
        damaged ??= new Map();
        const plain = unquoted(bytes.toString('latin1', cell.start, cell.end), cell);
        const where = invalidByte(Buffer.from(plain, 'latin1'));
        damaged.set(name, `is not valid UTF-8 (${where})`);
      } else if (text !== '' || this.#options.keepEmpty === true) {
        record[name] = isList && i >= last ? list : text;
        if (isList && i >= last && text !== '') list.push(text);
      }
    }
    const sizeBytes = row.end - at + row.cellCount * 3 * VALUE_BYTES;
    return decoded(this.#line, record, sizeBytes, damaged);
  }

  /** Returns undefined if the cell is not valid in any encoding. `isPlain`: the row is ASCII. */
  #textOf(bytes: Buffer, cell: Cell, isPlain: boolean): string | undefined {
    const { start, end } = cell;
    if (start === end) {
      return '';
    }
    const text = isPlain
      ? bytes.toString('latin1', start, end)
      : this.#decodeText(bytes.subarray(start, end));
    return text === undefined ? undefined : withoutInvisibleEnds(unquoted(text, cell));
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
      this.#skippedBytes = 0;
      this.#line++;
      this.#isSkipping = this.#line < this.#nextLine;
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

interface Columns {
  names: readonly string[];
  heading: readonly string[];
  /** How many cells a row needs: those after it have no name. */
  needed: number;
}

/** Returns the names of columns. Throws UnreadableError for too many, and for two of one name unless they are numbered. */
export function columnNames(
  heading: readonly string[],
  count: number,
  line: number,
  { numbersColumns = false }: RowOptions,
): string[] {
  if (count > MAX_COLUMNS) {
    const reason = `the heading has ${count} columns; ${MAX_COLUMNS} are read at most`;
    throw new UnreadableError(line, reason);
  }
  const repeated = heading.find((name, i) => name !== '' && heading.indexOf(name) < i);
  if (repeated !== undefined && !numbersColumns) {
    const reason = `the heading names the column "${repeated}" twice; a mapping can read both`;
    throw new UnreadableError(line, reason);
  }
  return numbersColumns ? numbered(heading) : [...heading];
}

/** Returns names that are all different: `a`, `a[2]`, and `[3]` for a third column without a name. */
function numbered(heading: readonly string[]): string[] {
  const taken = new Set(heading);
  const counts = new Map<string, number>();
  return heading.map((name, i) => {
    let count = (counts.get(name) ?? 0) + 1;
    let unique = name === '' ? `[${i + 1}]` : count === 1 ? name : `${name}[${count}]`;
    while (unique !== name && taken.has(unique)) {
      unique = `${name}[${++count}]`;
    }
    counts.set(name, count);
    taken.add(unique);
    return unique;
  });
}

/**
 * Whether a row has the cells of the heading. Empty cells at its end may be too many or too few. If
 * the last column is a list, a row has any number of its cells, up to the limit of columns.
 */
function hasWidth(
  { cells, cellCount }: WholeRow,
  { names, needed }: Columns,
  lastColumnIsList: boolean,
): boolean {
  if (lastColumnIsList) {
    return cellCount === cells.length && cellCount >= Math.min(needed, names.length - 1);
  }
  if (cellCount <= names.length) {
    return cellCount >= needed;
  }
  return (
    cellCount === cells.length && cells.slice(names.length).every((cell) => cell.start === cell.end)
  );
}

function widthProblem(
  { cells, cellCount }: WholeRow,
  { names }: Columns,
  lastColumnIsList: boolean,
): string {
  if (lastColumnIsList && cellCount > MAX_COLUMNS) {
    return `the row has ${cellCount} cells; ${MAX_COLUMNS} are read at most`;
  }
  const problem = `the row has ${cellCount} cells where the heading has ${names.length}`;
  if (cells.some((cell) => cell.isMultiLine)) {
    return `${problem}, perhaps for a quote that nothing closes`;
  }
  return cellCount > names.length
    ? `${problem} (if they are a list, write \`"lastColumnIsList": true\` in the mapping)`
    : problem;
}
