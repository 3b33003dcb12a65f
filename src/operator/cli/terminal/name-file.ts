import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { OperatorError } from '../../../common/operator-error.ts';
import type { CsvForm } from '../../../features/import/decode/csv-rows.ts';
import type { Decoded } from '../../../features/import/decode/decoded.ts';

/** A slug, an id or an ISRC of a file, with its line. */
export interface FileName {
  name: string;
  line: number;
}

const MAX_BYTES = 16_000_000;
const MAX_NAMES = 100_000;
/** The first bytes of gzip data. */
const GZIP = [0x1f, 0x8b];
/** The columns of a CSV file that name a track, the first one counts that has a value. */
const COLUMNS = ['id', 'slug', 'isrc', 'track'];

/**
 * Reads the names of tracks from a file or standard input: one in each line, or CSV whose heading has a column of
 * COLUMNS. The format is recognized as that of an import. Throws OperatorError for a file that cannot be read, is of
 * another format, is too large or names nothing.
 */
export async function namesOfFile(path: string, stdin: Readable): Promise<FileName[]> {
  const { withoutMark } = await import('../../../features/import/decode/bytes.ts');
  const { HEAD_BYTES, recognizeFormat } = await import('../../../features/import/decode/format.ts');
  const isInput = path === '-';
  const shown = isInput ? 'standard input' : path;
  const bytes = withoutMark(await bytesOf(isInput ? stdin : createReadStream(path), shown));
  if (bytes[0] === GZIP[0] && bytes[1] === GZIP[1]) {
    throw new OperatorError(`${shown} is compressed with gzip; unpack it`);
  }
  const format = /\S/.test(bytes.toString('latin1'))
    ? recognizeFormat(bytes.subarray(0, HEAD_BYTES), path, bytes.length <= HEAD_BYTES)
    : 'names no track';
  if (typeof format === 'string') throw new OperatorError(`${shown} ${format}`);
  if (format.kind !== 'csv') {
    const what = format.kind === 'xlsx' ? 'a workbook' : 'JSON';
    throw new OperatorError(`${shown} is ${what}; save it as CSV, or write one name in each line`);
  }
  const lines = bytes.toString().split(format.endsWithCr ? '\r' : '\n');
  const heading = lines[format.headingLine - 1] ?? '';
  const isTable = heading.split(format.delimiter).some((cell) => COLUMNS.includes(columnOf(cell)));
  const names = isTable
    ? await namesOfCsv(bytes, format, shown)
    : lines.map((line, place) => ({ name: line.trim(), line: place + 1 }));
  const found = names.filter(({ name }) => name !== '');
  if (found.length === 0) throw new OperatorError(`${shown} names no track`);
  if (found.length > MAX_NAMES) {
    throw new OperatorError(`${shown} names more than ${MAX_NAMES} tracks: divide it`);
  }
  return found;
}

async function bytesOf(stream: Readable, shown: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk as Buffer | string);
      size += bytes.length;
      if (size > MAX_BYTES) break;
      chunks.push(bytes);
    }
  } catch (error) {
    throw new OperatorError(`cannot read ${shown}: ${(error as Error).message}`);
  }
  if (size > MAX_BYTES) throw new OperatorError(`${shown} has more than ${MAX_BYTES} bytes`);
  return Buffer.concat(chunks);
}

function columnOf(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
    .toLowerCase();
}

async function namesOfCsv(bytes: Buffer, form: CsvForm, shown: string): Promise<FileName[]> {
  const { decodeCsv } = await import('../../../features/import/decode/csv.ts');
  const { UnreadableError } = await import('../../../features/import/decode/decoded.ts');
  const { textDecoding } = await import('../../../features/import/decode/bytes.ts');
  async function* chunks() {
    yield bytes;
  }
  const names: FileName[] = [];
  const rows = decodeCsv(chunks(), textDecoding(undefined), form, { numbersColumns: true });
  try {
    for await (const batch of rows) names.push(...batch.map((row) => nameOfRow(row, shown)));
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new OperatorError(`${shown}, line ${error.position}: ${error.message}`);
  }
  return names;
}

function nameOfRow({ position, value, problem }: Decoded, shown: string): FileName {
  if (problem !== null) throw new OperatorError(`${shown}, line ${position}: ${problem}`);
  const cells = new Map(
    Object.entries(value as Record<string, string>).map(([column, cell]) => [
      columnOf(column),
      cell.trim(),
    ]),
  );
  const name = COLUMNS.map((column) => cells.get(column) ?? '').find((cell) => cell !== '');
  if (name === undefined) {
    throw new OperatorError(`${shown}, line ${position}: no slug, id or ISRC`);
  }
  return { name, line: position };
}
