import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { UsageEvent } from '../../src/features/usage/usage.ts';
import { totalsOf, type UsageCounts } from '../../src/features/usage/usage.ts';
import { allOf } from '../harness/all-of.ts';
import { deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { CLIENT, DAY_MS, NOW, report, stream } from './usage-support.ts';

const TODAY = Math.floor(NOW / DAY_MS);
const RANGE = { mode: 'live', clientId: CLIENT, from: TODAY - 89, to: TODAY - 1 } as const;
const COUNTERS = { stream: 'streams', download: 'downloads', sync: 'syncs' } as const;

/** Counts events, or the events of sums. */
function counted(
  rows: readonly { type: UsageEvent['type']; seconds: number | null; events?: number }[],
): UsageCounts {
  const none = { streams: 0, downloads: 0, syncs: 0 };
  return totalsOf(
    rows.map(({ type, seconds, events = 1 }) => ({
      ...none,
      [COUNTERS[type]]: events,
      seconds: seconds ?? 0,
    })),
  );
}

for (const adapter of ADAPTERS) {
  describe(`records of usage on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are the same by event, by day and in the summary, over many slices', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 100));
      const events = Array.from({ length: 12_000 }, (_, n) => {
        const day = Math.floor(n / 100) % 20;
        return stream(`e-${n}`, n % 100, {
          occurredAt: NOW - (day === 19 ? 60 : day) * DAY_MS,
          country: ['DE', 'FR', null][Math.floor(n / 2_000) % 3]!,
          ...(n % 5 === 0 ? { type: 'download', seconds: null } : { seconds: n % 100 }),
        });
      });
      for (let at = 0; at < events.length; at += 500) {
        const batch = events.slice(at, at + 500);
        await store.usage.report(report(batch, { maxAgeDays: 90 }));
        if (at % 4_000 === 0) {
          await store.usage.report(report(batch, { maxAgeDays: 90, clientId: newId() }));
        }
      }
      const byDay = (await allOf(store.usageRecords.days(RANGE))).flat();
      const slices = await allOf(store.usageRecords.events(RANGE));
      const byEvent = slices.flat();
      expect(slices.length).toBeGreaterThan(3);
      expect(byDay.length).toBeGreaterThan(5_000);
      expect(new Set(byEvent.map(({ eventId }) => eventId)).size).toBe(byEvent.length);
      const query = { ...RANGE, groupBy: 'day' } as const;
      const { totals } = await store.usage.summary(query);
      expect(totals).toEqual(
        counted(events.filter(({ occurredAt }) => Math.floor(occurredAt / DAY_MS) < TODAY)),
      );
      expect(counted(byDay)).toEqual(totals);
      expect(counted(byEvent)).toEqual(totals);
    }, 60_000);

    it('may be of any year', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 1));
      const times = [Date.parse('0000-01-01T12:00:00Z'), Date.parse('9999-12-31T12:00:00Z')];
      for (const [n, occurredAt] of times.entries()) {
        const events = [stream(`e-${n}`, 0, { occurredAt })];
        await store.usage.report(report(events, { mode: 'test', receivedAt: occurredAt }));
      }
      const [from, to] = times.map((time) => Math.floor(time / DAY_MS)) as [number, number];
      const found = await allOf(store.usageRecords.events({ mode: 'test', from, to }));
      expect(found.flat().map(({ occurredAt }) => occurredAt)).toEqual(times);
      expect((await store.usageRecords.purge(to + 1)).events).toBe(2);
    });

    it('belong to clients with a first and a last day', async () => {
      const { store } = await open();
      await importAll(store, deliveries(0, 1));
      const { usageRecords } = store;
      expect(await usageRecords.sources({ mode: 'live' })).toEqual([]);
      const old = stream('a', 0, { occurredAt: NOW - 3 * DAY_MS });
      await store.usage.report(report([old, stream('b')]));
      const source = { clientId: CLIENT, firstDay: TODAY - 3, lastDay: TODAY };
      expect(await usageRecords.sources({ mode: 'live' })).toEqual([source]);
      expect(await usageRecords.sources({ mode: 'live', clientId: CLIENT })).toEqual([source]);
      expect(await usageRecords.sources({ mode: 'live', clientId: newId() })).toEqual([]);
      expect(await usageRecords.sources({ mode: 'test' })).toEqual([]);
    });
  });
}
