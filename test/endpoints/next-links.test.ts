import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { deliveries } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

const TRACKS = deliveries(23);
const BY = 'test:harness';

let server: TestServer;
let client: TestClient;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  client = await server.createClient();
  token = await client.token();
  const { playlists, licenses } = server.operator.store;
  const now = server.clock.now();
  for (const name of ['First', 'Second', 'Third']) {
    const playlist = { id: newId(), name, description: '', createdAt: now, updatedAt: now };
    const ids = TRACKS.map(({ id }) => id);
    await playlists.create(playlist, ids, BY);
    await playlists.grant(playlist.id, client.clientId, BY);
  }
  const sold = TRACKS.slice(0, 7).map(({ id }) => ({
    externalId: id,
    trackId: id,
    mode: 'test' as const,
    licensedAt: now,
    clientId: null,
  }));
  await licenses.put(sold, BY, 'batch');
  await server.until(async () => (await walk('/v1/playlists/first/tracks')).length === 23);
});
afterAll(() => server?.close());

const NEXT = /^<([^<>]+)>; rel="next"$/;

/** Returns `key` of all items of all pages, which it finds by the links only. */
async function walk(path: string, key = (item: { id: string }) => item.id): Promise<string[]> {
  const seen: string[] = [];
  let next: string | undefined = path;
  for (let pages = 0; next !== undefined && pages < 30; pages++) {
    const response = await server.http.send('GET', next, { Authorization: `Bearer ${token}` });
    if (response.status !== 200) return seen;
    seen.push(...JSON.parse(response.body.toString('utf8')).data.items.map(key));
    const link: string | undefined = NEXT.exec(String(response.headers.link))?.[1];
    // A link has the public address of the service.
    if (link !== undefined) expect(link.startsWith(`${server.address}/v1/`)).toBe(true);
    next = link?.slice(server.address.length);
  }
  return seen;
}

describe('Link: rel="next"', () => {
  it.each([
    ['/v1/tracks?pageSize=4&type=music', 19],
    ['/v1/tracks?search=o&pageSize=3&_=1&facets=true', undefined],
    ['/v1/playlists?pageSize=1', 3],
    ['/v1/playlists/first/tracks?pageSize=10', 23],
  ])('leads through all of %s', async (path, count) => {
    const first = await server.http.send('GET', path, { Authorization: `Bearer ${token}` });
    const { totalRecords, totalPages } = JSON.parse(first.body.toString('utf8')).data;
    expect(totalPages).toBeGreaterThan(1);
    const ids = await walk(path);
    expect(ids).toHaveLength(count ?? totalRecords);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('leads through the most licensed', async () => {
    await server.until(
      async () => (await server.call('listMostLicensed', { token })).data.totalRecords === 7,
    );
    const path = '/v1/analytics/most-licensed?pageSize=2';
    const ranks = await walk(path, ((item: { rank: number }) => String(item.rank)) as never);
    expect(ranks).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  });

  it('is readable by scripts, and absent on the last page, after it and without matches', async () => {
    const first = await server.call('listTracks', { token, query: { pageSize: 20 } });
    expect(first.headers.link).toBe(`<${server.address}/v1/tracks?pageSize=20&page=2>; rel="next"`);
    expect(first.headers['access-control-expose-headers']).toMatch(/\bLink\b/);
    for (const query of ['page=2', 'page=3', 'filterSlugs=no-such']) {
      expect((await server.call('listTracks', { token, query })).headers.link).toBeUndefined();
    }
  });

  it('has the public URL, with any Host header', async () => {
    const response = await server.http.send('GET', '/v1/tracks?pageSize=1', {
      Authorization: `Bearer ${token}`,
      Host: 'elsewhere.example',
    });
    expect(String(response.headers.link).startsWith(`<${server.address}/`)).toBe(true);
  });

  it('is absent from a search by a body, whose next page needs another body', async () => {
    const { headers, data } = await server.call('searchTracks', { token, body: { pageSize: 1 } });
    expect(data.totalPages).toBeGreaterThan(1);
    expect(headers.link).toBeUndefined();
  });

  it('is absent from lists without pages', async () => {
    expect((await server.call('listFilters', { token })).headers.link).toBeUndefined();
  });
});
