import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { housekeeping } from '../../src/app/background-work.ts';
import { silentLog } from '../../src/common/log.ts';
import type { UsageEvent } from '../../src/features/usage/usage.ts';
import { deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { CLIENT, DAY_MS, NOW, report, stream } from './usage-support.ts';

const SUMMARY = { clientId: CLIENT, mode: 'live', groupBy: 'month' } as const;

for (const adapter of ADAPTERS.filter(({ isServer }) => isServer)) {
  describe(`partitions of reported use on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    async function openAt(now: number) {
      const harness = await open();
      harness.clock.advance((now - harness.clock.now()) / 1_000);
      await importAll(harness.store, deliveries(0, 2));
      const { store, location } = harness;
      const query = async (sql: string) => {
        const client = new pg.Client({ connectionString: location });
        await client.connect();
        try {
          return (await client.query<Record<string, unknown>>(sql)).rows;
        } finally {
          await client.end();
        }
      };
      return {
        ...harness,
        query,
        prepare: (on = store) => on.prepareUsageMonths!(),
        send: (...events: UsageEvent[]) => store.usage.report(report(events, { maxAgeDays: 90 })),
        /** The number of events in each partition that has some. */
        counts: async () => {
          const rows = await query(
            'SELECT tableoid::regclass::text AS name, count(*)::int AS events FROM usage_events GROUP BY 1',
          );
          return Object.fromEntries(rows.map(({ name, events }) => [name, events]));
        },
      };
    }

    it('are created for this month and the next one, also at the end of a year', async () => {
      const { prepare, clock } = await openAt(NOW);
      expect(await prepare()).toEqual([202611, 202612]);
      expect(await prepare()).toEqual([]);
      clock.advance((10 * DAY_MS) / 1_000);
      expect(await prepare()).toEqual([202701]);
      clock.advance((31 * DAY_MS) / 1_000);
      expect(await prepare()).toEqual([202702]);
    });

    it('have the indexes of the table', async () => {
      const { prepare, query } = await openAt(NOW);
      await prepare();
      const definitions = async (table: string) => {
        const rows = await query(`SELECT indexdef FROM pg_indexes WHERE tablename = '${table}'`);
        return rows.map(({ indexdef }) => String(indexdef).replace(/^.* USING/, '')).sort();
      };
      const expected = await definitions('usage_events_default');
      expect(expected).toHaveLength(2);
      expect(await definitions('usage_events_202612')).toEqual(expected);
    });

    it('get the events of their months, and the default one those of others', async () => {
      const { prepare, send, counts, store } = await openAt(NOW);
      await prepare();
      const days = [0, 7, 30, 90];
      const events = days.map((age) => stream(`e-${age}`, 0, { occurredAt: NOW - age * DAY_MS }));
      const results = await send(...events);
      expect(results.map(({ status }) => status)).toEqual(days.map(() => 'accepted'));
      expect(await counts()).toEqual({ usage_events_202611: 2, usage_events_default: 2 });
      const { groups } = await store.usage.summary({ ...SUMMARY, from: 20_000, to: 21_000 });
      expect(groups.map(({ key, streams }) => [key, streams])).toEqual([
        ['2026-08', 1],
        ['2026-10', 1],
        ['2026-11', 2],
      ]);
    });

    it('take over the events of their months from the default one, unchanged', async () => {
      const { prepare, send, counts, query } = await openAt(NOW);
      const old = stream('old', 0, { occurredAt: NOW - 40 * DAY_MS });
      const production = { id: 'ep-7', title: 'Harbour Lights' };
      const cue = { startSeconds: 62, usage: 'BI' } as const;
      const sync = stream('s', 1, { type: 'sync', production, cue, country: 'DE', userId: 'u' });
      await send(stream('a'), old, sync);
      const rows = () => query('SELECT * FROM usage_events ORDER BY row_id');
      const before = await rows();
      expect(await counts()).toEqual({ usage_events_default: 3 });
      expect(await prepare()).toEqual([202611, 202612]);
      expect(await counts()).toEqual({ usage_events_202611: 2, usage_events_default: 1 });
      expect(await rows()).toEqual(before);
      const again = await send(stream('a'), old, sync, stream('b'));
      expect(again.map(({ status }) => status)).toEqual([
        'duplicate',
        'duplicate',
        'duplicate',
        'accepted',
      ]);
      expect(new Set((await rows()).map((row) => row.row_id)).size).toBe(4);
    });

    it('are not created for a month of which the default one has too many events', async () => {
      const { prepare, send, counts, query } = await openAt(NOW);
      await send(stream('a'));
      await query(`
        INSERT INTO usage_events (month, source_row_id, event_id, type, track_row_id, occurred_at,
          received_at, batch_id, offline)
        SELECT month, source_row_id, 'e-' || n, type, track_row_id, occurred_at, received_at,
          batch_id, offline
        FROM usage_events, generate_series(1, 50000) AS n`);
      expect(await prepare()).toEqual([202612]);
      await send(stream('b'));
      expect(await counts()).toEqual({ usage_events_default: 50_002 });
    });

    it('are created by one of several nodes, and lose no report meanwhile', async () => {
      const { store, prepare, counts, another } = await openAt(NOW);
      const nodes = [store, await another(), await another()];
      let isDone = false;
      let sent = 0;
      const reporting = nodes.map(async ({ usage }, node) => {
        for (let n = 0; !isDone || n < 5; n++) {
          const events = [0, 40].map((age) =>
            stream(`${node}-${n}-${age}`, 0, { occurredAt: NOW - age * DAY_MS }),
          );
          await usage.report(report(events, { maxAgeDays: 90 }));
          sent++;
        }
      });
      await until(async () => sent > 10, 'the first reports');
      const preparing = Promise.all([...nodes, ...nodes].map((node) => prepare(node)));
      const created = await preparing.finally(() => {
        isDone = true;
      });
      await Promise.all(reporting);
      expect(created.flat().sort()).toEqual([202611, 202612]);
      expect(await counts()).toEqual({ usage_events_202611: sent, usage_events_default: sent });
    });

    it('do not wait long for a transaction that reads events, and are created later', async () => {
      const { prepare, send, location } = await openAt(NOW);
      const reader = new pg.Client({ connectionString: location });
      await reader.connect();
      await reader.query('BEGIN; SELECT FROM usage_events');
      await expect(prepare()).rejects.toThrow();
      expect(await send(stream('a'))).toEqual([{ status: 'accepted', takenDown: false }]);
      await reader.end();
      expect(await prepare()).toEqual([202611, 202612]);
    });

    it('are created by the housekeeping', async () => {
      const { store, query } = await openAt(NOW);
      const keeper = housekeeping({ store, log: silentLog });
      keeper.start();
      const found = () =>
        query(
          "SELECT FROM pg_class WHERE relname IN ('usage_events_202611', 'usage_events_202612')",
        );
      await until(async () => (await found()).length === 2, 'the partitions');
      await keeper.stop();
    });
  });
}
