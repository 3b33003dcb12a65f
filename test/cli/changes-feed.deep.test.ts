import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { createClient } from '../../src/features/access/clients.ts';
import { openStoreOf, type Serving, serve, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';
import { ALL, catalogWithReader } from './changes-support.ts';

const CLIENTS = 100;
/** As many as may wait of one client. */
const OF_CLIENT = 10;
const BURST = 100;

describe('the feed of changes', () => {
  it('continues after the node was killed while it responded', async () => {
    using folder = temporaryFolder();
    const data = folder.at('data');
    const client = await catalogWithReader(data, folder.at('tracks.ndjson'));
    await using killed = await serve(data);
    const token = await killed.token(client.clientId, client.testSecret);
    const { items, nextCursor } = (await killed.get(`${ALL}&limit=2`, token)).body.data;
    const path = `/v1/tracks/changes?cursor=${nextCursor}`;
    const cutOff = Promise.allSettled(Array.from({ length: 20 }, () => killed.get(path, token)));
    await killed.stop('SIGKILL');
    await cutOff;
    await using again = await serve(data);
    const { data: rest } = (await again.get(path, token)).body;
    const ids = [...items, ...rest.items].map(({ trackId }) => trackId);
    expect(new Set(ids).size).toBe(3);
    expect(rest.hasMore).toBe(false);
  });

  it('responds to a thousand requests that wait before it ends at SIGTERM', async () => {
    using folder = temporaryFolder();
    const data = folder.at('data');
    const first = await catalogWithReader(data, folder.at('tracks.ndjson'));
    const port = await freePort();
    await using serving = await serve(data, { STAVE_METRICS_PORT: String(port) });
    const token = await serving.token(first.clientId, first.testSecret);
    const { nextCursor } = (await serving.get(ALL, token)).body.data;
    const tokens = await tokensOf(serving, data, CLIENTS);
    const waiting = async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(/^stave_changes_waiting (\d+)$/m.exec(metrics)![1]);
    };
    let isStopping = false;
    const wait = async (of: string) => {
      const path = `/v1/tracks/changes?cursor=${nextCursor}&wait=30`;
      let response = await serving.get(path, of);
      // On a busy machine, its time may be over before all others wait.
      while (!isStopping) response = await serving.get(path, of);
      return response;
    };
    const waits: ReturnType<typeof wait>[] = [];
    for (const of of tokens) {
      waits.push(...Array.from({ length: OF_CLIENT }, () => wait(of)));
      // A node refuses a burst of a thousand requests, and the metrics are rendered once a second.
      if (waits.length % BURST === 0) {
        await until(async () => (await waiting()) >= waits.length - BURST);
      }
    }
    await until(async () => (await waiting()) === waits.length);
    isStopping = true;
    const ended = serving.stop();
    // A drain would cut off requests that go on waiting, because it takes less than 30 s.
    for (const { status, body } of await Promise.all(waits)) {
      expect({ status, items: body.data.items }).toEqual({ status: 200, items: [] });
    }
    expect(await ended).toBe(0);
  });
});

/** Creates clients that may follow the changes, and returns a token of each. */
async function tokensOf(serving: Serving, data: string, count: number): Promise<string[]> {
  const store = await openStoreOf(data);
  const deps = { store, clock: systemClock, by: 'test:feed' as const };
  const tokens: string[] = [];
  for (let i = 0; i < count; i++) {
    const { clientId, testSecret } = await createClient(deps, {
      name: `Mirror ${i}`,
      scopes: ['changes'],
      features: ['changes'],
    });
    tokens.push(await serving.token(clientId, testSecret));
  }
  await store.close();
  return tokens;
}
