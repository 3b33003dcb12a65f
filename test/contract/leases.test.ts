import { describe, expect, it, vi } from 'vitest';
import { housekeeping } from '../../src/app/background-work.ts';
import { silentLog } from '../../src/common/log.ts';
import { Lease, whileHeld } from '../../src/engines/tasks/lease.ts';
import { changeLogRetention } from '../../src/features/changes/work/change-log-retention.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';

/**
 * A holder stops after two thirds of this time. The last third must be longer than any pause of this process, in which
 * another node may get the lease before the holder notices that it has stopped.
 */
const LEASE_MS = 3_000;

for (const adapter of ADAPTERS) {
  describe(`leases on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('have one holder at a time, who may renew and release them', async () => {
      const { store, another } = await open();
      const other = await another();
      expect(await store.leases.acquire('work', 'a', 60_000)).toBe(true);
      expect(await other.leases.acquire('work', 'b', 60_000)).toBe(false);
      expect(await other.leases.acquire('other work', 'b', 60_000)).toBe(true);
      expect(await store.leases.acquire('work', 'a', 60_000)).toBe(true);
      await other.leases.release('work', 'b');
      expect(await other.leases.acquire('work', 'b', 60_000)).toBe(false);
      await store.leases.release('work', 'a');
      expect(await other.leases.acquire('work', 'b', 60_000)).toBe(true);
    });

    it('are granted to one of many concurrent requests', async () => {
      const { store, another } = await open();
      const other = await another();
      const acquired = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? store : other).leases.acquire('work', `holder ${i}`, 60_000),
        ),
      );
      expect(acquired.filter(Boolean)).toHaveLength(1);
    });

    it('are free again after they expire', async () => {
      const { store, clock } = await open();
      expect(await store.leases.acquire('work', 'a', 50)).toBe(true);
      await until(async () => {
        // A server uses its own clock, which the test cannot advance.
        clock.advance(0.01);
        return store.leases.acquire('work', 'b', 60_000);
      });
      expect(await store.leases.acquire('work', 'a', 60_000)).toBe(false);
    });

    it('let one node work at a time, and another take over if that node stops or dies', async () => {
      const { store, another, clock } = await open();
      const startMs = performance.now();
      const start = clock.now();
      // A server uses its own clock, which runs.
      const ticking = setInterval(() => {
        clock.advance((start + performance.now() - startMs - clock.now()) / 1_000);
      }, 5);
      const stores = [store, await another(), await another()];
      const working = new Set<number>();
      let most = 0;
      const leases = stores.map(
        (one, i) =>
          new Lease({
            leases: one.leases,
            name: 'work',
            holder: `node ${i}`,
            ms: LEASE_MS,
            onHeld(signal) {
              working.add(i);
              most = Math.max(most, working.size);
              signal.addEventListener('abort', () => working.delete(i));
            },
            onError: () => {},
          }),
      );
      for (const lease of leases) lease.start();
      await until(async () => working.size === 1);
      const [first] = working;
      await leases[first!]!.stop();
      await until(async () => working.size === 1 && !working.has(first!));
      const [second] = working;
      // The node dies: it neither renews nor releases.
      await stores[second!]!.close();
      await until(async () => [...working].some((i) => i !== first && i !== second));
      await until(async () => !working.has(second!));
      expect(most).toBe(1);
      for (const lease of leases) await lease.stop();
      clearInterval(ticking);
    });

    it('let several nodes do exclusive work one after the other', async () => {
      const { store, another } = await open();
      const stores = [store, await another(), await another()];
      let working = 0;
      const most: number[] = [];
      await Promise.all(
        stores.map(({ leases }, i) => {
          const options = {
            leases,
            name: 'turn',
            holder: `node ${i}`,
            ms: LEASE_MS,
            onError: () => {},
          };
          return whileHeld(options, async () => {
            most.push(++working);
            await new Promise((resolve) => setTimeout(resolve, 20));
            working--;
          });
        }),
      );
      expect(most).toEqual([1, 1, 1]);
    });

    it('let only one node delete old changes of the log', async () => {
      const { store, another, clock } = await open();
      await store.settings.set('x', 'y');
      const expired: string[] = [];
      const config = { historyYears: 10 };
      const nodes = [store, await another()].map((one, i) => {
        const expire = one.changes.expire.bind(one.changes);
        vi.spyOn(one.changes, 'expire').mockImplementation((...given) => {
          expired.push(`node ${i}`);
          return expire(...given);
        });
        return changeLogRetention({ store: one, config, clock, log: silentLog });
      });
      for (const node of nodes) node.start();
      await until(async () => expired.length > 0);
      for (const node of nodes) await node.stop();
      expect(expired).toHaveLength(1);
    });

    it('let only one node do the housekeeping', async () => {
      const { store, another, clock } = await open();
      const fingerprint = Buffer.alloc(32);
      const keyed = { clientId: 'one', mode: 'live', key: 'a', fingerprint } as const;
      await store.idempotency.claim(keyed);
      clock.advance(86_400);
      const deleted: number[] = [];
      const nodes = [store, await another()].map((node) => {
        const expire = node.idempotency.expire.bind(node.idempotency);
        vi.spyOn(node.idempotency, 'expire').mockImplementation(async (signal) => {
          const count = await expire(signal);
          deleted.push(count);
          return count;
        });
        return housekeeping({ store: node, log: silentLog });
      });
      for (const node of nodes) node.start();
      await until(async () => deleted.length > 0);
      for (const node of nodes) await node.stop();
      expect(deleted).toEqual([1]);
    });
  });
}
