import { createHash } from 'node:crypto';
import { OperatorError } from '../common/errors.ts';
import { newId } from '../common/ids.ts';
import {
  type Field,
  keyOf,
  MIGRATION,
  TABLES,
  type Table,
  type TableKey,
  type TableRow,
  type TableStore,
} from '../engines/sql/copied-tables.ts';
import { CATALOG_ID } from '../engines/sql/setting-store.ts';
import type { Store } from '../features/store.ts';

export type Side = Pick<Store, 'tables' | 'settings' | 'changes'>;

export interface Moved {
  /** By name of the table. */
  tables: Record<string, TableDigest>;
  /** Rows on each side. */
  rows: number;
  /** Rows that this run copied; earlier runs copied the others. */
  copied: number;
  /** SHA-256 over all tables. */
  sha256: string;
}

/** The progress of a move, in rows. */
interface MoveProgress {
  /** Rows of the source. */
  total: number;
  /** How many of them the target has, those of earlier runs included. */
  moved: number;
  /** How many of them were compared on both sides. */
  compared: number;
}

interface MoveOptions {
  onProgress: (progress: MoveProgress) => void;
}

/** The target stores this until it is complete: the id of the moved catalog, and the head of its change log. */
interface Origin {
  catalogId: string;
  head: number;
}

/**
 * Moves a whole system of record from one store to another, with its ids and numbers, and compares
 * the two. After an interruption, call it again: it continues after the last row of each table.
 * Throws OperatorError if the target is not empty, the source changes during the move, or the two
 * differ.
 */
export async function migrateStore(from: Side, to: Side, options: MoveOptions): Promise<Moved> {
  for (const { tables } of [from, to]) await refuseNewer(tables);
  const origin = await originOf(from);
  const isComplete = (await begin(origin, from, to)) === 'complete';
  const advice = isComplete ? keep(to) : drop(to);
  const { copied, tables } = await moveAll(from, to, { ...options, origin, isComplete, advice });
  if (!isComplete) await to.tables.settle(await from.tables.counters());
  await compareCounters(from, to, advice);
  await refuseChange(from, origin, advice);
  await to.settings.delete(MIGRATION);
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  return { tables, rows, copied, sha256: digestOf(tables) };
}

/** Throws OperatorError if the store has tables or columns that this version cannot copy. */
export async function refuseNewer(tables: Side['tables']): Promise<void> {
  const unknown = await tables.unknownTables();
  if (unknown.length > 0) {
    throw new OperatorError(
      `The database ${tables.place} holds what this version cannot move (${unknown.join(', ')}): use the version of Stave that wrote it.`,
    );
  }
}

async function originOf({ tables, settings, changes }: Side): Promise<Origin> {
  const head = await changes.head();
  if (head === 0) {
    throw new OperatorError(`There is no catalog in ${tables.place}: name another with --from.`);
  }
  const catalogId = (await settings.get(CATALOG_ID)) ?? (await settings.add(CATALOG_ID, newId()));
  return { catalogId, head };
}

/** Returns `complete` if an earlier run finished, and neither side has changed since. */
async function begin(origin: Origin, from: Side, to: Side): Promise<'copying' | 'complete'> {
  const { place } = to.tables;
  const text = JSON.stringify(origin);
  if (await to.tables.claim(text)) return 'copying';
  const there = await to.settings.get(MIGRATION);
  if (there === text) return 'copying';
  if (there === undefined) {
    const id = await to.settings.get(CATALOG_ID);
    if (id === origin.catalogId && (await to.changes.head()) === origin.head) return 'complete';
    throw new OperatorError(`${place} holds a catalog already: name an empty database with --to.`);
  }
  if ((JSON.parse(there) as Origin).catalogId === origin.catalogId) {
    throw changed(from, drop(to));
  }
  throw new OperatorError(
    `${place} holds a part of another catalog, whose move is unfinished: drop it, or name another with --to.`,
  );
}

/** What to do about an unfinished target that differs from the source. */
function drop({ tables }: Side): string {
  return `drop ${tables.place}, and run stave migrate-store again`;
}

/** What to do about a target that was complete before this run: a service may have used it since. */
function keep({ tables }: Side): string {
  return `keep ${tables.place}, which an earlier move completed, and name an empty database with --to`;
}

async function refuseChange(from: Side, { head }: Origin, advice: string): Promise<void> {
  if ((await from.changes.head()) !== head) throw changed(from, advice);
}

function changed({ tables }: Side, advice: string): OperatorError {
  return new OperatorError(
    `${tables.place} has changed since the move began: stop imports and commands, ${advice}.`,
  );
}

/** Compares each table while it copies the next one, so that neither database waits for the other. */
async function moveAll(
  from: Side,
  to: Side,
  options: MoveOptions & { origin: Origin; isComplete: boolean; advice: string },
): Promise<Pick<Moved, 'copied' | 'tables'>> {
  const { onProgress, origin, isComplete, advice } = options;
  const progress = { total: 0, moved: 0, compared: 0 };
  for (const table of TABLES) {
    progress.total += await from.tables.count(table);
    progress.moved += await to.tables.count(table);
  }
  const tables: Record<string, TableDigest> = {};
  let copied = 0;
  const stopping = new AbortController();
  const compare = async (table: Table) => {
    const result = await compareTable(from.tables, to.tables, table, (count) => {
      stopping.signal.throwIfAborted();
      progress.compared += count;
      onProgress(progress);
    });
    if ('kind' in result) throw differs(result, from, to, advice);
    tables[table.name] = result;
  };
  let comparing = Promise.resolve();
  let failure: unknown;
  try {
    for (const table of TABLES) {
      if (!isComplete) {
        await copyTable(from, to, table, async (count) => {
          if (failure !== undefined) throw failure;
          copied += count;
          progress.moved += count;
          onProgress(progress);
          await refuseChange(from, origin, advice);
        });
      }
      comparing = comparing.then(() => compare(table));
      comparing.catch((error) => {
        failure ??= error;
      });
    }
    await comparing;
  } finally {
    stopping.abort();
    await comparing.catch(() => {});
  }
  return { copied, tables };
}

/** Reads the next slice while it writes the current one. */
async function copyTable(
  { tables: from }: Side,
  { tables: to }: Side,
  table: Table,
  onSlice: (count: number) => Promise<void>,
): Promise<void> {
  let after: TableKey | null = await to.lastKey(table);
  let rows = await from.rowsAfter(table, after, table.slice);
  while (rows.length > 0) {
    const last = keyOf(table, rows.at(-1)!);
    const isLast = rows.length < table.slice;
    const [, next] = await Promise.all([
      to.append(table, after, rows),
      isLast ? [] : from.rowsAfter(table, last, table.slice),
    ]);
    await onSlice(rows.length);
    after = last;
    rows = next;
  }
}

async function compareCounters(from: Side, to: Side, advice: string): Promise<void> {
  const [here, there] = [await from.tables.counters(), await to.tables.counters()];
  for (const [name, number] of Object.entries(here)) {
    const other = there[name as keyof typeof there];
    if (other === number) continue;
    throw new OperatorError(
      `${to.tables.place} counts ${name} on from ${other}, ${from.tables.place} from ${number}: ${advice}.`,
    );
  }
}

function differs(
  { table, key, kind }: Difference,
  from: Side,
  to: Side,
  advice: string,
): OperatorError {
  const [source, target] = [from.tables.place, to.tables.place];
  const named = Object.entries(key).map(([column, value]) => `${column} ${value}`);
  const what = {
    missing: `is missing in ${target}`,
    surplus: `is in ${target} and not in ${source}`,
    changed: `differs between ${source} and ${target}`,
  }[kind];
  return new OperatorError(`The row of ${table} with ${named.join(', ')} ${what}: ${advice}.`);
}

/** The content of a table, equal on both sides. */
interface TableDigest {
  rows: number;
  /** SHA-256 of the canonical form, in hexadecimal. */
  sha256: string;
}

/** The first row, in key order, that differs. */
interface Difference {
  table: string;
  /** By column. */
  key: Readonly<Record<string, Field>>;
  /** `missing` and `surplus`: in the target. */
  kind: 'missing' | 'surplus' | 'changed';
}

/**
 * Reads a table on both sides, one slice at a time, up to the first difference. The digest covers
 * the content of both: each row in key order as a JSON array of its columns and a line feed, with
 * bytes in hexadecimal.
 */
async function compareTable(
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
function digestOf(tables: Readonly<Record<string, TableDigest>>): string {
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

/** Returns an index; undefined if the slices are equal. */
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
