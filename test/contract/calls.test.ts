import { expect, it } from 'vitest';
import type { EndedCall } from '../../src/common/caller.ts';
import { newId } from '../../src/common/ids.ts';
import { CallRecorder } from '../../src/features/access/call-recorder.ts';
import { readDays } from '../../src/features/access/call-report.ts';
import type { FailedRequest } from '../../src/features/access/calls.ts';
import { ERROR_DAYS, KEPT_ADDRESSES, KEPT_DAYS } from '../../src/features/access/calls.ts';
import type { Store } from '../../src/features/store.ts';
import type { TestClock } from '../harness/clock.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

const DAY_S = 24 * 3_600;
const CLIENT = newId();
const SECRET = newId();

/** A successful request; a test changes what it is about. */
const CALL: EndedCall = {
  ...{ clientId: CLIENT, secretId: SECRET, requestId: 'r', operationId: 'listTracks', status: 200 },
  ...{ ms: 3, error: undefined, problem: undefined, caller: '203.0.113.7' },
  ...{ method: 'GET', path: '/v1/tracks' },
};
const REFUSED: EndedCall = {
  ...CALL,
  ...{ status: 400, error: 'invalid_request', problem: 'page must be a number' },
};

function recorderOf({ calls }: Store, clock: TestClock): CallRecorder {
  const onError = (error: unknown) => {
    throw error;
  };
  return new CallRecorder({ clock, store: calls, onError, isClient: (id) => id === CLIENT });
}

for (const adapter of ADAPTERS) {
  const open = harnessOf(adapter);
  const title = (what: string) => `${what} (${adapter.name})`;

  it(
    title('counts requests by day, error and secret, with the times of successful ones'),
    async () => {
      const { store, another, clock } = await open();
      const nodes = [store, await another()].map((one) => recorderOf(one, clock));
      for (const node of nodes) {
        for (let i = 0; i < 90; i++) node.ended({ ...CALL, ms: 3 });
        for (let i = 0; i < 10; i++) node.ended({ ...CALL, ms: 150 });
        node.ended({ ...REFUSED, ms: 9_000 });
        node.ended({ ...CALL, secretId: 'another', status: undefined });
        node.ended({ ...REFUSED, secretId: undefined, error: 'invalid_client' });
        await node.write();
      }
      const today = new Date(clock.now()).toISOString().slice(0, 10);
      const first = {
        ...{ day: today, requests: 206, p50Ms: expect.closeTo(3.67, 1), p95Ms: 150 },
        errors: { invalid_request: 2, aborted: 2, invalid_client: 2 },
        bySecret: { [SECRET]: 202, another: 2, '': 2 },
      };
      expect(await readDays({ store, clock }, CLIENT, 1)).toEqual([first]);
      // Midnight between two writes.
      nodes[0]!.ended({ ...CALL, ms: 100_000 });
      clock.advance(DAY_S);
      nodes[0]!.ended({ ...CALL, ms: 100_000 });
      nodes[0]!.ended({ ...CALL, ms: 0 });
      await nodes[0]!.write();
      const [second, ...others] = await readDays({ store, clock }, CLIENT, 2);
      expect(second).toMatchObject({ requests: 2, errors: {}, p50Ms: 1 });
      expect(second!.p95Ms).toBeGreaterThan(30_000);
      expect(others).toEqual([
        {
          ...first,
          requests: 207,
          ...{ p50Ms: expect.closeTo(3.68, 1), p95Ms: expect.closeTo(154.7, 0) },
          bySecret: { ...first.bySecret, [SECRET]: 203 },
        },
      ]);
      expect(await readDays({ store, clock }, CLIENT, 1)).toEqual([second]);
      expect(await readDays({ store, clock }, newId(), 2)).toEqual([]);
    },
  );

  it(title('has no times of a day without a successful request'), async () => {
    const { store, clock } = await open();
    const node = recorderOf(store, clock);
    node.ended(REFUSED);
    await node.write();
    expect(await readDays({ store, clock }, CLIENT, 1)).toMatchObject([
      { p50Ms: null, p95Ms: null },
    ]);
  });

  it(title('keeps the last 50 errors of a client, whatever strangers and limits add'), async () => {
    const { store, clock } = await open();
    const node = recorderOf(store, clock);
    for (let i = 0; i < 130; i++) {
      clock.advance(1);
      node.ended({ ...REFUSED, requestId: `own-${i}` });
      if (i % 60 === 0) await node.write();
    }
    for (let i = 0; i < 130; i++) {
      clock.advance(1);
      node.ended({ ...REFUSED, error: 'rate_limited', requestId: `limited-${i}` });
      node.ended({ ...REFUSED, secretId: undefined, requestId: `stranger-${i}` });
      node.ended({ ...REFUSED, clientId: newId(), requestId: 'stranger' });
      if (i % 60 === 0) await node.write();
    }
    await node.write();
    const all = await store.calls.errors({ clientId: CLIENT });
    expect(all).toHaveLength(100);
    expect(all.filter(({ requestId }) => requestId.startsWith('own'))).toHaveLength(50);
    expect(all[0]).toEqual({
      ...{
        clientId: CLIENT,
        at: clock.now(),
        requestId: expect.stringMatching(/^(limited|stranger)-129$/),
      },
      ...{ secretId: expect.any(String), operationId: 'listTracks', status: 400 },
      ...{ error: expect.any(String), problem: 'page must be a number', caller: '203.0.113.7' },
      ...{ method: 'GET', path: '/v1/tracks' },
    });
    const kept = async (id: string) => (await store.calls.errors({ requestId: id })).length;
    expect([await kept('own-129'), await kept('own-80'), await kept('own-79')]).toEqual([1, 1, 0]);
    expect([await kept('limited-104'), await kept('stranger-100')]).toEqual([0, 0]);
    // The last ones of the client are kept also when others come between them before the same write.
    for (let i = 0; i < 10; i++) {
      node.ended({ ...REFUSED, requestId: `between-${i}` });
      for (let n = 1; n < 50; n++) node.ended({ ...REFUSED, error: 'rate_limited' });
    }
    await node.write();
    expect([await kept('between-0'), await kept('between-9')]).toEqual([1, 1]);
    // Those of unknown clients are not kept at all.
    expect(await store.calls.errors({ requestId: 'stranger' })).toEqual([]);
  });

  it(
    title('lists the addresses of secrets, the latest first, and those of refused requests'),
    async () => {
      const { store, clock } = await open();
      const start = clock.now();
      const node = recorderOf(store, clock);
      node.ended(CALL);
      node.ended(CALL);
      await node.write();
      clock.advance(60);
      node.ended({ ...REFUSED, error: 'invalid_client', caller: '198.51.100.9' });
      node.ended({ ...REFUSED, secretId: undefined, caller: '192.0.2.1' });
      node.ended(CALL);
      await node.write();
      const whose = { clientId: CLIENT, secretId: SECRET };
      const now = clock.now();
      const found = await store.calls.addresses(CLIENT);
      expect(found.toSorted((a, b) => b.requests - a.requests)).toEqual([
        { ...whose, address: '203.0.113.7', requests: 3, errors: 0, firstAt: start, lastAt: now },
        { ...whose, address: '198.51.100.9', requests: 1, errors: 1, firstAt: now, lastAt: now },
      ]);
      expect(await store.calls.addresses(newId())).toEqual([]);
      // Nobody fills the memory from many addresses.
      for (let i = 0; i < 2 * KEPT_ADDRESSES; i++)
        node.ended({ ...CALL, caller: `2001:db8:${i}::/64` });
      await node.write();
      expect(await store.calls.addresses(CLIENT)).toHaveLength(KEPT_ADDRESSES + 2);
    },
  );

  it(
    title('deletes counts after 13 months, errors after 30 days, and the oldest of many addresses'),
    async () => {
      const { store, clock } = await open();
      // A server uses its own clock.
      const now = adapter.isServer ? Date.now() : clock.now();
      const ago = (days: number) => now - days * DAY_S * 1_000;
      const day = { clientId: CLIENT, secretId: SECRET, outcome: 'ok', underMs: 5, requests: 1 };
      await store.calls.addDays([
        { ...day, at: ago(KEPT_DAYS + 1) },
        { ...day, at: ago(KEPT_DAYS - 1) },
      ]);
      const error: FailedRequest = {
        ...{ clientId: CLIENT, at: ago(ERROR_DAYS + 1), requestId: 'old', secretId: SECRET },
        ...{ operationId: 'o', status: null, error: 'internal_error', problem: '', caller: '' },
        ...{ method: 'GET', path: '/' },
      };
      const recent = { ...error, at: ago(ERROR_DAYS - 1), requestId: 'recent' };
      await store.calls.addErrors([error, recent]);
      // A batch that is written again after a lost response.
      await store.calls.addErrors([recent]);
      const from = { clientId: CLIENT, secretId: SECRET, requests: 1, errors: 1, firstAt: 1 };
      for (const start of [0, 250, 500]) {
        const addresses = Array.from({ length: 250 }, (_, i) => start + i);
        await store.calls.addAddresses(
          addresses.map((i) => ({ ...from, address: `a${i}`, lastAt: ago(1) + i })),
        );
      }
      await store.calls.addAddresses([
        { ...from, secretId: 'another', address: 'old', lastAt: ago(KEPT_DAYS + 1) },
        { ...from, secretId: 'another', address: 'recent', lastAt: ago(KEPT_DAYS - 1) },
      ]);
      await store.calls.expire();
      expect((await store.calls.days(CLIENT, 0)).map(({ at }) => at)).toEqual([ago(KEPT_DAYS - 1)]);
      expect(await store.calls.errors({})).toEqual([recent]);
      const addresses = await store.calls.addresses(CLIENT);
      expect(addresses).toHaveLength(KEPT_ADDRESSES + 1);
      expect(addresses[0]!.address).toBe('a749');
      expect(addresses.slice(-2).map(({ address }) => address)).toEqual(['a250', 'recent']);
    },
  );
}
