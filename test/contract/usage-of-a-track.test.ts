import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { UsageEvent, UsageReport } from '../../src/features/usage/usage.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { CLIENT, DAY_MS, NOW, report, stream } from './usage-support.ts';

for (const adapter of ADAPTERS) {
  describe(`the reported use of a track on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    async function openWith(tracks: number) {
      const harness = await open();
      const { store } = harness;
      await importAll(store, deliveries(0, tracks));
      return {
        ...harness,
        send: (events: readonly UsageEvent[], overrides: Partial<UsageReport> = {}) =>
          store.usage.report(report(events, { maxAgeDays: 90, ...overrides })),
        used: async (track: number, clientId = CLIENT, mode: 'live' | 'test' = 'live') =>
          (await store.references.ofTrack(trackId(track), clientId, mode))?.usage,
      };
    }
    const none = { events: 0, lastOccurredAt: null };
    const at = (days: number) => ({ occurredAt: NOW - days * DAY_MS });

    it('counts the events of all types, days and countries, with the time of the last one', async () => {
      const { send, used } = await openWith(3);
      expect(await used(0)).toEqual(none);
      await send([
        stream('a', 0, at(3)),
        stream('b', 0, { ...at(40), country: 'DE' }),
        stream('c', 0, { ...at(90), type: 'download', seconds: null }),
        stream('d', 1, at(0)),
      ]);
      expect(await used(0)).toEqual({ events: 3, lastOccurredAt: NOW - 3 * DAY_MS });
      expect(await used(1)).toEqual({ events: 1, lastOccurredAt: NOW });
      expect(await used(2)).toEqual(none);
    });

    it('has the time of the last event, in whatever order they are reported', async () => {
      const { send, used } = await openWith(1);
      const times = [5_000, 9_000, 2_000].map((ms) => NOW - 3_600_000 + ms);
      for (const [n, occurredAt] of times.entries()) {
        await send([
          stream(`e-${n}`, 0, { occurredAt }),
          stream('e-0', 0, { occurredAt: times[0]! }),
        ]);
      }
      expect(await used(0)).toEqual({ events: 3, lastOccurredAt: times[1] });
    });

    it('counts days that are thousands of years apart, and the days between them', async () => {
      const { send, used } = await openWith(2);
      const report = (day: number, track: number) => {
        const occurredAt = day * DAY_MS;
        return send([stream(`e-${day}`, track, { occurredAt })], { receivedAt: occurredAt });
      };
      for (const day of [-719_528, 2_932_896, 0]) await report(day, 0);
      await report(1, 1);
      expect(await used(0)).toEqual({ events: 3, lastOccurredAt: 2_932_896 * DAY_MS });
      const days = Array.from({ length: 2_000 }, (_, n) => n + 10);
      const events = days.map((day) => stream(`d-${day}`, 1, { occurredAt: day * DAY_MS }));
      const [receivedAt, maxAgeDays] = [days.at(-1)! * DAY_MS, days.length];
      for (let n = 0; n < days.length; n += 500) {
        await send(events.slice(n, n + 500), { receivedAt, maxAgeDays });
      }
      expect(await used(1)).toEqual({ events: 2_001, lastOccurredAt: receivedAt });
      expect((await used(0))!.events).toBe(3);
    });

    it('is that of one client and mode', async () => {
      const { send, used } = await openWith(1);
      const other = newId();
      await send([stream('a')]);
      await send([stream('a'), stream('b')], { mode: 'test' });
      expect((await used(0))!.events).toBe(1);
      expect((await used(0, CLIENT, 'test'))!.events).toBe(2);
      expect(await used(0, other)).toEqual(none);
    });

    it('includes what was reported before the track was removed and imported again', async () => {
      const { store, send, used } = await openWith(1);
      const once = delivery(7, { source: 'gone' });
      await importAll(store, [once]);
      await send([stream('a', 7)]);
      await store.catalog.removeSource('gone', BY);
      await importAll(store, [once]);
      await send([stream('b', 7, at(1))]);
      expect(await used(7)).toEqual({ events: 2, lastOccurredAt: NOW - 3_600_000 });
    });

    it('is no reference to a track that was taken down', async () => {
      const { store, send, used } = await openWith(1);
      await send([stream('a')]);
      await setTrackState(store, trackId(0), 'taken_down', BY);
      expect(await used(0)).toBeUndefined();
    });
  });
}
