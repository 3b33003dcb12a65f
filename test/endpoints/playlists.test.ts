import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { deliveries } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';

const TRACKS = deliveries(30);
const BY = 'test:harness';

let server: TestServer;
let client: TestClient;
let stranger: TestClient;
let token: string;
/** An order that is neither that of the catalog nor that of the ids. */
const order = [7, 3, 21, 0, 14, 9, 28, 5, 11].map((number) => TRACKS[number]!.id);

async function createPlaylist(name: string, trackIds: readonly string[], grantTo?: TestClient) {
  const now = server.clock.now();
  const playlist = await server.operator.store.playlists.create(
    { id: newId(), name, description: `About ${name}`, createdAt: now, updatedAt: now },
    trackIds,
    BY,
  );
  if (grantTo !== undefined) {
    await server.operator.store.playlists.grant(playlist.id, grantTo.clientId, BY);
  }
  return playlist;
}

const names = async () => {
  const { data } = await server.call('listPlaylists', { token, query: { pageSize: 100 } });
  return data.items.map((playlist: { name: string }) => playlist.name);
};
const tracksOf = async (idOrSlug: string, query: Record<string, number> = {}) =>
  server.call('listPlaylistTracks', { token, params: { idOrSlug }, query });
const idsOf = (page: { items: { id: string }[] }) => page.items.map((item) => item.id);

let granted: { id: string; slug: string };
let foreign: { id: string; slug: string };
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  client = await server.createClient();
  stranger = await server.createClient();
  token = await client.token();
  granted = await createPlaylist('Late Evening', order, client);
  foreign = await createPlaylist('Secret Sauce', order.slice(0, 2), stranger);
  await createPlaylist('Empty', [], client);
  await createPlaylist('Nobody’s', order);
  await server.until(async () => (await tracksOf(granted.id)).data.totalRecords === order.length);
});
afterAll(() => server?.close());

describe('GET /v1/playlists', () => {
  it('lists only playlists granted to the client, by name', async () => {
    const { data } = await server.call('listPlaylists', { token });
    expect(data).toMatchObject({ totalRecords: 2, totalPages: 1, currentPage: 1, pageSize: 20 });
    expect(await names()).toEqual(['Empty', 'Late Evening']);
  });

  it('shows count and duration of its tracks, and existing artwork', async () => {
    const { data } = await server.call('listPlaylists', { token });
    const { artworkUrl, ...playlist } = data.items[1];
    expect(playlist).toEqual({
      id: granted.id,
      name: 'Late Evening',
      slug: 'late-evening',
      description: 'About Late Evening',
      trackCount: order.length,
      durationSeconds: TRACKS.filter((track) => order.includes(track.id)).reduce(
        (sum, track) => sum + track.durationSeconds,
        0,
      ),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const picture = await server.http.send('GET', new URL(artworkUrl).pathname);
    expect(picture.status).toBe(200);
  });

  it('shows a playlist and its tracks from the grant until its end', async () => {
    const { playlists } = server.operator.store;
    const { id } = await createPlaylist('Just Granted', order, client);
    expect(await names()).toContain('Just Granted');
    expect((await tracksOf(id)).status).toBe(200);
    await playlists.revoke(id, client.clientId, BY);
    expect(await names()).not.toContain('Just Granted');
    expect((await tracksOf(id)).status).toBe(404);
  });

  it('has pages', async () => {
    const { data } = await server.call('listPlaylists', { token, query: { page: 2, pageSize: 1 } });
    expect(data).toMatchObject({ totalRecords: 2, totalPages: 2, currentPage: 2, pageSize: 1 });
    expect(data.items[0].name).toBe('Late Evening');
  });
});

describe('GET /v1/playlists/{idOrSlug}', () => {
  const show = (idOrSlug: string) => server.call('showPlaylist', { token, params: { idOrSlug } });

  it('shows the same as the list, by slug and by id in any case', async () => {
    const { data } = await server.call('listPlaylists', { token });
    for (const name of ['late-evening', 'Late-Evening', granted.id, granted.id.toUpperCase()]) {
      expect((await show(name)).data).toEqual(data.items[1]);
    }
    expect((await show('empty')).data).toMatchObject({ trackCount: 0, durationSeconds: 0 });
  });

  it('is not found after its grant ends', async () => {
    const { id } = await createPlaylist('Soon Gone', order, client);
    expect((await show(id)).data.trackCount).toBe(order.length);
    await server.operator.store.playlists.revoke(id, client.clientId, BY);
    expect((await show(id)).status).toBe(404);
  });
});

describe('GET /v1/playlists/{idOrSlug}/tracks', () => {
  it('keeps the order of the playlist, by slug and by id in any case', async () => {
    for (const name of ['late-evening', 'Late-Evening', granted.id, granted.id.toUpperCase()]) {
      const { data } = await tracksOf(name);
      expect(data).toMatchObject({ totalRecords: order.length, totalPages: 1, currentPage: 1 });
      expect(idsOf(data)).toEqual(order);
    }
  });

  it('has pages without gap or overlap', async () => {
    const walked: string[] = [];
    for (let page = 1; page <= 3; page++) {
      walked.push(...idsOf((await tracksOf(granted.slug, { page, pageSize: 4 })).data));
    }
    expect(walked).toEqual(order);
    expect((await tracksOf(granted.slug, { page: 4, pageSize: 4 })).data.items).toEqual([]);
  });

  it('has no pages without tracks', async () => {
    expect((await tracksOf('empty')).data).toMatchObject({
      totalRecords: 0,
      totalPages: 0,
      items: [],
    });
  });

  it.each(['showPlaylist', 'listPlaylistTracks'])(
    'gives the same response for a playlist that is not granted as for one that does not exist: %s',
    async (operationId) => {
      const headers = { 'X-Request-Id': 'the-same-request-id' };
      const responses = await Promise.all(
        [foreign.id, foreign.slug, newId(), 'no-such-list', foreign.id.toUpperCase()].map(
          (idOrSlug) => server.call(operationId, { token, params: { idOrSlug }, headers }),
        ),
      );
      const comparable = responses.map(({ status, headers: sent, body }) => {
        // The headers with the time and the number of the request.
        const rest = Object.fromEntries(
          Object.entries(sent).filter(([name]) => !/^(date|ratelimit(-re.*)?)$/.test(name)),
        );
        return { status, rest, body: body.toString('utf8') };
      });
      for (const response of comparable) {
        expect(response).toEqual(comparable[0]);
      }
      expect(comparable[0]!.status).toBe(404);
    },
  );

  it('omits tracks that were taken down, and restores them in their places', async () => {
    const gone = order[2]!;
    const before = (await server.call('listPlaylists', { token })).data.items[1];
    await setTrackState(server.operator.store, gone, 'taken_down', BY);
    await server.until(async () => (await tracksOf(granted.id)).data.totalRecords === 8);
    expect(idsOf((await tracksOf(granted.id)).data)).toEqual(order.filter((id) => id !== gone));
    const { data } = await server.call('listPlaylists', { token });
    const seconds = TRACKS.find((track) => track.id === gone)!.durationSeconds;
    expect(data.items[1]).toMatchObject({
      trackCount: 8,
      durationSeconds: before.durationSeconds - seconds,
    });
    await setTrackState(server.operator.store, gone, 'live', BY);
    await server.until(async () => (await tracksOf(granted.id)).data.totalRecords === 9);
    expect(idsOf((await tracksOf(granted.id)).data)).toEqual(order);
  });
});
