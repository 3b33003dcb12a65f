import { toStored } from './text.ts';

/** What a statement takes: arrays stand for SQL arrays. */
export type Value = string | number | boolean | Buffer | null | readonly (string | number | null)[];

/** As the driver takes it; it turns arrays into those of SQL itself. */
export function parameter(value: Value): unknown {
  if (typeof value === 'string') return toStored(value);
  return Array.isArray(value)
    ? value.map((one) => (typeof one === 'string' ? toStored(one) : one))
    : value;
}

/** About so many characters go to the server at once. */
const COPY_CHUNK = 64 * 1024;

/** Rows in COPY's text format (postgresql.org/docs/15/sql-copy.html, Text Format). */
export function* copyChunks(rows: Iterable<readonly Value[]>): Generator<string> {
  let chunk = '';
  for (const row of rows) {
    chunk += `${row.map(copyField).join('\t')}\n`;
    if (chunk.length >= COPY_CHUNK) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

const COPY_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function copyField(value: Value): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') {
    return toStored(value).replace(/[\\\n\r\t]/g, (sign) => COPY_ESCAPES[sign]!);
  }
  if (Buffer.isBuffer(value)) return `\\\\x${value.toString('hex')}`;
  return String(value);
}
