import { createHash } from 'node:crypto';
import {
  type Field,
  keyOf,
  type Table,
  type TableRow,
  type TableStore,
} from '../../engines/sql/copied-tables.ts';

/** The content of a table, equal on both sides. */
export interface TableDigest {
  rows: number;
  /** SHA-256 of the canonical form, in hexadecimal. */
  sha256: string;
}

/** The first row, in key order, that differs. */
export interface Difference {
  table: string;
  /** The key of the row, by column. */
  key: Readonly<Record<string, Field>>;
  /** `missing` in the target, `surplus` in the target, or `changed`. */
  kind: 'missing' | 'surplus' | 'changed';
}

/**
 * Reads a table on both sides, one slice at a time, up to the first difference. The digest covers
 * the content of both: each row in key order as a JSON array of its columns and a line feed, with
 * bytes in hexadecimal.
 */
export async function compareTable(
  from: TableStore,
  to: TableStore,
  table: Table,
  onRows: (count: number) => void,
): Promise<TableDigest | Difference> {
  const hash = createHash('sha256');
  const read = (side: TableStore, last: TableRow | undefined) =>
    side.rowsAfter(table, last === undefined ? null : keyOf(table, last), table.slice);
  let rows = 0;
  let reading: [Promise<TableRow[]>, Promise<TableRow[]>] = [
    read(to, undefined),
    read(from, undefined),
  ];
  for (;;) {
    const [there, here] = await Promise.all(reading);
    const place = firstUnequal(here, there);
    if (place !== undefined) return difference(table, here[place], there[place]);
    const isLast = there.length < table.slice;
    // Starts the next read now, so that the servers work while this slice is digested.
    if (!isLast) reading = [read(to, there.at(-1)), read(from, here.at(-1))];
    hash.update(there.map(canonical).join(''));
    rows += there.length;
    onRows(there.length);
    if (isLast) return { rows, sha256: hash.digest('hex') };
  }
}

/** Returns one digest of the digests of several tables. */
export function digestOf(tables: Readonly<Record<string, TableDigest>>): string {
  const hash = createHash('sha256');
  for (const [name, { rows, sha256 }] of Object.entries(tables)) {
    hash.update(`${name} ${rows} ${sha256}\n`);
  }
  return hash.digest('hex');
}

function canonical(row: TableRow): string {
  const hasBytes = row.some((field) => Buffer.isBuffer(field));
  const shown = hasBytes ? row.map(shownBytes) : row;
  return `${JSON.stringify(shown)}\n`;
}

function shownBytes(field: Field): Field {
  return Buffer.isBuffer(field) ? field.toString('hex') : field;
}

/** Returns the index of the first row that differs between two slices of one table. */
function firstUnequal(a: readonly TableRow[], b: readonly TableRow[]): number | undefined {
  for (let place = 0; place < Math.max(a.length, b.length); place++) {
    const [row, other] = [a[place], b[place]];
    if (row === undefined || other === undefined || !isEqual(row, other)) return place;
  }
  return undefined;
}

function isEqual(row: TableRow, other: TableRow): boolean {
  return row.every((field, i) => {
    const match = other[i]!;
    return Buffer.isBuffer(field) ? Buffer.isBuffer(match) && field.equals(match) : field === match;
  });
}

function difference(
  table: Table,
  here: TableRow | undefined,
  there: TableRow | undefined,
): Difference {
  const order = compareKeys(table, here, there);
  const key = keyOf(table, (order > 0 ? there : here)!);
  return {
    table: table.name,
    key: Object.fromEntries(key.map((field, i) => [table.columns[i]!, field])),
    kind: order === 0 ? 'changed' : order < 0 ? 'missing' : 'surplus',
  };
}

/** Returns less than 0 if `a` comes first. No row comes after all rows. */
function compareKeys(table: Table, a: TableRow | undefined, b: TableRow | undefined): number {
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  const [first, second] = [keyOf(table, a), keyOf(table, b)];
  for (const [i, field] of first.entries()) {
    if (field < second[i]!) return -1;
    if (field > second[i]!) return 1;
  }
  return 0;
}
