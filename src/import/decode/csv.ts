import { CsvError, parse } from 'csv-parse';
import {
  BATCH_SIZE,
  type Decoded,
  decoded,
  MAX_RECORD_BYTES,
  UnreadableError,
  undecoded,
} from './decoded.ts';
import { invalidByte, type TextDecoding } from './text-decoding.ts';

/** A row by column name; every cell is text. Without a prototype, so that no column name is special. */
export type Row = Record<string, string>;

/**
 * Records of a CSV file with a heading. Cells are split as bytes and decoded each by itself, so one
 * bad byte costs one cell. Quotes inside unquoted cells are taken as they are; rows that do not have
 * the heading's number of cells are rejected; blank lines are passed over.
 */
export async function* decodeCsv(
  chunks: AsyncIterable<Buffer>,
  decodeText: TextDecoding,
  delimiter: string,
): AsyncGenerator<Decoded[]> {
  let arrived: CsvRecord[] = [];
  const parser = parse({
    delimiter,
    // One character a byte: the bytes come back whole.
    encoding: 'latin1',
    max_record_size: MAX_RECORD_BYTES,
    // Taken here and not from the stream, which would drop what came before an error.
    on_record: (cells: string[], { lines }) => {
      arrived.push({ cells, lines });
      return null;
    },
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  let columns: string[] | undefined;
  let linesBefore = 0;
  const rows = (): Decoded[] => {
    const batch: Decoded[] = [];
    for (const { cells, lines } of arrived) {
      if (columns === undefined) {
        columns = headingOf(cells, decodeText);
      } else {
        batch.push(rowOf(cells, columns, linesBefore + 1, decodeText));
      }
      linesBefore = lines;
    }
    arrived = [];
    return batch;
  };

  parser.on('error', () => {});
  let failure: Error | null | undefined;
  for await (const chunk of chunks) {
    failure = await new Promise((resolve) => parser.write(chunk, resolve));
    yield* batches(rows());
    if (failure) {
      break;
    }
  }
  failure ??= await new Promise((resolve) => parser.end(resolve));
  yield* batches(rows());
  if (failure) {
    throw failure instanceof CsvError ? unreadable(failure, linesBefore + 1) : failure;
  }
}

function* batches(rows: readonly Decoded[]): Generator<Decoded[]> {
  for (let from = 0; from < rows.length; from += BATCH_SIZE) {
    yield rows.slice(from, from + BATCH_SIZE);
  }
}

interface CsvRecord {
  cells: string[];
  /** Where it ends. */
  lines: number;
}

function headingOf(cells: readonly string[], decodeText: TextDecoding): string[] {
  const columns = cells.map((cell) => (textOf(cell, decodeText) ?? '').trim());
  const twice = columns.find((name, i) => name !== '' && columns.indexOf(name) !== i);
  if (twice !== undefined) {
    throw new UnreadableError(1, `the heading names the column "${twice}" twice`);
  }
  return columns;
}

function rowOf(
  cells: readonly string[],
  columns: readonly string[],
  position: number,
  decodeText: TextDecoding,
): Decoded {
  if (cells.length !== columns.length) {
    return undecoded(
      position,
      `the row has ${cells.length} cells where the heading has ${columns.length}`,
    );
  }
  const row: Row = Object.create(null);
  let damaged: Map<string, string> | null = null;
  for (let i = 0; i < cells.length; i++) {
    const text = textOf(cells[i]!, decodeText);
    if (text === undefined) {
      damaged ??= new Map();
      damaged.set(
        columns[i]!,
        `is not valid UTF-8 (${invalidByte(Buffer.from(cells[i]!, 'latin1'))})`,
      );
    } else {
      row[columns[i]!] = text;
    }
  }
  return decoded(position, row, damaged);
}

function textOf(cell: string, decodeText: TextDecoding): string | undefined {
  return ASCII.test(cell) ? cell : decodeText(Buffer.from(cell, 'latin1'));
}

const ASCII = /^[\0-\x7f]*$/;

function unreadable(error: CsvError, position: number): UnreadableError {
  const reason =
    error.code === 'CSV_MAX_RECORD_SIZE'
      ? `a row longer than ${MAX_RECORD_BYTES / 1024} KiB, perhaps for a quote that nothing closes`
      : error.code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'a quote that nothing closes'
        : error.message;
  return new UnreadableError(position, `${reason}; the rest was not read`, { cause: error });
}
