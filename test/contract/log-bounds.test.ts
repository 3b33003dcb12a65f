import { describe, expect, it } from 'vitest';
import { ensureLogEpoch, renewLogEpoch } from '../../src/engines/change-log/positions.ts';
import { TestClock } from '../harness/clock.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, harnessOf, someClient, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';

for (const adapter of ADAPTERS) {
  describe(`the bounds of the change log on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are 0 while the log is empty', async () => {
      const { store } = await open();
      expect(await store.changes.bounds()).toEqual({
        head: 0,
        headAt: 0,
        floor: 0,
        floorAt: 0,
        epoch: null,
      });
    });

    it('give no change an earlier time than the change before, whatever the clocks show', async () => {
      const { store, clock, location } = await open();
      const behind = new TestClock(clock.now() - 60_000);
      const other = await adapter.open(location, behind);
      const start = clock.now();
      await importAll(store, deliveries(0, 3));
      await importAll(other, deliveries(3, 6));
      await other.clients.create(someClient(), BY);
      clock.advance(1);
      await Promise.all([
        importAll(store, deliveries(6, 40)),
        importAll(other, deliveries(40, 80)),
        setTrackState(store, trackId(1), 'taken_down', BY),
        setTrackState(other, trackId(2), 'taken_down', BY),
      ]);
      clock.advance(-3_600);
      await store.clients.create(someClient(), BY);
      const changes = await allChanges(store);
      await other.close();
      const times = changes.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times.slice(0, 7)).toEqual(Array(7).fill(start));
      expect(times.at(-1)).toBe(start + 1_000);
      expect(await store.changes.bounds()).toEqual({
        head: changes.at(-1)!.seq,
        headAt: start + 1_000,
        floor: 0,
        floorAt: 0,
        epoch: null,
      });
    });

    it('tell which changes of tracks have expired', async () => {
      const { store, clock } = await open();
      const start = clock.now();
      await store.clients.create(someClient(), BY);
      await importAll(store, deliveries(0, 2_500));
      clock.advance(1);
      await importAll(store, [delivery(0, { name: 'Another' }), delivery(2_500)]);
      await setTrackState(store, trackId(1), 'taken_down', BY);
      await store.clients.create(someClient(), BY);
      const head = await store.changes.head();
      const now = clock.now();
      await store.changes.expire(start);
      expect(await store.changes.bounds()).toMatchObject({ floor: 0, floorAt: 0 });
      await store.changes.expire(start + 1);
      const expired = { head, headAt: now, floor: 2_501, floorAt: start, epoch: null };
      expect(await store.changes.bounds()).toEqual(expired);
      await store.changes.raiseFloor(now + 1);
      // Takedowns and other entities move no floor.
      expect(await store.changes.bounds()).toEqual({ ...expired, floor: 2_503, floorAt: now });
      await store.changes.expire(now + 1);
      clock.advance(-3_600);
      await store.clients.create(someClient(), BY);
      expect(await store.changes.bounds()).toEqual({
        head: head + 1,
        headAt: now,
        floor: 2_503,
        floorAt: now,
        epoch: null,
      });
    });

    it('have a floor that needs no deletion', async () => {
      const { store, clock } = await open();
      await importAll(store, deliveries(0, 3));
      const at = clock.now();
      clock.advance(1);
      await importAll(store, deliveries(3, 5));
      await store.changes.raiseFloor(at);
      expect(await store.changes.bounds()).toMatchObject({ floor: 0 });
      await store.changes.raiseFloor(at + 1);
      await store.changes.raiseFloor(at);
      expect(await store.changes.bounds()).toMatchObject({ floor: 3, floorAt: at, head: 5 });
      expect(await allChanges(store)).toHaveLength(5);
    });

    it('find the first change at or after a time', async () => {
      const { store, clock } = await open();
      const start = clock.now();
      expect(await store.changes.firstAt(0)).toBeUndefined();
      await importAll(store, deliveries(0, 3));
      clock.advance(2);
      await importAll(store, deliveries(3, 5));
      const first = (time: number) => store.changes.firstAt(time);
      const times = [0, start, start + 1, start + 2_000, start + 2_001];
      expect(await Promise.all(times.map(first))).toEqual([1, 1, 4, 4, undefined]);
    });

    it('have the epoch of the log, which concurrent starts set once', async () => {
      const { store, another } = await open();
      const nodes = [store, await another(), await another()];
      await Promise.all(nodes.map(({ settings }) => ensureLogEpoch(settings)));
      const epochs = await Promise.all(
        nodes.map(async ({ changes }) => (await changes.bounds()).epoch),
      );
      expect(epochs[0]).toMatch(/^[0-9a-f]{16}$/);
      expect(new Set(epochs).size).toBe(1);
      const renewed = await renewLogEpoch(store.settings);
      await ensureLogEpoch(store.settings);
      expect((await nodes[2]!.changes.bounds()).epoch).toBe(renewed);
      expect(renewed).not.toBe(epochs[0]);
    });
  });
}
