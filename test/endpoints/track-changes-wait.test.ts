import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setClientEnabled, updateClient } from '../../src/features/access/clients.ts';
import type { CheckedResponse } from '../harness/call.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';
import { type Reader, readerOf, START } from './changes-support.ts';

let server: TestServer;
let reader: Reader;
beforeEach(async () => {
  server = await startTestServer({ tracks: deliveries(3) });
  reader = await readerOf(server);
});
afterEach(() => server?.close());

function metric(name: string): number {
  const text = server.service.metrics.render();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)![1]);
}

/** Resolves when this many requests wait. */
const waiting = (count: number) =>
  server.until(async () => metric('stave_changes_waiting') === count);

/** Sends requests that wait, and resolves when all of them do. */
async function startWaiting(count = 1, query = ''): Promise<Promise<CheckedResponse>[]> {
  const cursor = await reader.end();
  const requests = Array.from({ length: count }, () =>
    reader.call(`cursor=${cursor}&wait=30${query}`),
  );
  await waiting(count);
  return requests;
}

/** Switches localization off, and resolves when the server knows it. */
async function withoutLocalization(): Promise<void> {
  await updateClient(deps(), reader.clientId, { features: ['changes'] });
  const isRefused = async () =>
    (await reader.call({ ...START, language: 'en' })).error.type === 'feature_not_enabled';
  await server.until(isRefused);
}

const deps = () => ({
  store: server.operator.store,
  clock: server.clock,
  by: 'test:harness' as const,
});

describe('a request that waits for changes', () => {
  it('gets the first event, and no other one', async () => {
    const [any] = await startWaiting();
    const cursor = await reader.end();
    const takedowns = reader.call({ cursor, wait: 30, types: 'track.taken_down', tracks: false });
    await waiting(2);
    await server.deliver([delivery(3)]);
    const { data } = await any!;
    expect(data.items).toMatchObject([{ type: 'track.created', track: { id: delivery(3).id } }]);
    expect(metric('stave_changes_waiting')).toBe(1);
    expect(metric('stave_changes_waiting_behind')).toBeGreaterThan(0);
    expect(metric('stave_changes_feed_lag_seconds')).toBe(0);
    await setTrackState(server.operator.store, delivery(3).id, 'taken_down', 'test:harness');
    const types = (await takedowns).data.items.map(({ type }: { type: string }) => type);
    expect(types).toEqual(['track.taken_down']);
    await waiting(0);
  });

  it('gets an empty page after its time', async () => {
    const cursor = await reader.end();
    const { status, data } = await reader.call({ cursor, wait: 1 });
    expect({ status, ...data }).toMatchObject({ status: 200, items: [], hasMore: false });
  });

  it('is one of ten of its client; the eleventh is answered at once', async () => {
    const requests = await startWaiting(10);
    const cursor = await reader.end();
    const begun = performance.now();
    expect((await reader.call({ cursor, wait: 30 })).data.items).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(15_000);
    await server.deliver([delivery(3)]);
    const responses = await Promise.all(requests);
    expect(responses.map(({ data }) => data.items.length)).toEqual(Array(10).fill(1));
  });

  it('ends when the caller leaves', async () => {
    const cursor = await reader.end();
    const client = await server.createClient({ scopes: ['changes'], features: ['changes'] });
    const leaving = new AbortController();
    const request = fetch(`${server.address}/v1/tracks/changes?cursor=${cursor}&wait=30`, {
      headers: { Authorization: `Bearer ${await client.token()}` },
      signal: leaving.signal,
    });
    await waiting(1);
    leaving.abort();
    await expect(request).rejects.toThrow();
    await waiting(0);
  });

  it('ends when the node drains', async () => {
    const requests = await startWaiting(3);
    const closed = server.service.close();
    for (const { status, data } of await Promise.all(requests)) {
      expect({ status, items: data.items }).toEqual({ status: 200, items: [] });
    }
    await closed;
  });

  it.each([
    [
      'its client is disabled',
      () => setClientEnabled(deps(), reader.clientId, false),
      'invalid_token',
    ],
    [
      'its secret is revoked',
      () => deps().store.clients.revokeSecret(reader.clientId, reader.secretId, deps().by),
      'invalid_token',
    ],
    [
      'its feature is switched off',
      () => updateClient(deps(), reader.clientId, { features: [] }),
      'feature_not_enabled',
    ],
  ])('ends when %s', async (_, change, kind) => {
    const [request] = await startWaiting();
    await change();
    expect((await request!).error.type).toBe(kind);
    await waiting(0);
  });

  it('waits on, and gets original texts, when localization is switched off', async () => {
    reader = await readerOf(server, ['changes', 'localization']);
    const [request] = await startWaiting();
    await withoutLocalization();
    expect(metric('stave_changes_waiting')).toBe(1);
    await server.deliver([delivery(4)]);
    const { data, headers } = await request!;
    expect(data.items).toMatchObject([{ track: { id: delivery(4).id } }]);
    expect(data.items[0].track).not.toHaveProperty('originalName');
    expect(headers).not.toHaveProperty('content-language');
  });

  it('ends when localization is switched off, if it names a language', async () => {
    reader = await readerOf(server, ['changes', 'localization']);
    const [request] = await startWaiting(1, '&language=en');
    await withoutLocalization();
    expect((await request!).error.type).toBe('feature_not_enabled');
    await waiting(0);
  });

  it('waits on when another client changes', async () => {
    const [request] = await startWaiting();
    const other = await server.createClient();
    const token = await other.token();
    await setClientEnabled(deps(), other.clientId, false);
    await server.until(async () => (await server.call('readMe', { token })).status === 401);
    expect(metric('stave_changes_waiting')).toBe(1);
    await server.deliver([delivery(4)]);
    expect((await request!).data.items).toHaveLength(1);
  });
});
