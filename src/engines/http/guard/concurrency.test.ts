import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type FeatureServer,
  startFeatureServer,
  tokenOf,
} from '../../../../test/harness/feature-server.ts';
import { until } from '../../../../test/harness/until.ts';
import { route } from '../route/route.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'a\n');
/** Far more than the buffers of two sockets. */
const CHUNKS = 2_000;

let generated: number;
let ended: number;
let server: FeatureServer;
let open: IncomingMessage[];

async function* chunks(): AsyncGenerator<Buffer> {
  try {
    for (let i = 0; i < CHUNKS; i++) {
      generated++;
      yield CHUNK;
    }
  } finally {
    ended++;
  }
}

const exportThings = route({
  operationId: 'exportThings',
  method: 'GET',
  path: '/v1/export',
  tag: 'Tracks',
  summary: 'Export things',
  description: 'All of them.',
  access: { scope: 'tracks' },
  errors: [],
  maxConcurrent: 2,
  data: undefined,
  produces: ['application/x-ndjson'],
  handle: () => ({ chunks: chunks(), contentType: 'application/x-ndjson' }),
});

beforeEach(async () => {
  generated = 0;
  ended = 0;
  open = [];
  server = await startFeatureServer([exportThings]);
});
afterEach(async () => {
  for (const response of open) response.destroy();
  await server.close();
});

/** Begins a response, of which nothing is read yet. */
function begin(client = 'one', headers = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(
      `${server.base}/v1/export`,
      { headers: { Authorization: `Bearer ${tokenOf({ client })}`, ...headers } },
      (response) => {
        open.push(response);
        response.on('error', () => {});
        resolve(response);
      },
    )
      .on('error', reject)
      .end();
  });
}

async function whole(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

it('generates a response only as fast as it is read', async () => {
  const response = await begin();
  for (let i = 0; i < 50; i++) {
    await server.http.send('GET', '/nowhere');
  }
  expect(generated).toBeLessThan(CHUNKS / 2);
  expect((await whole(response)).length).toBe(CHUNKS * CHUNK.length);
  expect(generated).toBe(CHUNKS);
});

it('stops generating when the caller leaves', async () => {
  const response = await begin();
  response.destroy();
  await until(() => ended === 1);
  expect(generated).toBeLessThan(CHUNKS);
});

it('compresses what it generates', async () => {
  const response = await begin('one', { 'Accept-Encoding': 'gzip' });
  expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  const bytes = await whole(response);
  expect(bytes.length).toBeLessThan(CHUNKS * CHUNK.length);
  expect(gunzipSync(bytes).equals(Buffer.concat(Array(CHUNKS).fill(CHUNK)))).toBe(true);
});

it('sends a client two responses at a time, and other clients theirs', async () => {
  const [first, second] = [await begin(), await begin()];
  const third = await server.call('exportThings');
  expect({ status: third.status, type: third.error.type }).toEqual({
    status: 429,
    type: 'rate_limited',
  });
  expect(third.headers['retry-after']).toBe('60');
  expect((await begin('two')).statusCode).toBe(200);
  await whole(first);
  await until(async () => (await begin()).statusCode === 200);
  expect((await server.call('exportThings')).status).toBe(429);
  second.destroy();
  await until(async () => (await begin()).statusCode === 200);
});

it('answers HEAD without generating anything', async () => {
  const headers = { Authorization: `Bearer ${tokenOf()}` };
  for (let i = 0; i < 3; i++) {
    const head = await server.http.send('HEAD', '/v1/export', headers);
    expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(head.headers['content-type']).toBe('application/x-ndjson');
  }
  expect(generated).toBe(0);
});
