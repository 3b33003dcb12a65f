import { describe, expect, it } from 'vitest';
import type { UsageEvent } from '../../src/features/usage/usage.ts';
import { SUMMARY_GROUPS, type SummaryQuery, totalsOf } from '../../src/features/usage/usage.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { CLIENT, DAY_MS, NOW, report, stream } from './usage-support.ts';

const TODAY = Math.floor(NOW / DAY_MS);
const daysAgo = (days: number) => NOW - days * DAY_MS;
const group = (key: string, counts: object) => ({
  ...{ key, streams: 0, downloads: 0, syncs: 0, seconds: 0 },
  ...counts,
});

for (const adapter of ADAPTERS) {
  describe(`a summary of usage on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    async function openWith(...events: UsageEvent[]) {
      const { store } = await open();
      await importAll(store, deliveries(0, 3));
      await store.usage.report(report(events, { maxAgeDays: 90 }));
      const whole = (query: Partial<SummaryQuery> = {}) =>
        store.usage.summary({
          ...{ clientId: CLIENT, mode: 'live', from: TODAY - 89, to: TODAY, groupBy: 'day' },
          ...query,
        });
      const summary = async (query?: Partial<SummaryQuery>) => (await whole(query)).groups;
      return { store, summary, whole };
    }
    const EVENTS = [
      stream('a', 0, { occurredAt: daysAgo(40), country: 'FR' }),
      stream('b', 1, { country: 'DE' }),
      stream('c', 1, { seconds: 8 }),
      stream('d', 1, { type: 'download', seconds: null, country: 'DE' }),
      stream('e', 2, {
        ...{ type: 'sync', seconds: 31, occurredAt: daysAgo(1), country: 'DE' },
        production: { id: 'p', title: 'P' },
        cue: { startSeconds: 1, usage: 'BI' },
      }),
    ];

    it('adds up by each key, in its order', async () => {
      const { summary } = await openWith(...EVENTS);
      expect(await summary()).toEqual([
        group('2026-10-12', { streams: 1, seconds: 42 }),
        group('2026-11-20', { syncs: 1, seconds: 31 }),
        group('2026-11-21', { streams: 2, downloads: 1, seconds: 50 }),
      ]);
      expect(await summary({ groupBy: 'month' })).toEqual([
        group('2026-10', { streams: 1, seconds: 42 }),
        group('2026-11', { streams: 2, downloads: 1, syncs: 1, seconds: 81 }),
      ]);
      const [one, other] = [trackId(0), trackId(2)].sort();
      const tracks = await summary({ groupBy: 'track' });
      expect(tracks[0]).toEqual(group(trackId(1), { streams: 2, downloads: 1, seconds: 50 }));
      expect(tracks.map(({ key }) => key)).toEqual([trackId(1), one, other]);
      expect(await summary({ groupBy: 'type' })).toEqual([
        group('stream', { streams: 3, seconds: 92 }),
        group('download', { downloads: 1 }),
        group('sync', { syncs: 1, seconds: 31 }),
      ]);
      expect(await summary({ groupBy: 'country' })).toEqual([
        group('DE', { streams: 1, downloads: 1, syncs: 1, seconds: 73 }),
        group('', { streams: 1, seconds: 8 }),
        group('FR', { streams: 1, seconds: 42 }),
      ]);
    });

    it('adds up only the days, the type and the track that were asked for', async () => {
      const { summary } = await openWith(...EVENTS);
      expect(await summary({ from: TODAY - 40, to: TODAY - 1 })).toHaveLength(2);
      expect(await summary({ from: TODAY - 39, to: TODAY - 2 })).toEqual([]);
      expect(await summary({ groupBy: 'country', type: 'download' })).toEqual([
        group('DE', { downloads: 1 }),
      ]);
      expect(await summary({ groupBy: 'type', trackId: trackId(1) })).toEqual([
        group('stream', { streams: 2, seconds: 50 }),
        group('download', { downloads: 1 }),
      ]);
      expect(await summary({ groupBy: 'track', trackId: trackId(2) })).toEqual([
        group(trackId(2), { syncs: 1, seconds: 31 }),
      ]);
      expect(await summary({ trackId: trackId(77) })).toEqual([]);
      expect(await summary({ mode: 'test' })).toEqual([]);
    });

    it('returns pages of each kind of groups, with the number and the totals of all groups', async () => {
      const { summary, whole } = await openWith(...EVENTS);
      for (const groupBy of SUMMARY_GROUPS) {
        const all = await summary({ groupBy });
        const totals = totalsOf(all);
        expect(totals).toEqual({ streams: 3, downloads: 1, syncs: 1, seconds: 123 });
        for (let offset = 0; offset < all.length + 2; offset++) {
          expect(await whole({ groupBy, offset, limit: 2 })).toEqual({
            groups: all.slice(offset, offset + 2),
            count: all.length,
            totals,
          });
        }
      }
      const none = { groups: [], count: 0, totals: totalsOf([]) };
      for (const groupBy of SUMMARY_GROUPS) {
        const noDays = { groupBy, from: TODAY - 89, to: TODAY - 80 } as const;
        expect(await whole(noDays)).toEqual(none);
        expect(await whole({ ...noDays, offset: 1 })).toEqual(none);
      }
    });

    it('adds up a track that was removed and imported again under its id', async () => {
      const { store, summary } = await openWith();
      for (const eventId of ['a', 'b']) {
        await importAll(store, [delivery(7, { source: 'gone' })]);
        await store.usage.report(report([stream(eventId, 7)]));
        await store.catalog.removeSource('gone', BY);
      }
      const sum = [group(trackId(7), { streams: 2, seconds: 84 })];
      expect(await summary({ groupBy: 'track' })).toEqual(sum);
      expect(await summary({ groupBy: 'track', trackId: trackId(7) })).toEqual(sum);
    });
  });
}
