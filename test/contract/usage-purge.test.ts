import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { UsageEvent, UsageReport } from '../../src/features/usage/usage.ts';
import { allOf } from '../harness/all-of.ts';
import { deliveries, importAll } from '../harness/deliveries.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { CLIENT, DAY_MS, NOW, report, stream } from './usage-support.ts';

const TODAY = Math.floor(NOW / DAY_MS);
const KEPT_FROM = TODAY - 30;
const BOUNDARY = KEPT_FROM * DAY_MS;

function sync(eventId: string, productionId: string, occurredAt: number): UsageEvent {
  return stream(eventId, 0, {
    ...{ type: 'sync', seconds: 31, occurredAt },
    production: { id: productionId, title: 'P' },
    cue: { startSeconds: 1, usage: 'BI' },
  });
}

for (const adapter of ADAPTERS) {
  describe(`a purge of usage on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    async function openWith() {
      const { store, location, clock, another } = await open();
      await importAll(store, deliveries(0, 20));
      const send = (events: readonly UsageEvent[], overrides: Partial<UsageReport> = {}) =>
        store.usage.report(report(events, { maxAgeDays: 90, ...overrides }));
      const all = { mode: 'live', from: TODAY - 90, to: TODAY } as const;
      /** Returns the number of events by event, by day and in the summaries. */
      const counts = async () => {
        const events = (await allOf(store.usageRecords.events(all))).flat();
        const days = (await allOf(store.usageRecords.days(all))).flat();
        let summed = 0;
        for (const { clientId } of await store.usageRecords.sources(all)) {
          const { totals } = await store.usage.summary({ ...all, clientId, groupBy: 'type' });
          summed += totals.streams + totals.downloads + totals.syncs;
        }
        return [events.length, days.reduce((sum, day) => sum + day.events, 0), summed];
      };
      const database = () => openDatabase(adapter, location, clock);
      return { store, another, send, counts, database };
    }

    it('deletes the events before a day, and nothing of that day', async () => {
      const { store, send, counts } = await openWith();
      const old = stream('old', 0, { occurredAt: BOUNDARY - 1 });
      const kept = stream('kept', 0, { occurredAt: BOUNDARY });
      await send([old, kept, sync('s-1', 'gone', BOUNDARY - 1), sync('s-2', 'used', 1 + BOUNDARY)]);
      await send([sync('s-3', 'used', BOUNDARY - DAY_MS)]);
      await send([old], { clientId: newId() });
      await send([old], { mode: 'test' });
      expect(await store.usageRecords.purge(KEPT_FROM)).toEqual({ events: 5, productions: 1 });
      expect(await counts()).toEqual([2, 2, 2]);
      const events = (
        await allOf(store.usageRecords.events({ mode: 'live', from: 0, to: TODAY }))
      ).flat();
      expect(events.map(({ eventId }) => eventId).sort()).toEqual(['kept', 's-2']);
      const { cueSheets } = store;
      expect(await cueSheets.productionOf(CLIENT, 'live', 'gone')).toBeUndefined();
      expect((await cueSheets.productionOf(CLIENT, 'live', 'used'))?.syncs).toHaveLength(1);
      expect(await store.usageRecords.purge(KEPT_FROM)).toEqual({ events: 0, productions: 0 });
      expect((await send([old, kept])).map(({ status }) => status)).toEqual([
        'accepted',
        'duplicate',
      ]);
    });

    it('leaves nothing of what it deletes, over many slices', async () => {
      const { store, send, counts, database } = await openWith();
      const events = Array.from({ length: 3_000 }, (_, n) =>
        stream(`e-${n}`, n % 20, { occurredAt: NOW - (n % 60) * DAY_MS }),
      );
      for (let at = 0; at < 3_000; at += 500) await send(events.slice(at, at + 500));
      const kept = events.filter(({ occurredAt }) => occurredAt >= BOUNDARY).length;
      const purged = await store.usageRecords.purge(KEPT_FROM);
      expect(purged).toEqual({ events: 3_000 - kept, productions: 0 });
      expect(await counts()).toEqual([kept, kept, kept]);
      await store.usageRecords.purge(TODAY + 1);
      await using opened = await database();
      for (const table of ['usageEvents', 'usageEventIds', 'usageDays', 'productions'] as const) {
        const rows = await opened.sql.queries.selectFrom(table).selectAll().execute();
        expect([table, rows]).toEqual([table, []]);
      }
    });

    it('keeps the sums equal to the events while others report and purge', async () => {
      const { store, another, send, counts } = await openWith();
      const other = await another();
      const batch = (n: number) =>
        Array.from({ length: 200 }, (_, i) =>
          i % 10 === 0
            ? sync(`b-${n}-${i}`, `p-${i}`, BOUNDARY - (i % 7) * DAY_MS - 1)
            : stream(`b-${n}-${i}`, i % 20, { occurredAt: BOUNDARY - (i % 7) * DAY_MS - 1 }),
        );
      for (let n = 0; n < 6; n++) await send(batch(n));
      const purges = [store, other, store].map((one) => one.usageRecords.purge(KEPT_FROM));
      for (let n = 6; n < 12; n++) await send(batch(n));
      const deleted = await Promise.all(purges);
      const left = 12 * 200 - deleted.reduce((sum, { events }) => sum + events, 0);
      expect(await counts()).toEqual([left, left, left]);
      expect(deleted.reduce((sum, { events }) => sum + events, 0)).toBeGreaterThanOrEqual(1_200);
      const events = (
        await allOf(store.usageRecords.events({ mode: 'live', from: 0, to: TODAY }))
      ).flat();
      for (const { productionId } of events) {
        if (productionId === null) continue;
        expect(await store.cueSheets.productionOf(CLIENT, 'live', productionId)).toBeDefined();
      }
    }, 30_000);
  });
}
