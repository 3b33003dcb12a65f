import { toStored } from './text.ts';

/** A parameter of a statement. An array stands for an SQL array. */
export type Value = string | number | boolean | Buffer | null | readonly (string | number | null)[];

/** Converts a parameter for the driver, which converts arrays itself. */
export function parameter(value: Value): unknown {
  if (typeof value === 'string') return toStored(value);
  return Array.isArray(value)
    ? value.map((one) => (typeof one === 'string' ? toStored(one) : one))
    : value;
}

/** The approximate number of characters that are sent to the server at once. */
const COPY_CHUNK = 64 * 1024;

/** Returns rows in the text format of COPY (postgresql.org/docs/15/sql-copy.html, Text Format). */
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
