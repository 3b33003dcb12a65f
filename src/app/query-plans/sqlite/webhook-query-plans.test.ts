import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { asClient } from '../../../../test/contract/collections-support.ts';
import { BY } from '../../../../test/harness/deliveries.ts';
import { openDatabase } from '../../../../test/harness/sql-databases.ts';
import { ADAPTERS } from '../../../../test/harness/store-adapters.ts';
import { someClient } from '../../../../test/harness/stores.ts';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import { Database } from '../../../engines/sql/sqlite/database.ts';
import { DeliveryStore } from '../../../features/webhooks/store/delivery-store.ts';
import { FanOutReferences } from '../../../features/webhooks/store/fan-out-references.ts';
import { subscribersIn } from '../../../features/webhooks/store/fan-out-store.ts';
import { openSqliteStore } from '../../open/open-sqlite.ts';

const CLOCK = { now: () => 1 };
const WEBHOOK = '00000000-0000-7000-8000-000000000001';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-plans-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** The deliveries, read in this thread, where the statements can be seen. */
function deliveriesIn(sql: SqlDatabase): DeliveryStore {
  Object.defineProperty(sql, 'aside', { value: sql.queries });
  return new DeliveryStore(sql, CLOCK);
}

/** Returns the steps of the plans of the statements that read a table. */
async function plansOf(table: string, read: (sql: SqlDatabase) => Promise<unknown>) {
  const path = join(folder, 'stave.db');
  const store = await openSqliteStore({ path, clock: CLOCK });
  const client = someClient();
  await store.clients.create(client, BY);
  const webhook = { url: 'https://partner.example/hook', description: '', referencedOnly: false };
  await store.webhooks.create(
    { id: WEBHOOK, ...webhook, eventTypes: ['track.created'], secret: Buffer.alloc(32) },
    asClient(client.id),
  );
  await store.close();
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
    const plans = await plansOf('webhook_deliveries', (sql) =>
      deliveriesIn(sql).list(WEBHOOK, 'operator', { ...filter, offset: 0, limit: 1 }),
    );
    const searches = plans.filter((step) => /^(SEARCH|SCAN)/.test(step));
    expect(searches.every((step) => step.startsWith('SEARCH') && step.includes(index))).toBe(true);
    expect(searches.some((step) => step.includes('COVERING'))).toBe(true);
    expect(plans.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
  },
);

it('reads further deliveries after a place by an index, without sorting', async () => {
  const place = { createdAt: 1, id: 'a' };
  const plans = await plansOf('webhook_deliveries', async (sql) => {
    await deliveriesIn(sql).after(WEBHOOK, { place, limit: 1 });
    await deliveriesIn(sql).after(WEBHOOK, { place, limit: 1, status: 'failed' });
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
    new FanOutReferences(sql, CLOCK).collectionCreations(['a', 'b']),
  );
  const [search] = plans;
  expect(search).toMatch(
    /^SEARCH .*INDEX change_log_of_new_collections \(kind=\? AND entity_id=\?\)$/,
  );
});
