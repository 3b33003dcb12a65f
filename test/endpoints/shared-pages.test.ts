import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mode } from '../../src/common/caller.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

let server: TestServer;
let clients: TestClient[];
beforeAll(async () => {
  server = await startTestServer();
  clients = [await server.createClient(), await server.createClient()];
});
afterAll(() => server?.close());

const PATH = '/v1/tracks?pageSize=5';
type Item = Record<'id' | 'streamUrl' | 'streamUrlExpiresAt', string>;

async function pageOf(client: TestClient, mode: Mode, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${await client.token({ mode })}`;
  const { body, headers: received } = await server.http.send('GET', PATH, {
    Authorization: authorization,
    ...headers,
  });
  const isGzipped = received['content-encoding'] === 'gzip';
  const bytes = isGzipped ? gunzipSync(body) : body;
  return JSON.parse(bytes.toString('utf8')).data as { items: Item[] };
}

const statusOf = async (url: string) =>
  (await server.http.send('GET', url.slice(server.address.length))).status;
const withoutUrls = ({ items, ...page }: { items: Item[] }) => ({
  ...page,
  items: items.map(({ streamUrl, streamUrlExpiresAt, ...track }) => track),
});

describe('a page that several clients request', () => {
  it.each<Record<string, string>>([{}, { 'Accept-Encoding': 'gzip' }])(
    'has the same tracks for each, with stream URLs of its own, with the headers %j',
    async (headers) => {
      const [first, second] = clients as [TestClient, TestClient];
      const expected = withoutUrls(await pageOf(first, 'test'));
      // From the second round on, the page comes from the cache.
      for (let round = 0; round < 4; round++) {
        for (const client of [first, second]) {
          for (const mode of ['test', 'live'] as const) {
            const page = await pageOf(client, mode, headers);
            expect(withoutUrls(page)).toEqual(expected);
            for (const { id, streamUrl } of page.items) {
              const url = new URL(streamUrl);
              expect(url.pathname).toBe(`/media/stream/${id}`);
              expect(url.searchParams.get('client')).toBe(client.clientId);
              expect(url.searchParams.get('mode')).toBe(mode);
            }
            // These tracks have no audio: a valid URL gets 404, an invalid one 403.
            const { streamUrl } = page.items[round]!;
            expect(await statusOf(streamUrl)).toBe(404);
            const other = client === first ? second : first;
            const stolen = streamUrl.replace(client.clientId, other.clientId);
            expect(await statusOf(stolen)).toBe(403);
          }
        }
      }
    },
  );

  it('has URLs that expire later once their time of issue has passed', async () => {
    const [client] = clients as [TestClient];
    const expiry = async () =>
      Date.parse((await pageOf(client, 'test')).items[0]!.streamUrlExpiresAt);
    await expiry();
    const before = await expiry();
    server.clock.advance(20);
    expect((await expiry()) - before).toBeGreaterThanOrEqual(20_000);
  });
});
