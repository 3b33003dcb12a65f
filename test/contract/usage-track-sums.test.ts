import { describe, expect, it } from 'vitest';
import type { SummaryQuery, UsageEvent } from '../../src/features/usage/usage.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { CLIENT, DAY_MS, NOW, report, stream } from './usage-support.ts';

const TODAY = Math.floor(NOW / DAY_MS);
/** As many as the sums of a day must have to be stored, on each of two days. */
const EVENTS = 2_000;
const TRACKS = 20;
const ALL = { clientId: CLIENT, mode: 'live', from: TODAY - 60, to: TODAY } as const;

for (const adapter of ADAPTERS) {
  describe(`the stored sums of tracks on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    async function openWith(days: readonly number[] = [30, 31]) {
      const { store, location, clock, another } = await open();
      clock.advance((NOW - clock.now()) / 1_000);
      await importAll(store, deliveries(0, TRACKS));
      const send = async (events: readonly UsageEvent[]) => {
        for (let at = 0; at < events.length; at += 500) {
          const part = events.slice(at, at + 500);
          await store.usage.report(report(part, { maxAgeDays: 90 }));
        }
      };
      await send(many('e', days));
      const byTrack = (query: Partial<SummaryQuery> = {}) =>
        store.usage.summary({ ...ALL, groupBy: 'track', ...query });
      /** The sums of the exported days, which are never stored, by track. */
      const exported = async ({ from, to }: { from: number; to: number } = ALL) => {
        const counts = new Map<string, number>();
        for await (const rows of store.usageRecords.days({ mode: 'live', from, to })) {
          for (const { trackId, events } of rows) {
            counts.set(trackId, (counts.get(trackId) ?? 0) + events);
          }
        }
        return counts;
      };
      const database = () => openDatabase(adapter, location, clock);
      const stored = async () => {
        await using opened = await database();
        return await opened.sql.queries
          .selectFrom('usageTrackSums')
          .select(['firstDay', 'lastDay', 'events', 'purges'])
          .orderBy('firstDay')
          .orderBy('lastDay')
          .execute();
      };
      const expectExact = async (query: { from: number; to: number } = ALL) => {
        const { groups } = await byTrack(query);
        const counts = new Map(groups.map(({ key, streams }) => [key, streams]));
        expect(counts).toEqual(await exported(query));
      };
      return { store, another, send, byTrack, database, stored, expectExact };
    }
    /** Streams of these days, alternately. Tracks differ in their numbers. */
    const many = (name: string, days: readonly number[], count = EVENTS) =>
      Array.from({ length: count }, (_, n) =>
        stream(`${name}-${n}`, Math.floor(TRACKS * ((n * 0.618) % 1) ** 2), {
          occurredAt: NOW - days[n % days.length]! * DAY_MS,
          country: n % 3 === 0 ? 'DE' : null,
          seconds: n % 7,
        }),
      );

    it('do not change a summary, whatever its days, type and page', async () => {
      const { store, byTrack, stored, expectExact } = await openWith();
      const queries = [{}, { type: 'stream' }, { type: 'sync' }, { offset: 3, limit: 5 }] as const;
      const before = await Promise.all(queries.map(byTrack));
      expect(before[0]).toMatchObject({ count: TRACKS, totals: { streams: EVENTS } });
      await store.usage.prepareSummaries();
      const events = EVENTS / 2;
      const [first, last] = [TODAY - 31, TODAY - 30];
      expect(await stored()).toEqual([
        { firstDay: first, lastDay: first, events, purges: 0 },
        { firstDay: first, lastDay: last, events: EVENTS, purges: 0 },
        { firstDay: last, lastDay: last, events, purges: 0 },
      ]);
      expect(await Promise.all(queries.map(byTrack))).toEqual(before);
      for (const [from, to] of [
        [first, first],
        [last, last],
        [first, last],
        [last, TODAY],
      ] as const) {
        await expectExact({ from, to });
      }
    });

    it('are read instead of the days', async () => {
      const { store, byTrack, database } = await openWith();
      await store.usage.prepareSummaries();
      await using opened = await database();
      // The sums of the month become those of its first day, to show that they are read.
      await opened.run(`
        UPDATE usage_track_sums SET sums = (
          SELECT day.sums FROM usage_track_sums AS day WHERE day.last_day = ${TODAY - 31})
        WHERE first_day < last_day`);
      expect((await byTrack()).totals.streams).toBe(EVENTS / 2);
    });

    it('are not used for days that were reported since, until they are stored again', async () => {
      const { store, send, stored, expectExact } = await openWith();
      await store.usage.prepareSummaries();
      await send(many('late', [31, 0], 10));
      await expectExact();
      await store.usage.prepareSummaries();
      expect((await stored()).map(({ events }) => events)).toEqual([1_005, 2_005, 1_000]);
      await expectExact();
    });

    it('are not used after a purge, even if as many events are reported again', async () => {
      const { store, send, stored, expectExact } = await openWith();
      await send(many('other', [31], 1));
      await store.usage.prepareSummaries();
      await store.usageRecords.purge(TODAY - 30);
      // As many events as before, of other tracks.
      const again = Array.from({ length: EVENTS / 2 + 1 }, (_, n) =>
        stream(`again-${n}`, 19, { occurredAt: NOW - 31 * DAY_MS }),
      );
      await send(again);
      await expectExact();
      await store.usage.prepareSummaries();
      await expectExact();
      await store.usageRecords.purge(TODAY + 1);
      await store.usage.prepareSummaries();
      expect(await stored()).toEqual([]);
    });

    it('are those of a track under each of its row ids', async () => {
      const { store, byTrack, send } = await openWith();
      for (const name of ['a', 'b']) {
        await importAll(store, [delivery(77, { source: 'gone' })]);
        const events = Array.from({ length: 1_000 }, (_, n) =>
          stream(`${name}-${n}`, 77, { occurredAt: NOW - 20 * DAY_MS }),
        );
        await send(events);
        await store.catalog.removeSource('gone', BY);
      }
      const before = await byTrack();
      expect(before.groups[0]).toMatchObject({ streams: 2_000 });
      await store.usage.prepareSummaries();
      expect(await byTrack()).toEqual(before);
    });

    it('are exact while others report, purge and store them', async () => {
      const { store, another, send, expectExact } = await openWith();
      const other = await another();
      const work = [
        send(many('more', [31, 30, 5], 1_500)),
        store.usage.prepareSummaries(),
        other.usage.prepareSummaries(),
        other.usageRecords.purge(TODAY - 30),
      ];
      await Promise.all(work);
      await expectExact();
      await Promise.all([store.usage.prepareSummaries(), other.usage.prepareSummaries()]);
      await expectExact();
    });
  });
}
