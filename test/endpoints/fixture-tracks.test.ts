import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEATURES } from '../../src/common/caller.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

const LIVE = 'f1c70000-0000-4000-8000-000000000200';
const TAKEN_DOWN = 'f1c70000-0000-4000-8000-000000000410';
const UNKNOWN = 'f1c70000-0000-4000-8000-000000000201';
const [FIRST, SECOND] = [delivery(1), delivery(2)];

let server: TestServer;
let client: TestClient;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: [FIRST, SECOND] });
  client = await server.createClient({ features: FEATURES });
  token = await client.token();
});
afterAll(() => server?.close());

const show = (slug: string) => server.call('showTrack', { token, params: { slug } });
const batch = async (...tracks: string[]) =>
  (await server.call('batchTracks', { token, body: { tracks } })).data;
const sign = async (...trackIds: string[]) =>
  (await server.call('signStreams', { token, body: { trackIds } })).data;

describe('the live fixture, with a test token', () => {
  it('is a track without audio, found by its id in any case', async () => {
    for (const id of [LIVE, LIVE.toUpperCase()]) {
      const { status, data } = await show(id);
      expect(status).toBe(200);
      expect(data).toMatchObject({ id: LIVE, name: 'Stave Fixture', hasAudio: false });
    }
  });

  it('is not found by its slug, which no track of the catalog gets', async () => {
    const { slug } = (await show(LIVE)).data;
    expect((await show(slug)).status).toBe(404);
    expect(await batch(slug)).toEqual({ items: [], notFound: [slug] });
    await server.deliver([delivery(3, { slug })]);
    await server.until(async () => (await show(`${slug}-2`)).status === 200);
    expect((await show(slug)).status).toBe(404);
  });

  it('has its place among tracks of the catalog in a batch', async () => {
    const { items, notFound } = await batch(FIRST.id, LIVE.toUpperCase(), UNKNOWN, SECOND.id, LIVE);
    expect(items.map(({ id }: { id: string }) => id)).toEqual([FIRST.id, LIVE, SECOND.id]);
    expect(notFound).toEqual([UNKNOWN]);
    // Signed URLs differ if they are issued at different times.
    const isSigned = ([name]: [string, unknown]) => /^(stream|preview|waveform)/.test(name);
    const entries = Object.entries((await show(LIVE)).data).filter((one) => !isSigned(one));
    expect(entries.length).toBeGreaterThan(15);
    expect(items[1]).toMatchObject(Object.fromEntries(entries));
    expect((await batch(LIVE)).items).toHaveLength(1);
  });

  it('gets stream URLs, which lead to no audio, and artwork', async () => {
    const { items, notFound } = await sign(LIVE, FIRST.id, LIVE.toUpperCase());
    expect(items.map(({ trackId }: { trackId: string }) => trackId)).toEqual([LIVE, FIRST.id]);
    expect(notFound).toEqual([]);
    const { artworkUrl, streamUrl } = (await show(LIVE)).data;
    const get = (url: string) => server.http.send('GET', url.slice(server.address.length));
    for (const url of [streamUrl, items[0].streamUrl]) {
      expect((await get(url)).status).toBe(404);
    }
    expect((await get(artworkUrl)).status).toBe(200);
  });

  it('is in no list and in no other operation', async () => {
    const { data } = await server.call('listTracks', { token, query: { pageSize: 100 } });
    expect(data.items.map(({ id }: { id: string }) => id)).not.toContain(LIVE);
    const search = { token, query: { search: 'Stave Fixture' } };
    expect((await server.call('listTracks', search)).data.totalRecords).toBe(0);
    for (const id of [LIVE, TAKEN_DOWN]) {
      for (const operationId of ['listSimilarTracks', 'readTrackReferences']) {
        const { status } = await server.call(operationId, { token, params: { slug: id } });
        expect(status).toBe(404);
      }
    }
  });
});

it('does not find the fixture that is taken down', async () => {
  expect((await show(TAKEN_DOWN)).status).toBe(404);
  expect(await batch(TAKEN_DOWN, LIVE)).toMatchObject({
    items: [{ id: LIVE }],
    notFound: [TAKEN_DOWN],
  });
  expect(await sign(TAKEN_DOWN)).toEqual({ items: [], notFound: [TAKEN_DOWN] });
});

describe('with a live token', () => {
  /** Sends the requests that name a track, and returns the responses with `name` in place of the id. */
  async function responses(id: string) {
    const headers = {
      Authorization: `Bearer ${await client.token({ mode: 'live' })}`,
      'X-Request-Id': 'one',
      'Content-Type': 'application/json',
    };
    const sent = [
      await server.http.send('GET', `/v1/tracks/${id}`, headers),
      await server.http.send('POST', '/v1/tracks/batch', headers, JSON.stringify({ tracks: [id] })),
      await server.http.send(
        'POST',
        '/v1/tracks/stream-urls',
        headers,
        JSON.stringify({ trackIds: [id] }),
      ),
    ];
    return sent.map(({ status, headers: all, body }) => {
      const {
        date: _,
        'ratelimit-remaining': __,
        'ratelimit-reset': ___,
        ratelimit: ____,
        ...fixed
      } = all;
      return { status, headers: fixed, body: body.toString('utf8').replaceAll(id, 'name') };
    });
  }

  it.each([LIVE, TAKEN_DOWN])('%s gets the same bytes as an unknown id', async (id) => {
    // A test request before it leaves nothing that a live request would get.
    await batch(id);
    const unknown = await responses(UNKNOWN);
    expect(unknown.map(({ status }) => status)).toEqual([404, 200, 200]);
    expect(await responses(id)).toEqual(unknown);
    expect(await responses(id)).toEqual(unknown);
  });
});
