import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CLIENT, DAY_MS, NOW, report, stream } from '../../../../test/contract/usage-support.ts';
import { deliveries, importAll } from '../../../../test/harness/deliveries.ts';
import { Database } from '../../../engines/sql/sqlite/database.ts';
import { SecondConnection } from '../../../engines/sql/sqlite/second-connection.ts';
import { SUMMARY_GROUPS } from '../../../features/usage/usage.ts';
import { openSqliteStore } from '../../open/open-sqlite.ts';

/** The steps that read a whole table, each with its reason. */
const WALKS = [
  // One row for each client and mode.
  'SCAN usage_sources',
];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-plans-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

it('adds up, stores and purges reported use by indexes, also on the second connection', async () => {
  const path = join(folder, 'stave.db');
  const store = await openSqliteStore({ path, clock: { now: () => NOW } });
  await importAll(store, deliveries(0, 3));
  const day = Math.floor(NOW / DAY_MS);
  for (let from = 0; from < 2_000; from += 500) {
    const events = Array.from({ length: 500 }, (_, n) =>
      stream(`e-${from + n}`, n % 3, { occurredAt: NOW - (30 + (n % 2)) * DAY_MS }),
    );
    await store.usage.report(report(events, { maxAgeDays: 90 }));
  }
  const texts = new Set<string>();
  const { prepareRows } = Database.prototype;
  vi.spyOn(Database.prototype, 'prepareRows').mockImplementation(function (this: Database, sql) {
    texts.add(sql);
    return prepareRows.call(this, sql);
  });
  const { read } = SecondConnection.prototype;
  vi.spyOn(SecondConnection.prototype, 'read').mockImplementation(function (
    this: SecondConnection,
    query,
  ) {
    texts.add(query.sql);
    return read.call(this, query);
  });
  await store.usage.prepareSummaries();
  for (const groupBy of SUMMARY_GROUPS) {
    const range = { from: day - 40, to: day };
    await store.usage.summary({ clientId: CLIENT, mode: 'live', ...range, groupBy });
  }
  await store.usageRecords.purge(day + 1);
  await store.usage.prepareSummaries();
  vi.restoreAllMocks();

  for (const table of ['usage_days', 'usage_track_sums']) {
    expect([...texts].filter((sql) => sql.includes(`from "${table}"`)).length).toBeGreaterThan(2);
  }
  const database = await Database.open(path, 100);
  const scans = [...texts].flatMap((sql) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
      .filter((step) => /^SCAN (usage|productions)/.test(step)),
  );
  await database.close();
  await store.close();
  expect([...new Set(scans)].sort()).toEqual(WALKS);
});
