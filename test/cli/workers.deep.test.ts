import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Serving,
  serve,
  staveJson,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { repeatedWhileOverloaded } from '../harness/overload.ts';
import { until } from '../harness/until.ts';
import { callerOf, imported, metric, newClient, TWO, tokenOf } from './workers-support.ts';

describe('stave serve --workers 2', () => {
  let folder: TemporaryFolder;
  let service: Serving;
  let metricsPort: number;
  let data: string;
  beforeAll(async () => {
    folder = temporaryFolder();
    data = folder.at('data');
    metricsPort = await freePort();
    await imported(folder, 300);
    service = await serve(data, { STAVE_METRICS_PORT: String(metricsPort) }, TWO);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('gives the same responses from both workers', async () => {
    const token = await tokenOf(service, await newClient(data, '--rate-limit', '100000'));
    using client = callerOf(service, token);
    const before = await metric(metricsPort, 'stave_http_requests_total');
    const responses = await client.times(200, '/v1/tracks?sort=name&page=2');
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const shown = responses.map(({ body }) =>
      JSON.parse(body).data.items.map(({ slug }: { slug: string }) => slug),
    );
    expect(shown).toEqual(Array(200).fill(shown[0]));
    // One rendering serves a second, and it omits a worker that is slow.
    await until(async () => {
      const after = [...(await metric(metricsPort, 'stave_http_requests_total'))];
      const served = after.filter(([labels, value]) => value - (before.get(labels) ?? 0) > 10);
      return [0, 1].every((worker) =>
        served.some(([labels]) => labels.includes(`worker="${worker}"`)),
      );
    }, 'more than ten requests of each worker');
  });

  it('admits exactly 600 of 650 requests, over all connections', async () => {
    const token = await tokenOf(service, await newClient(data));
    using client = callerOf(service, token, 64);
    const responses = await client.times(650, '/v1/tracks');
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(600);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(50);
    for (const { headers } of refused) expect(headers['ratelimit-remaining']).toBe('0');
    const left = responses
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers['ratelimit-remaining']));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 600 }, (_, i) => i));
  });

  it('counts failed logins over both workers', async () => {
    const { clientId } = await newClient(data);
    const responses = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { status } = await repeatedWhileOverloaded(
          async () => {
            const response = await fetch(`${service.url}/v1/auth/token`, {
              method: 'POST',
              headers: { 'content-type': 'application/json', connection: 'close' },
              body: JSON.stringify({
                grant_type: 'client_credentials',
                client_id: clientId,
                client_secret: 'stave_test_wrong',
              }),
            });
            return { status: response.status, body: await response.text() };
          },
          ({ body }) => body,
        );
        return status;
      }),
    );
    expect(responses.filter((status) => status === 401)).toHaveLength(10);
    expect(responses.filter((status) => status === 429)).toHaveLength(30);
  });

  it('ends the tokens of a revoked secret in every worker within a second', async () => {
    const created = await newClient(data, '--rate-limit', '100000');
    const token = await tokenOf(service, created);
    using client = callerOf(service, token);
    await client.times(64, '/v1/tracks');
    const shown = await staveJson(data, ['clients', 'show', created.clientId]);
    const secret = shown.secrets.find((one: { mode: string }) => one.mode === 'test');
    await staveJson(data, ['clients', 'revoke-secret', created.clientId, secret.secretId]);
    const revokedAt = performance.now();
    let statuses: Set<number>;
    do {
      const askedAt = performance.now();
      statuses = new Set((await client.times(64, '/v1/tracks')).map(({ status }) => status));
      // Every request later than a second after the revocation must have been refused.
      if (askedAt - revokedAt > 1_000) expect(statuses).toEqual(new Set([401]));
    } while (statuses.has(200));
    expect(statuses).toEqual(new Set([401]));
  });

  it('shows a change in every worker', async () => {
    const token = await tokenOf(service, await newClient(data, '--rate-limit', '100000'));
    using client = callerOf(service, token);
    await staveJson(data, ['tracks', 'takedown', 'track-7']);
    const everywhere = (wanted: number) => async () => {
      const responses = await client.times(64, '/v1/tracks/track-7');
      return responses.every(({ status }) => status === wanted);
    };
    await until(everywhere(404), 'the takedown everywhere');
    await staveJson(data, ['tracks', 'restore', 'track-7']);
    await until(everywhere(200), 'the track to be live again');
  });

  it('reports each metric once per worker, and those of the process without a worker', async () => {
    const response = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const heads = response.split('\n').filter((line) => line.startsWith('# TYPE'));
    expect(new Set(heads).size).toBe(heads.length);
    // The last restored track may not be visible yet.
    await until(async () => {
      const tracks = await metric(metricsPort, 'stave_tracks');
      return JSON.stringify([...tracks]) === '[["{worker=\\"0\\"}",300],["{worker=\\"1\\"}",300]]';
    }, 'all tracks in both workers');
    expect([...(await metric(metricsPort, 'process_resident_memory_bytes')).keys()]).toEqual(['']);
  });

  it('refuses a port that another Stave shares among workers', async () => {
    const env = { PORT: new URL(service.url).port, STAVE_LOG_LEVEL: 'silent' };
    for (const workers of [[], TWO]) {
      const ran = await staveProcess(folder.at('other'), ['serve', ...workers], { env });
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^stave: [^\n]*EADDRINUSE[^\n]*PORT[^\n]*\n$/);
    }
  });
});
