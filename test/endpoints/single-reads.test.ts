import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';

const TRACKS = deliveries(12);
const BY = 'test:harness';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  token = await (await server.createClient()).token();
});
afterAll(() => server?.close());

const show = (slug: string) => server.call('showTrack', { token, params: { slug } });
const total = async (query: string) =>
  (await server.call('listTracks', { token, query })).data.totalRecords;

describe('GET /v1/tracks/{slug}', () => {
  it('returns the same as the list, by slug and by id in any case', async () => {
    const { data } = await server.call('listTracks', { token, query: { search: 'sunrise' } });
    const { streamUrl: _, streamUrlExpiresAt: __, ...listed } = data.items[0];
    for (const name of ['sunrise', 'SunRise', listed.id, listed.id.toUpperCase()]) {
      const { data: track } = await show(name);
      expect(track).toMatchObject(listed);
      expect(Object.keys(track).sort()).toEqual(Object.keys(data.items[0]).sort());
    }
  });

  it.each([
    'no-such-track',
    '00000000-0000-4000-8000-000000000000',
    'not a slug',
    '../../etc/passwd',
    'x'.repeat(300),
    '%',
    '夜の海',
    "' OR 1=1 --",
  ])('does not find %j', async (slug) => {
    const { status, error } = await show(slug);
    expect({ status, type: error.type }).toEqual({ status: 404, type: 'not_found' });
  });

  it('refuses a NUL, which no slug contains', async () => {
    const { status, error } = await show('\u0000');
    expect({ status, type: error.type }).toEqual({ status: 400, type: 'invalid_request' });
    expect(error.details![0]!.field).toBe('slug');
  });

  it('shows takedown, restore and update within a second, whether read before or not', async () => {
    const { id } = TRACKS[5]!;
    const { slug } = (await show(id)).data;
    await setTrackState(server.operator.store, id, 'taken_down', BY);
    await server.until(async () => (await show(id)).status === 404);
    expect((await show(slug)).status).toBe(404);
    await server.until(async () => (await total('pageSize=1')) === 11);

    // Another import does not restore it.
    await server.deliver([delivery(5, { name: 'Another Name' })]);
    await server.deliver([delivery(6, { name: 'Renamed' })]);
    await server.until(async () => (await show(TRACKS[6]!.id)).data.name === 'Renamed');
    expect((await show(id)).status).toBe(404);

    await setTrackState(server.operator.store, id, 'live', BY);
    await server.until(async () => (await show(id)).status === 200);
    expect((await show(slug)).data).toMatchObject({ name: 'Another Name', slug });
    await server.until(async () => (await total('search=another+name')) === 1);
  });

  it('does not find tracks that a pruned delivery no longer lists', async () => {
    const session = await server.operator.store.catalog.openDelivery(BY, 'full');
    await session.deliver(TRACKS.slice(0, 10));
    expect(await session.withdrawAbsent('harness')).toBe(2);
    await session.close();
    await server.until(async () => (await total('')) === 10);
    expect((await show(TRACKS[11]!.id)).status).toBe(404);
    expect((await show(TRACKS[10]!.id)).status).toBe(404);

    // A later delivery makes it live again.
    await server.deliver([TRACKS[11]!]);
    await server.until(async () => (await total('')) === 11);
    expect((await show(TRACKS[11]!.id)).status).toBe(200);
  });
});

describe('GET /v1/filters', () => {
  it('lists all filters by type and name, with exact counts', async () => {
    const { data } = await server.call('listFilters', { token });
    const rows = data.items.map((filter: { type: string; name: string }) => [
      filter.type,
      filter.name,
    ]);
    expect(rows).toEqual([
      ['genre', 'Ambient'],
      ['genre', 'Drum & Bass'],
      ['mood', 'Calm'],
      ['use-case', 'Advertising'],
    ]);
    for (const { slug, id, trackCount } of data.items) {
      expect(trackCount).toBe(await total(`filterSlugs=${slug}`));
      expect(trackCount).toBe(await total(`filterIds=${id}`));
    }
  });

  it('restricts by type', async () => {
    const { data } = await server.call('listFilters', { token, query: { type: 'use-case' } });
    expect(data.items.map((filter: { slug: string }) => filter.slug)).toEqual(['advertising']);
  });
});

describe('GET /version and GET /health-check', () => {
  it.each(['readVersion', 'healthCheck', 'checkLiveness', 'checkReadiness'])(
    '%s reports both versions without a token',
    async (id) => {
      const { data, error, headers } = await server.call(id);
      expect(data).toEqual({ apiVersion: 'v1', serviceVersion: packageJson.version });
      expect(error).toEqual({ code: 0, message: 'OK' });
      expect(headers['x-api-version']).toBe('v1');
      expect(headers['x-service-version']).toBe(packageJson.version);
      expect(headers['ratelimit-limit']).toBeUndefined();
    },
  );

  it('is never limited', async () => {
    const responses = await Promise.all(
      Array.from({ length: 700 }, () => server.http.send('GET', '/version')),
    );
    expect(responses.every(({ status }) => status === 200)).toBe(true);
  });
});
