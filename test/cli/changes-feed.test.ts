import { describe, expect, it } from 'vitest';
import { serve, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';
import { ALL, catalogWithReader } from './changes-support.ts';

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

  it('ends the requests that wait within a second of SIGTERM', async () => {
    using folder = temporaryFolder();
    const data = folder.at('data');
    const client = await catalogWithReader(data, folder.at('tracks.ndjson'));
    const port = await freePort();
    await using serving = await serve(data, { STAVE_METRICS_PORT: String(port) });
    const token = await serving.token(client.clientId, client.testSecret);
    const { nextCursor } = (await serving.get(ALL, token)).body.data;
    const waits = Array.from({ length: 8 }, () =>
      serving.get(`/v1/tracks/changes?cursor=${nextCursor}&wait=30`, token),
    );
    await until(async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return metrics.includes('\nstave_changes_waiting 8\n');
    });
    const begun = performance.now();
    const ended = serving.stop();
    for (const { status, body } of await Promise.all(waits)) {
      expect({ status, items: body.data.items }).toEqual({ status: 200, items: [] });
    }
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await ended).toBe(0);
  });
});
