import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { allChanges, harnessOf, someClient, trackId } from '../harness/stores.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(fixture: string, ...parameters: string[]): ChildProcess {
  const path = join(import.meta.dirname, '../harness/programs', fixture);
  const child = spawn(process.execPath, [path, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

/** The lines that a child process prints. */
function linesOf(child: ChildProcess): AsyncIterable<string> {
  return createInterface({ input: child.stdout! });
}

for (const adapter of ADAPTERS) {
  describe(`several processes on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('all open an empty place at once', async () => {
      const place = await adapter.provide();
      try {
        const exits = await Promise.all(
          Array.from({ length: 4 }, () =>
            once(start('open-store.ts', adapter.name, place.location), 'exit'),
          ),
        );
        expect(exits).toEqual(Array(4).fill([0, null]));
        const store = await adapter.open(place.location, { now: () => 0 });
        expect(await store.clients.all()).toHaveLength(4);
        await store.check(true);
        await store.close();
      } finally {
        await place.dispose();
      }
    });

    it('lose no acknowledged track if one is killed during a delivery', async () => {
      const { store, location } = await open();
      const batchSize = 150;
      let promised = 0;
      // Killed after the first, the second and the fourth batch, at a random time during the next one.
      for (const [batches, delayMs] of [
        [1, 3],
        [2, 9],
        [4, 0],
      ] as const) {
        const child = start('deliver-on.ts', adapter.name, location, String(batchSize), '200');
        let seen = 0;
        for await (const line of linesOf(child)) {
          promised = Math.max(promised, Number(line));
          if (++seen === batches) {
            await sleep(delayMs);
            child.kill('SIGKILL');
          }
        }
        await store.check(true);
        const { live } = await store.catalog.counts();
        expect(live).toBeGreaterThanOrEqual(promised);
        const ids = Array.from({ length: promised }, (_, n) => trackId(n));
        expect(await store.catalog.indexEntries(ids)).toHaveLength(promised);
        // A track and its change in the log are written together.
        const created = (await allChanges(store)).filter(({ kind }) => kind === 'created');
        expect(created).toHaveLength(live);
        expect(new Set(created.map(({ entityId }) => entityId)).size).toBe(live);
      }
      const outcomes = await importAll(store, deliveries(0, promised + batchSize));
      expect(outcomes.slice(0, promised)).toEqual(Array(promised).fill('unchanged'));
      expect(new Set(outcomes)).not.toContain('updated');
    });

    it('switch each track once by its availability if they are killed meanwhile', async () => {
      const { store, clock, location } = await open();
      const tracks = 5_000;
      const until = clock.now() + 10_000;
      await importAll(
        store,
        deliveries(0, tracks).map((one) => ({ ...one, availability: [{ until }] })),
      );
      const head = await store.changes.head();
      clock.advance(10);
      let switched = 0;
      for (const isLast of [false, false, true]) {
        const child = start('switch-on.ts', adapter.name, location, String(clock.now()));
        const exit = once(child, 'exit');
        if (!isLast) {
          while ((await store.changes.head()) === head + switched) await sleep(1);
          child.kill('SIGKILL');
        }
        expect(await exit).toEqual(isLast ? [0, null] : [null, 'SIGKILL']);
        await store.check(true);
        switched = (await store.changes.head()) - head;
        // A track and its change in the log are written together.
        expect(await store.catalog.counts()).toMatchObject({
          live: tracks - switched,
          unavailable: switched,
        });
      }
      expect(switched).toBe(tracks);
      const changes = (await allChanges(store)).filter(({ seq }) => seq > head);
      expect(new Set(changes.map(({ kind }) => kind))).toEqual(new Set(['withdrawn']));
      expect(new Set(changes.map(({ entityId }) => entityId)).size).toBe(tracks);
    });

    it('can write while one delivers many tracks', async () => {
      const { store, location } = await open();
      // Between its transactions, the delivery rests for 4 ms. A busy machine may skip this process in many of them.
      const tracks = 40_000;
      const child = start('deliver-on.ts', adapter.name, location, String(tracks), '1');
      const exit = once(child, 'exit');
      let delivering = true;
      void exit.then(() => {
        delivering = false;
      });
      while (delivering) {
        await store.clients.create(someClient({ id: newId() }), BY);
        await sleep(1);
      }
      expect(await exit).toEqual([0, null]);
      const changes = await allChanges(store);
      const first = changes.findIndex(({ entity }) => entity === 'track');
      const last = changes.findLastIndex(({ entity }) => entity === 'track');
      const between = changes.slice(first, last).filter(({ entity }) => entity === 'client');
      // One call with thousands of tracks. In a single transaction, it would block other writers until its end.
      expect(between.length).toBeGreaterThan(0);
      expect(changes.filter(({ entity }) => entity === 'track')).toHaveLength(tracks);
    });
  });

  describe(`several writers in one process on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('do not affect each other, even if some of them fail', async () => {
      const { store, another } = await open();
      const other = await another();
      const existing = someClient();
      await store.clients.create(existing, BY);
      await importAll(store, deliveries(0, 10));
      const good = Array.from({ length: 30 }, () => someClient({ id: newId() }));
      const results = await Promise.allSettled(
        good.flatMap((client, i) => [
          (i % 2 === 0 ? store : other).clients.create(client, BY),
          store.clients.create(existing, BY),
          store.playlists.create(
            { id: newId(), name: 'x', description: '', createdAt: 0, updatedAt: 0 },
            [trackId(1), trackId(1)],
            BY,
          ),
          other.catalog.trackRecord(trackId(2)),
        ]),
      );
      expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(60);
      expect(await store.clients.all()).toHaveLength(31);
      expect(await store.playlists.list({})).toEqual([]);
      const created = (await allChanges(store)).filter(({ entity }) => entity === 'client');
      expect(created).toHaveLength(31);
    });
  });
}
