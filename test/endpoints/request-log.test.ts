import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Log } from '../../src/common/log.ts';
import { deliveries } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

const lines: { level: string; message: string; [field: string]: unknown }[] = [];
const write =
  (level: string): Log['info'] =>
  (fields, message) =>
    lines.push({ ...fields, level, message });
const log: Log = {
  debug: write('debug'),
  info: write('info'),
  warn: write('warn'),
  error: write('error'),
};

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(3), log });
  client = await server.createClient();
});
afterAll(() => server?.close());

/** Waits for the log line of a request, which is written after its last byte. */
async function lineOf(requestId: string) {
  const find = () =>
    lines.find((line) => line.message === 'request' && line.requestId === requestId);
  await server.until(async () => find() !== undefined);
  return find()!;
}

describe('the log of requests', () => {
  it('names client and track of a stream after the check of its signature, and no signature', async () => {
    const token = await client.token();
    const { data: track } = await server.call('showTrack', { token, params: { slug: 'sunrise' } });
    const path = track.streamUrl.slice(server.address.length);
    await server.http.send('GET', path, { 'X-Request-Id': 'good-stream-url' });
    const line = await lineOf('good-stream-url');
    expect(line).toMatchObject({
      level: 'info',
      operationId: 'streamTrack',
      clientId: client.clientId,
      trackId: track.id,
    });
    expect(JSON.stringify(line)).not.toContain(
      new URL(track.streamUrl).searchParams.get('signature'),
    );

    const [, query = ''] = path.split('?');
    for (const mark of ['?', '#']) {
      const twice = path.split('?')[0] + encodeURIComponent(mark + query);
      await server.http.send('GET', twice, { 'X-Request-Id': `encoded-${mark.charCodeAt(0)}` });
      const encoded = await lineOf(`encoded-${mark.charCodeAt(0)}`);
      expect(JSON.stringify(encoded)).not.toContain(
        new URL(track.streamUrl).searchParams.get('signature'),
      );
    }

    await server.http.send('GET', `${path}x`, { 'X-Request-Id': 'forged-stream-url' });
    const forged = await lineOf('forged-stream-url');
    expect(forged).toMatchObject({ status: 403 });
    expect(forged.clientId).toBeUndefined();
    expect(forged.trackId).toBeUndefined();
  });

  it('has health checks at level debug, and all other requests at level info', async () => {
    await server.http.send('GET', '/health-check', { 'X-Request-Id': 'probe-of-health' });
    await server.http.send('GET', '/version', { 'X-Request-Id': 'question-for-version' });
    expect(await lineOf('probe-of-health')).toMatchObject({ level: 'debug', status: 200 });
    expect(await lineOf('question-for-version')).toMatchObject({ level: 'info', status: 200 });
  });
});
