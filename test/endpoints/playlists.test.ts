import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { deliveries } from '../harness/catalog.ts';
import { startHouse, type TestClient, type TestHouse } from '../harness/house.ts';

const TRACKS = deliveries(30);
const BY = 'test:harness';

let house: TestHouse;
let client: TestClient;
let stranger: TestClient;
let token: string;
/** Listed in an order that is neither that of the catalog nor that of the ids. */
const order = [7, 3, 21, 0, 14, 9, 28, 5, 11].map((number) => TRACKS[number]!.id);

async function createPlaylist(name: string, trackIds: readonly string[], grantTo?: TestClient) {
  const now = house.clock.now();
  const playlist = await house.operator.store.playlists.create(
    { id: newId(), name, description: `About ${name}`, createdAt: now, updatedAt: now },
    trackIds,
    BY,
  );
  if (grantTo !== undefined) {
    await house.operator.store.playlists.grant(playlist.id, grantTo.clientId, BY);
  }
  return playlist;
}

const names = async () => {
  const { data } = await house.call('listPlaylists', { token, query: { pageSize: 100 } });
  return data.items.map((playlist: { name: string }) => playlist.name);
};
const tracksOf = async (idOrSlug: string, query: Record<string, number> = {}) =>
  house.call('listPlaylistTracks', { token, params: { idOrSlug }, query });
const idsOf = (page: { items: { id: string }[] }) => page.items.map((item) => item.id);

let granted: { id: string; slug: string };
let foreign: { id: string; slug: string };
beforeAll(async () => {
  house = await startHouse({ tracks: TRACKS });
  client = await house.createClient();
  stranger = await house.createClient();
  token = await client.token();
  granted = await createPlaylist('Late Evening', order, client);
  foreign = await createPlaylist('Secret Sauce', order.slice(0, 2), stranger);
  await createPlaylist('Empty', [], client);
  await createPlaylist('Nobody’s', order);
  await house.until(async () => (await tracksOf(granted.id)).status === 200);
});
afterAll(() => house?.close());

describe('GET /v1/playlists', () => {
  it('lists those granted to the client and no other, by name', async () => {
    const { data } = await house.call('listPlaylists', { token });
    expect(data).toMatchObject({ totalRecords: 2, totalPages: 1, currentPage: 1, pageSize: 20 });
    expect(await names()).toEqual(['Empty', 'Late Evening']);
  });

  it('shows what its tracks add up to, and artwork that is there', async () => {
    const { data } = await house.call('listPlaylists', { token });
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
    const picture = await house.http.send('GET', new URL(artworkUrl).pathname);
    expect(picture.status).toBe(200);
  });

  it('pages', async () => {
    const { data } = await house.call('listPlaylists', { token, query: { page: 2, pageSize: 1 } });
    expect(data).toMatchObject({ totalRecords: 2, totalPages: 2, currentPage: 2, pageSize: 1 });
    expect(data.items[0].name).toBe('Late Evening');
  });

  it('follows grants and revocations within a second', async () => {
    const playlist = await createPlaylist('Brief', order, client);
    await house.until(async () => (await tracksOf(playlist.id)).status === 200);
    expect(await names()).toContain('Brief');
    await house.operator.store.playlists.revoke(playlist.id, client.clientId, BY);
    await house.until(async () => (await tracksOf(playlist.id)).status === 404);
    expect(await names()).not.toContain('Brief');
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

  it('pages through it without gap or overlap', async () => {
    const walked: string[] = [];
    for (let page = 1; page <= 3; page++) {
      walked.push(...idsOf((await tracksOf(granted.slug, { page, pageSize: 4 })).data));
    }
    expect(walked).toEqual(order);
    expect((await tracksOf(granted.slug, { page: 4, pageSize: 4 })).data.items).toEqual([]);
  });

  it('has no pages where it has no tracks', async () => {
    expect((await tracksOf('empty')).data).toMatchObject({
      totalRecords: 0,
      totalPages: 0,
      items: [],
    });
  });

  it('tells a playlist that is not granted from one that does not exist by nothing but the request id', async () => {
    const headers = { 'X-Request-Id': 'the-same-request-id' };
    const answers = await Promise.all(
      [foreign.id, foreign.slug, newId(), 'no-such-list', foreign.id.toUpperCase()].map(
        (idOrSlug) => house.call('listPlaylistTracks', { token, params: { idOrSlug }, headers }),
      ),
    );
    const comparable = answers.map(({ status, headers: sent, body }) => {
      const { date: _, 'ratelimit-remaining': __, ...rest } = sent;
      return { status, rest, body: body.toString('utf8') };
    });
    for (const answer of comparable) {
      expect(answer).toEqual(comparable[0]);
    }
    expect(comparable[0]!.status).toBe(404);
  });

  it('leaves out what was taken down, and puts it back in its place on restore', async () => {
    const gone = order[2]!;
    const before = (await house.call('listPlaylists', { token })).data.items[1];
    await house.operator.store.catalog.setState(gone, 'taken_down', BY);
    await house.until(async () => (await tracksOf(granted.id)).data.totalRecords === 8);
    expect(idsOf((await tracksOf(granted.id)).data)).toEqual(order.filter((id) => id !== gone));
    const { data } = await house.call('listPlaylists', { token });
    const seconds = TRACKS.find((track) => track.id === gone)!.durationSeconds;
    expect(data.items[1]).toMatchObject({
      trackCount: 8,
      durationSeconds: before.durationSeconds - seconds,
    });
    await house.operator.store.catalog.setState(gone, 'live', BY);
    await house.until(async () => (await tracksOf(granted.id)).data.totalRecords === 9);
    expect(idsOf((await tracksOf(granted.id)).data)).toEqual(order);
  });
});
