import type { Clock } from '../../../../common/clock.ts';
import type { Table, TableRow } from '../../../../engines/sql/copied-tables.ts';
import type { Database, Transaction } from '../../../../engines/sql/postgres/database.ts';
import { monthOf } from '../../usage.ts';

/** How long the creation of a partition, and the reports behind it, wait for transactions that read or write events. */
const LOCK_MS = 1_000;
/** The most events that are moved out of the default partition, while reports wait: about half a second. */
const MAX_MOVED = 50_000;

/**
 * Creates the partitions of the reported events of this month and the next one, unless they exist. Events of a month
 * that are in the default partition are moved. If they are too many, the month stays in the default partition. Returns
 * the months that it has created, as numbers such as 202611. Several nodes may run it at the same time. Fails if a
 * transaction that reads events lasts longer than a second.
 */
export async function createComingPartitions(database: Database, clock: Clock): Promise<number[]> {
  const month = monthOf(clock.now());
  const created: number[] = [];
  for (const one of [month, monthAfter(month)]) {
    const [known] = await database.rows<{ isThere: boolean }>(IS_THERE, [nameOf(one)]);
    if (known!.isThere) continue;
    const isCreated = await database.write((tx) => createPartition(tx, one), {
      isApart: true,
      isIdempotent: true,
    });
    if (isCreated) created.push(one);
  }
  return created;
}

const IS_THERE = 'SELECT to_regclass($1) IS NOT NULL AS "isThere"';

/** Returns whether it has created the partition. */
async function createPartition(tx: Transaction, month: number): Promise<boolean> {
  const name = nameOf(month);
  // The first lock excludes reports and other nodes. A report that waited only for the default partition would fail,
  // because the month of its events no longer belongs there.
  await tx.script(`
    SET LOCAL lock_timeout = ${LOCK_MS};
    LOCK TABLE ONLY usage_events IN SHARE ROW EXCLUSIVE MODE`);
  const [known] = await tx.rows<{ isThere: boolean }>(IS_THERE, [name]);
  if (known!.isThere) return false;
  await tx.script('LOCK TABLE usage_events_default IN ACCESS EXCLUSIVE MODE');
  const [found] = await tx.rows<{ events: number }>(
    `SELECT count(*) AS events
     FROM (SELECT FROM usage_events_default WHERE month = $1 LIMIT ${MAX_MOVED + 1}) AS counted`,
    [month],
  );
  if (found!.events > MAX_MOVED) return false;
  await tx.script(`CREATE TABLE ${name} (LIKE usage_events)`);
  if (found!.events > 0) {
    // All columns, because the next version may add some during a rolling upgrade.
    await tx.rows(
      `WITH moved AS (DELETE FROM usage_events_default WHERE month = $1 RETURNING *)
       INSERT INTO ${name} SELECT * FROM moved`,
      [month],
    );
  }
  await tx.script(
    `ALTER TABLE usage_events ATTACH PARTITION ${name} FOR VALUES FROM (${month}) TO (${month + 1})`,
  );
  return true;
}

/** A month gets a partition if at least so many of the copied rows are events of it. */
const MANY_EVENTS = 500;

/**
 * Creates partitions for rows that are to be copied into the table of events, so that the default one stays small. A
 * client may report test events of any month, so not every month gets a partition.
 */
export async function createPartitionsFor(
  tx: Transaction,
  { name, columns }: Table,
  rows: readonly TableRow[],
): Promise<void> {
  if (name !== 'usage_events') return;
  const place = columns.indexOf('month');
  const months = Map.groupBy(rows, (row) => row[place] as number);
  for (const [month, events] of months) {
    if (events.length >= MANY_EVENTS) await createPartition(tx, month);
  }
}

function nameOf(month: number): string {
  return `usage_events_${month}`;
}

function monthAfter(month: number): number {
  return month % 100 === 12 ? month + 89 : month + 1;
}
