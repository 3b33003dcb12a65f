import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as compression from '../../src/engines/http/response/negotiation.ts';
import { deliveries } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

vi.mock('../../src/engines/http/response/negotiation.ts', { spy: true });

const GZIP = { 'Accept-Encoding': 'gzip' };

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(100) });
  token = await (await server.createClient()).token();
});
afterAll(() => server?.close());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  server.http.send(method, path, { Authorization: `Bearer ${token}`, ...headers });
/** Returns the items without the members that change with time. */
const itemsOf = (bytes: Buffer) =>
  JSON.parse(bytes.toString('utf8')).data.items.map(({ id }: { id: string }) => id);

describe('a response over 1 KB', () => {
  it.each([20, 100])(
    'is compressed for a client that accepts it: a page of %d',
    async (pageSize) => {
      const path = `/v1/tracks?pageSize=${pageSize}`;
      const plain = await get(path);
      const coded = await get(path, GZIP);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(coded.headers['content-encoding']).toBe('gzip');
      expect(coded.headers['content-type']).toBe('application/json; charset=utf-8');
      expect([plain.headers.vary, coded.headers.vary]).toEqual([
        'Accept-Encoding',
        'Accept-Encoding',
      ]);
      expect(coded.headers['content-length']).toBe(String(coded.body.length));
      expect(coded.body.length).toBeLessThan(plain.body.length / 3);
      expect(itemsOf(gunzipSync(coded.body))).toEqual(itemsOf(plain.body));
      expect((await get(path, { 'Accept-Encoding': 'gzip;q=0, *' })).headers).not.toHaveProperty(
        'content-encoding',
      );
    },
  );

  it('has the same headers for HEAD as for GET', async () => {
    // The clock of the test is fixed, so the signed URLs and the compressed length stay the same.
    const [whole, head] = await Promise.all([
      get('/v1/tracks', GZIP),
      get('/v1/tracks', GZIP, 'HEAD'),
    ]);
    expect(head.body).toHaveLength(0);
    for (const name of ['content-length', 'content-encoding', 'content-type', 'vary'] as const) {
      expect(head.headers[name]).toBe(whole.headers[name]);
    }
  });

  it('is compressed once if it is cached', async () => {
    const path = '/v1/tracks?sort=name&pageSize=50';
    // The response is cached at the second request, and compressed at the third.
    for (let i = 0; i < 3; i++) await get(path, GZIP);
    vi.mocked(compression.gzipped).mockClear();
    const [first, second] = [await get(path, GZIP), await get(path, GZIP)];
    expect(compression.gzipped).not.toHaveBeenCalled();
    expect(second.body.equals(first.body)).toBe(true);
    expect(itemsOf(gunzipSync(first.body))).toHaveLength(50);
    expect(itemsOf((await get(path)).body)).toHaveLength(50);
  });

  it('is compressed also for an error and for the OpenAPI document', async () => {
    const query = Array.from({ length: 60 }, (_, i) => `unknown${i}=1`).join('&');
    const refused = await get(`/v1/tracks?${query}`, GZIP);
    expect([refused.status, refused.headers['content-encoding']]).toEqual([400, 'gzip']);
    expect(JSON.parse(gunzipSync(refused.body).toString()).error.type).toBe('invalid_request');
    const document = await get('/openapi.json', GZIP);
    expect(document.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(document.body).toString()).openapi).toBe('3.1.0');
  });
});

describe('an uncompressed response', () => {
  it('has at most 1 KB, or is a picture', async () => {
    const small = await get('/version', GZIP);
    expect(small.headers).not.toHaveProperty('content-encoding');
    expect(small.headers).not.toHaveProperty('vary');
    const { data } = JSON.parse((await get('/v1/tracks?pageSize=1')).body.toString());
    const picture = await get(data.items[0].artworkUrl.slice(server.address.length), GZIP);
    expect(picture.headers['content-type']).toBe('image/png');
    expect(picture.headers).not.toHaveProperty('content-encoding');
  });
});
