import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, FEATURES } from '../../src/common/caller.ts';
import { newId } from '../../src/common/ids.ts';
import { updateClient } from '../../src/features/access/clients.ts';
import { deliveries } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

const MEMBERS = ['previewUrl', 'waveformUrl', 'waveformDataUrl'];
const TRACKS = deliveries(8);
const FIXTURE = 'f1c70000-0000-4000-8000-000000000200';

const BY = 'test:harness';
const DAY_MS = 86_400_000;

let server: TestServer;
/** Clients with all scopes: with all features, and with all but previews. */
let featured: TestClient;
let plain: TestClient;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  featured = await server.createClient({ scopes: ALL_SCOPES, features: FEATURES });
  const features = FEATURES.filter((feature) => feature !== 'previews');
  plain = await server.createClient({ scopes: ALL_SCOPES, features });
});
afterAll(() => server?.close());

/** Switches features of a client. */
const update = (client: TestClient, input: Parameters<typeof updateClient>[2]) =>
  updateClient(
    { store: server.operator.store, clock: server.clock, by: BY },
    client.clientId,
    input,
  );

// biome-ignore lint/suspicious/noExplicitAny: JSON of which any member is read
type Json = any;

/** Requests something with JSON, and returns `data`. */
async function request(method: string, path: string, token: string, body?: object): Promise<Json> {
  const response = await server.http.send(
    method,
    path,
    {
      Authorization: `Bearer ${token}`,
      'Accept-Encoding': 'gzip',
      ...(body && { 'Content-Type': 'application/json' }),
    },
    body && JSON.stringify(body),
  );
  const isGzipped = response.headers['content-encoding'] === 'gzip';
  const text = isGzipped ? gunzipSync(response.body) : response.body;
  expect(response.status, `${method} ${path} ${text.toString().slice(0, 500)}`).toBeLessThan(300);
  return JSON.parse(text.toString()).data;
}

/** The objects with a stream URL in JSON. */
function signedIn(json: Json): Record<string, string>[] {
  if (typeof json !== 'object' || json === null) return [];
  const inner = Object.values(json).flatMap(signedIn);
  return 'streamUrl' in json ? [json, ...inner] : inner;
}

/** Checks that the URLs are those of the client, with the members after the time of expiry if it sees previews. */
function expectSigned(json: Json, client: TestClient, hasPreviews: boolean): void {
  const found = signedIn(json);
  expect(found.length).toBeGreaterThan(0);
  for (const track of found) {
    const id = track.trackId ?? track.id!;
    const names = Object.keys(track);
    const last = names.slice(names.indexOf('streamUrlExpiresAt') + 1);
    expect(last).toEqual(hasPreviews ? MEMBERS : []);
    const paths = [
      `stream/${id}`,
      `preview/${id}.mp3`,
      `waveform/${id}.json`,
      `waveform/${id}.dat`,
    ];
    for (const [i, member] of ['streamUrl', ...last].entries()) {
      const url = new URL(track[member]!);
      expect(url.pathname).toBe(`/media/${paths[i]}`);
      expect(url.searchParams.get('client')).toBe(client.clientId);
      const issued = Number(url.searchParams.get('issued'));
      expect((issued + 1800) * 1000).toBe(Date.parse(track.streamUrlExpiresAt!));
    }
  }
}

/** Requests for tracks, by what they are. Some make what they list. */
const PLACES: Record<
  string,
  (ask: (method: string, path: string, body?: object) => Promise<Json>) => Promise<Json>
> = {
  list: (ask) => ask('GET', '/v1/tracks?pageSize=5'),
  search: (ask) => ask('POST', '/v1/search', { query: 'o', facets: true }),
  track: (ask) => ask('GET', `/v1/tracks/${TRACKS[0]!.id}`),
  fixture: (ask) => ask('GET', `/v1/tracks/${FIXTURE}`),
  batch: (ask) => ask('POST', '/v1/tracks/batch', { tracks: [TRACKS[1]!.id, FIXTURE] }),
  'stream-urls': (ask) =>
    ask('POST', '/v1/tracks/stream-urls', { trackIds: [TRACKS[1]!.id, FIXTURE] }),
  similar: (ask) => ask('GET', `/v1/tracks/${TRACKS[0]!.id}/similar`),
  'most-licensed': (ask) => ask('GET', '/v1/analytics/most-licensed'),
  changes: (ask) => ask('GET', '/v1/tracks/changes?since=2000-01-01T00:00:00Z'),
  playlist: (ask) => ask('GET', '/v1/playlists/previewed/tracks'),
  async collection(ask) {
    const body = { name: 'A', tracks: [TRACKS[2]!.id] };
    const { id } = await ask('POST', '/v1/collections', body);
    return ask('GET', `/v1/collections/${id}/tracks`);
  },
  async 'saved search'(ask) {
    const name = String(Math.random());
    const { id } = await ask('POST', '/v1/saved-searches', { name, search: { query: 'o' } });
    return ask('GET', `/v1/saved-searches/${id}/tracks`);
  },
};

describe('the URLs of previews', () => {
  beforeAll(async () => {
    const { playlists, licenses } = server.operator.store;
    const now = server.clock.now();
    const times = { createdAt: now, updatedAt: now };
    const playlist = { id: newId(), name: 'Previewed', description: '', ...times };
    await playlists.create(playlist, [TRACKS[3]!.id], BY);
    for (const { clientId } of [featured, plain]) {
      await playlists.grant(playlist.id, clientId, BY);
    }
    const sold = {
      trackId: TRACKS[5]!.id,
      mode: 'test',
      licensedAt: now - DAY_MS,
      clientId: null,
    } as const;
    await licenses.put([{ externalId: 'l', ...sold }], BY, 'batch');
  });

  it.each(Object.keys(PLACES))(
    'are members of a track for who sees previews: %s',
    async (place) => {
      for (const [client, hasPreviews] of [
        [featured, true],
        [plain, false],
      ] as const) {
        const token = await client.token();
        // The second and third may come from the cache.
        for (let round = 0; round < 3; round++) {
          const json = await PLACES[place]!((method, path, body) =>
            request(method, path, token, body),
          );
          expectSigned(json, client, hasPreviews);
        }
      }
    },
  );

  it('disappear within a second when the feature is switched off, also from shared responses', async () => {
    const client = await server.createClient({ scopes: ALL_SCOPES, features: ['previews'] });
    const token = await client.token();
    const others = [featured, plain];
    const read = async (from: TestClient) =>
      request('GET', '/v1/tracks?pageSize=4', await from.token());
    const isShown = async () => 'previewUrl' in signedIn(await read(client))[0]!;
    for (let i = 0; i < 3; i++) await Promise.all([...others, client].map(read));
    const [{ previewUrl }] = signedIn(await read(client)) as [Record<string, string>];
    for (const input of [
      { disableFeatures: ['previews'] },
      { enableFeatures: ['previews'] },
      { features: [] },
    ]) {
      const startedMs = performance.now();
      const isExpected = 'enableFeatures' in input;
      await update(client, input);
      await server.until(async () => (await isShown()) === isExpected);
      // A second, and what a busy machine adds.
      expect(performance.now() - startedMs).toBeLessThan(3_000);
      expectSigned(await read(client), client, isExpected);
      expectSigned(await read(featured), featured, true);
      expectSigned(await read(plain), plain, false);
    }
    expect(token).toBe(await client.token());
    // URLs that were issued stay valid: the track has no audio, so a valid URL gets 404.
    const { status } = await server.http.send('GET', previewUrl!.slice(server.address.length));
    expect(status).toBe(404);
  });

  it('need the scope in the token', async () => {
    const client = await server.createClient();
    const [old, reading] = [await client.token(), await client.token({ scope: 'tracks' })];
    await update(client, { enableFeatures: ['previews'] });
    const current = async () => client.token({ fresh: true });
    const path = '/v1/tracks?pageSize=3';
    await server.until(
      async () => 'previewUrl' in signedIn(await request('GET', path, await current()))[0]!,
    );
    for (let round = 0; round < 3; round++) {
      expectSigned(await request('GET', path, old), client, false);
      expectSigned(await request('GET', path, reading), client, false);
      expectSigned(await request('GET', path, await current()), client, true);
    }
  });

  it('are never those of another client, or of another mode, in responses that alternate', async () => {
    const path = '/v1/tracks?pageSize=6';
    const callers = await Promise.all(
      [featured, plain].flatMap((client) =>
        (['test', 'live'] as const).map(async (mode) => {
          return { client, mode, token: await client.token({ mode }) };
        }),
      ),
    );
    for (let round = 0; round < 50; round++) {
      // All at once, so that responses are still being sent while others are issued.
      await Promise.all(
        callers.map(async ({ client, mode, token }) => {
          const page = await request('GET', path, token);
          expectSigned(page, client, client === featured);
          for (const track of signedIn(page)) {
            for (const member of ['streamUrl', ...MEMBERS].filter((one) => one in track)) {
              expect(track[member]).toContain(`&mode=${mode}&`);
            }
          }
        }),
      );
      if (round % 10 === 9) server.clock.advance(7);
    }
  });

  it('lead to 404 for the fixture, which has no audio', async () => {
    const track = await request('GET', `/v1/tracks/${FIXTURE}`, await featured.token());
    for (const member of MEMBERS) {
      const response = await server.http.send('GET', track[member].slice(server.address.length));
      expect(response.status).toBe(404);
    }
  });
});
