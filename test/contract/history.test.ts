import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/common/clock.ts';
import { silentLog } from '../../src/common/log.ts';
import { changeLogRetention } from '../../src/features/changes/work/change-log-retention.ts';
import type { Store } from '../../src/features/store.ts';
import type { TestClock } from '../harness/clock.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, harnessOf, someClient, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';
import { named, tableOf } from './batches-support.ts';

const advanceDays = (clock: TestClock, days: number) => clock.advance((days * DAY_MS) / 1_000);

for (const adapter of ADAPTERS) {
  describe(`the history on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const ended: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const end of ended.splice(0)) await end();
    });

    /** Runs the retention of a node that keeps two years, until the condition is met. */
    async function retain(store: Store, clock: TestClock, isDone: () => Promise<boolean>) {
      const config = { historyYears: 2 };
      const retention = changeLogRetention({ store, config, clock, log: silentLog });
      ended.push(() => retention.stop());
      retention.start();
      await until(isDone);
      await retention.stop();
    }

    it('outlives the positions of the feed and the undo of imports', async () => {
      const { store, clock } = await open();
      const client = someClient();
      await store.clients.create(client, BY);
      await importAll(store, deliveries(0, 3), 'first');
      await importAll(store, deliveries(0, 3).map(named('two')), 'second');
      await setTrackState(store, trackId(1), 'taken_down', BY);
      const all = await allChanges(store);
      advanceDays(clock, 91);
      const floor = async () => (await store.changes.bounds()).floor;
      await retain(store, clock, async () => (await floor()) > 0);
      expect(await floor()).toBe(7);
      expect(await allChanges(store)).toEqual(all);
      const [ofTrack, ofClient] = [trackId(1), client.id].map((entityId) =>
        store.changes.latest(10, { entityId }),
      );
      expect((await ofTrack!).map(({ kind }) => kind)).toEqual([
        'taken_down',
        'updated',
        'created',
      ]);
      expect((await ofClient!).map(({ kind }) => kind)).toEqual(['created']);
      expect(await store.batches.latest(10)).toMatchObject([
        { id: 'second', updated: 3, expired: true },
        { id: 'first', created: 3, expired: true },
      ]);
      expect(await store.tables.count(tableOf('former_tracks'))).toBe(0);

      advanceDays(clock, 2 * 366);
      await retain(store, clock, async () => (await allChanges(store)).length < all.length);
      expect(await allChanges(store)).toEqual(all.slice(-1));
      expect(await store.batches.latest(10)).toEqual([]);
    });

    it('is searched in many statements', async () => {
      const { store, location, clock } = await open();
      await store.clients.create(someClient(), 'cli:anna');
      await importAll(store, deliveries(0, 1));
      {
        await using database = await openDatabase(adapter, location, clock);
        await database.sql.write(({ log }) => {
          const changes = Array.from({ length: 25_000 }, () => ['updated', trackId(1)] as const);
          return log('track', changes, { by: BY, batchId: null });
        });
      }
      await store.clients.create(someClient(), 'cli:anna');
      const found = async (limit: number, filter: object) =>
        (await store.changes.latest(limit, filter)).map(({ seq }) => seq);
      expect(await found(9, { by: 'cli:anna' })).toEqual([25_003, 1]);
      expect(await found(1, { by: 'cli:anna' })).toEqual([25_003]);
      expect(await found(9, { by: 'cli:anna', beforeSeq: 25_003 })).toEqual([1]);
      expect(await found(9, { by: 'cli:anna', since: clock.now() })).toEqual([25_003, 1]);
      expect(await found(9, { by: 'cli:anna', since: clock.now() + 1 })).toEqual([]);
      const many = await found(20_000, { kind: 'updated' });
      expect(many).toEqual(Array.from({ length: 20_000 }, (_, i) => 25_002 - i));
    });
  });
}
