import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../../test/harness/sql-databases.ts';
import { ADAPTERS } from '../../../../test/harness/store-adapters.ts';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import { Database } from '../../../engines/sql/sqlite/database.ts';
import {
  deliveriesAfter,
  deliveriesOf,
} from '../../../features/webhooks/store/delivery-queries.ts';
import { FanOutReferences } from '../../../features/webhooks/store/fan-out-references.ts';
import { subscribersIn } from '../../../features/webhooks/store/fan-out-subscribers.ts';
import { openSqliteStore } from '../../open/open-sqlite.ts';

const CLOCK = { now: () => 1 };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-plans-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** Returns the steps of the plans of the statements that read a table. */
async function plansOf(table: string, read: (sql: SqlDatabase) => Promise<unknown>) {
  const path = join(folder, 'stave.db');
  await (await openSqliteStore({ path, clock: CLOCK })).close();
  await using database = await openDatabase(ADAPTERS[0]!, path, CLOCK);
  const plans: string[] = [];
  for (const method of ['prepare', 'prepareRows'] as const) {
    const original = Database.prototype[method];
    vi.spyOn(Database.prototype, method).mockImplementation(function (this: Database, sql) {
      if (sql.includes(table)) {
        const rows = original.call(this, `EXPLAIN QUERY PLAN ${sql}`).all();
        plans.push(...rows.map((row) => (Array.isArray(row) ? row[3] : row.detail) as string));
      }
      return original.call(this, sql);
    });
  }
  await read(database.sql);
  expect(plans.length).toBeGreaterThan(0);
  return plans;
}

it.each([
  [{}, 'webhook_deliveries_by_webhook'],
  [{ status: 'failed' }, 'webhook_deliveries_by_state'],
  [{ type: 'track.created' }, 'webhook_deliveries_by_type'],
  [{ status: 'failed', type: 'track.created' }, 'webhook_deliveries_by_'],
] as const)(
  'counts and lists deliveries of %j by an index, without sorting',
  async (filter, index) => {
    // In this thread, where the statements can be seen.
    const plans = await plansOf('webhook_deliveries', ({ queries: aside }) =>
      deliveriesOf({ aside }, 1, { ...filter, offset: 0, limit: 1 }),
    );
    const searches = plans.filter((step) => /^(SEARCH|SCAN)/.test(step));
    expect(searches.every((step) => step.startsWith('SEARCH') && step.includes(index))).toBe(true);
    expect(searches.some((step) => step.includes('COVERING'))).toBe(true);
    expect(plans.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
  },
);

it('reads further deliveries after a place by an index, without sorting', async () => {
  const place = { createdAt: 1, id: 'a' };
  const plans = await plansOf('webhook_deliveries', async ({ queries: aside }) => {
    await deliveriesAfter({ aside }, 1, { place, limit: 1 });
    await deliveriesAfter({ aside }, 1, { place, limit: 1, status: 'failed' });
  });
  expect(plans).toHaveLength(2);
  for (const step of plans) expect(step).toMatch(/^SEARCH .*created_at.*<|\(created_at,id\)</);
});

it('sums up the pending messages by an index that has all of it', async () => {
  const plans = await plansOf('webhook_deliveries', ({ queries }) => subscribersIn(queries));
  expect(plans).toEqual([
    'SCAN webhook_deliveries USING COVERING INDEX webhook_deliveries_waiting',
  ]);
});

it('finds the creation of collections by an index of these', async () => {
  const plans = await plansOf('change_log', (sql) =>
    new FanOutReferences(sql).collectionCreations(['a', 'b']),
  );
  const [search] = plans;
  expect(search).toMatch(
    /^SEARCH .*INDEX change_log_of_new_collections \(kind=\? AND entity_id=\?\)$/,
  );
});
