import { createHash } from 'node:crypto';

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

/**
 * PostgreSQL's text type holds every character except NUL, and the texts of Stave may contain NUL. NUL is
 * therefore written as a mark (a character for private use) and the digit 0, and the mark itself as a mark
 * and the digit 1.
 */
const MARK = '\uE000';
const SPECIAL = /[\0\uE000]/;

/** Converts a text to the form that the database can hold. */
export function toStored(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(MARK, `${MARK}1`).replaceAll('\0', `${MARK}0`) : text;
}

/** Returns the text of which `toStored` made this one. */
export function fromStored(text: string): string {
  return text.includes(MARK)
    ? text.replaceAll(`${MARK}0`, '\0').replaceAll(`${MARK}1`, MARK)
    : text;
}

const names = new Map<string, string>();

/**
 * Returns the name of a prepared statement. All processes use the same name for the same text, because they
 * may share connections.
 */
export function statementName(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `stave_${createHash('sha256').update(sql).digest('base64url').slice(0, 22)}`;
    names.set(sql, name);
  }
  return name;
}
