import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import {
  KEPT_MS,
  RequestCounter,
  STEP_MS,
  since,
} from '../../src/features/access/client-requests.ts';
import { readLimitUse } from '../../src/features/access/client-use.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, someClient } from '../harness/stores.ts';

const HOUR_MS = 3_600_000;
const unexpected = (error: unknown) => {
  throw error;
};

for (const adapter of ADAPTERS) {
  describe(`counts of requests on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const secret = (name: string) => ({ clientId: `client of ${name}`, secretId: name });

    it('are the sums of all nodes, by client and secret', async () => {
      const { store, another, clock } = await open();
      const nodes = [store, await another()].map(
        ({ clientRequests }) =>
          new RequestCounter({ clock, store: clientRequests, onError: unexpected }),
      );
      for (let round = 0; round < 3; round++) {
        for (const node of nodes) {
          node.count(secret('a'), true);
          node.count(secret('a'), round < 2);
          node.count({ ...secret('a'), secretId: 'another' }, true);
          node.count(secret('b'), true);
        }
        await Promise.all(nodes.map((node) => node.write()));
      }
      const uses = await store.clientRequests.uses(since(clock.now()));
      const ofA = { requests: 12, limited: 2 };
      const others = { requests: 6, limited: 0 };
      const used = { lastUsedAt: clock.now() };
      expect(uses.toSorted((a, b) => (a.secretId < b.secretId ? -1 : 1))).toEqual([
        { ...secret('a'), ...used, lastHour: ofA, lastDay: ofA },
        {
          clientId: 'client of a',
          secretId: 'another',
          ...used,
          lastHour: others,
          lastDay: others,
        },
        { ...secret('b'), ...used, lastHour: others, lastDay: others },
      ]);
      expect(await store.clientRequests.uses(since(clock.now()), 'client of b')).toHaveLength(1);
    });

    it('are read by step, the oldest first, and explain why requests were refused', async () => {
      const { store, clock } = await open();
      const node = new RequestCounter({
        clock,
        store: store.clientRequests,
        onError: unexpected,
      });
      const client = { id: 'client of a', rateLimit: 2 };
      expect(await readLimitUse({ store, clock }, client)).toMatchObject({
        ...{ limit: 2, limitOfStep: 10, reasons: [] },
      });
      const first = clock.now();
      for (let i = 0; i < 12; i++) node.count(secret('a'), i < 10);
      node.count({ ...secret('a'), secretId: 'another' }, true);
      clock.advance(600);
      for (let i = 0; i < 4; i++) node.count(secret('a'), i < 3);
      node.count(secret('b'), false);
      await node.write();
      const step = (at: number) => at - (at % STEP_MS);
      expect(await store.clientRequests.steps('client of a', 0)).toEqual([
        { at: step(first), requests: 13, limited: 2 },
        { at: step(clock.now()), requests: 4, limited: 1 },
      ]);
      const { steps, reasons } = await readLimitUse({ store, clock }, client);
      expect(steps).toHaveLength(289);
      expect(steps.reduce((sum, { requests }) => sum + requests, 0)).toBe(17);
      expect(reasons).toEqual([
        expect.stringContaining('3 of 17 requests were refused in 2 of 289 steps'),
        expect.stringContaining('2 of 13. The limit is 2 a minute.'),
        expect.stringContaining('more than the limit allows on average: up to 3 a minute'),
        expect.stringContaining('in bursts'),
      ]);
    });

    it('count for the last hour and the last day, and note a use without a request', async () => {
      const { store, clock } = await open();
      const node = new RequestCounter({
        clock,
        store: store.clientRequests,
        onError: unexpected,
      });
      const start = clock.now();
      const read = async () => (await store.clientRequests.uses(since(clock.now())))[0];
      node.count(secret('a'), false);
      clock.advance((HOUR_MS - STEP_MS) / 1_000);
      // Without a write between the steps.
      node.count(secret('a'), true);
      await node.write();
      const two = { requests: 2, limited: 1 };
      expect(await read()).toMatchObject({ lastHour: two, lastDay: two });
      clock.advance((2 * STEP_MS) / 1_000);
      expect(await read()).toMatchObject({
        lastUsedAt: start + HOUR_MS - STEP_MS,
        lastHour: { requests: 1, limited: 0 },
        lastDay: two,
      });
      clock.advance(25 * 3_600);
      node.used(secret('a'));
      await node.write();
      const none = { requests: 0, limited: 0 };
      expect(await read()).toMatchObject({
        lastUsedAt: clock.now(),
        lastHour: none,
        lastDay: none,
      });
    });

    it('are deleted after a day, except the last one of each secret that exists', async () => {
      const { store, clock } = await open();
      const [kept, deleted] = [newId(), newId()];
      const client = someClient({
        secrets: [{ id: kept, mode: 'live', hash: 'a'.repeat(64), createdAt: 1, revokedAt: null }],
      });
      await store.clients.create(client, 'test:requests');
      // A server uses its own clock.
      const old = Math.min(clock.now(), Date.now()) - 2 * KEPT_MS;
      const at = (n: number) => old - (old % STEP_MS) + n * STEP_MS;
      const counts = Array.from({ length: 700 }, (_, n) => ({
        clientId: client.id,
        secretId: n % 2 ? kept : deleted,
        at: at(-n),
        requests: 1,
        limited: 0,
        usedAt: at(-n),
      }));
      await store.clientRequests.add(counts);
      await store.clientRequests.expire();
      const uses = await store.clientRequests.uses({ hour: 0, day: 0 });
      const one = { requests: 1, limited: 0 };
      expect(uses).toEqual([
        { clientId: client.id, secretId: kept, lastUsedAt: at(-1), lastHour: one, lastDay: one },
      ]);
    });

    it('survive failed writes, and are written when a node stops', async () => {
      const { store, clock } = await open();
      let isAway = true;
      const errors: unknown[] = [];
      const node = new RequestCounter({
        clock,
        store: {
          add: async (counts) => {
            if (isAway) throw new Error('away');
            await store.clientRequests.add(counts);
          },
        },
        onError: (error) => errors.push(error),
        writeMs: 60_000,
      });
      node.start();
      for (let step = 0; step < 1_200; step++) {
        node.count(secret(String(step % 1_100)), true);
        if (step % 100 === 0) await expect(node.write()).rejects.toThrow('away');
      }
      isAway = false;
      await node.stop();
      expect(errors).toEqual([]);
      const uses = await store.clientRequests.uses(since(clock.now()));
      expect(uses).toHaveLength(1_100);
      expect(uses.reduce((sum, { lastHour }) => sum + lastHour.requests, 0)).toBe(1_200);
    });
  });
}
