import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';

const BY = 'test:harness';
const TRACKS = deliveries(8);
const ids = TRACKS.map(({ id }) => id);

let server: TestServer;
let client: TestClient;
let stranger: TestClient;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  const rights = { scopes: ['tracks', 'changes'], features: ['changes'] };
  client = await server.createClient(rights);
  stranger = await server.createClient(rights);
});
afterAll(() => server?.close());

async function createPlaylist(name: string, trackIds: readonly string[], ...grants: TestClient[]) {
  const { playlists } = server.operator.store;
  const now = server.clock.now();
  const { id, slug } = await playlists.create(
    { id: newId(), name, description: '', createdAt: now, updatedAt: now },
    trackIds,
    BY,
  );
  for (const { clientId } of grants) await playlists.grant(id, clientId, BY);
  return { id, name, slug };
}

const setState = (id: string, state: 'live' | 'taken_down') =>
  setTrackState(server.operator.store, id, state, BY);
const references = async (slug: string, of: TestClient = client, headers = {}) =>
  server.call('readTrackReferences', { token: await of.token(), params: { slug }, headers });

describe('GET /v1/tracks/{slug}/references', () => {
  it('names the granted playlists with the track, by name, in both modes', async () => {
    const second = await createPlaylist('Second', [ids[0]!, ids[1]!], client, stranger);
    const first = await createPlaylist('First', [ids[1]!, ids[0]!], client);
    await createPlaylist('Without It', [ids[1]!], client);
    await createPlaylist('Of Another', [ids[0]!], stranger);
    await createPlaylist('Of Nobody', [ids[0]!]);
    for (const name of ['night-ferry', 'Night-Ferry', ids[0]!, ids[0]!.toUpperCase()]) {
      const { status, data } = await references(name);
      expect(status).toBe(200);
      expect(data).toMatchObject({ trackId: ids[0], state: 'live', since: null });
      expect(data.playlists).toEqual([first, second]);
    }
    const live = await server.call('readTrackReferences', {
      token: await client.token({ mode: 'live' }),
      params: { slug: ids[0]! },
    });
    expect(live.data.playlists).toEqual([first, second]);
    await server.operator.store.playlists.revoke(first.id, client.clientId, BY);
    expect((await references(ids[0]!)).data.playlists).toEqual([second]);
  });

  it('finds a track that was taken down only if something of the client refers to it', async () => {
    const id = ids[2]!;
    const playlist = await createPlaylist('With A Loss', [id], client);
    await setState(id, 'taken_down');
    const [takedown] = await server.operator.store.changes.latest(1, { kind: 'taken_down' });
    await server.deliver([delivery(2, { name: 'Delivered Again' })]);
    const { status, data } = await references(id);
    expect(status).toBe(200);
    expect(data).toMatchObject({
      trackId: id,
      state: 'taken_down',
      since: new Date(takedown!.at).toISOString(),
      playlists: [playlist],
    });
    expect((await references(id, stranger)).status).toBe(404);

    server.clock.advance(1);
    await setState(id, 'live');
    expect((await references(id)).data).toMatchObject({ state: 'live', since: null });
    expect((await references(id, stranger)).data).toMatchObject({ state: 'live', playlists: [] });
    server.clock.advance(1);
    await setState(id, 'taken_down');
    const again = (await references(id)).data;
    expect(Date.parse(again.since)).toBeGreaterThan(takedown!.at);
  });

  it('finds a track that a delivery withdrew', async () => {
    const source = { source: 'withdrawn', id: newId(), slug: 'soon-withdrawn' };
    await server.deliver([delivery(20, source)]);
    const playlist = await createPlaylist('With A Withdrawal', [source.id], client);
    const session = await server.operator.store.catalog.openDelivery(BY, 'withdrawal');
    await session.withdrawAbsent('withdrawn');
    await session.close();
    const [change] = await server.operator.store.changes.latest(1, { kind: 'withdrawn' });
    expect((await references('soon-withdrawn')).data).toMatchObject({
      trackId: source.id,
      state: 'taken_down',
      since: new Date(change!.at).toISOString(),
      playlists: [playlist],
    });
  });

  it('does not distinguish a track of others from an unknown one', async () => {
    await createPlaylist('Of The Other', [ids[3]!], stranger);
    await setState(ids[3]!, 'taken_down');
    const headers = { 'X-Request-Id': 'the-same-request-id' };
    const bodies = await Promise.all(
      [ids[3]!, newId(), 'no-such-track'].map(async (name) => {
        const { status, body } = await references(name, client, headers);
        return { status, body: body.toString() };
      }),
    );
    expect(bodies[0]!.status).toBe(404);
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(1);
  });

  it('counts what the client has reported, in the mode of its token', async () => {
    const reporter = await server.createClient({
      scopes: ['tracks', 'changes', 'usage'],
      features: ['changes', 'usage'],
    });
    const id = ids[5]!;
    const occurredAt = new Date(server.clock.now() - 60_000).toISOString();
    const earlier = new Date(server.clock.now() - 3_600_000).toISOString();
    const download = { type: 'download', trackId: id };
    const { status } = await server.call('reportUsage', {
      token: await reporter.token({ mode: 'live' }),
      body: {
        events: [
          { ...download, eventId: 'a', occurredAt },
          { ...download, eventId: 'b', occurredAt: earlier },
        ],
      },
    });
    expect(status).toBe(200);
    const usageOf = async (mode: 'live' | 'test') => {
      const token = await reporter.token({ mode });
      return (await server.call('readTrackReferences', { token, params: { slug: id } })).data.usage;
    };
    expect(await usageOf('live')).toEqual({ events: 2, lastOccurredAt: occurredAt });
    expect(await usageOf('test')).toEqual({ events: 0, lastOccurredAt: null });
    await setState(id, 'taken_down');
    expect((await references(id, reporter)).status).toBe(404);
  });

  it('does not find a track whose source was removed', async () => {
    await server.deliver([delivery(21, { source: 'removed', id: newId(), slug: 'soon-removed' })]);
    expect((await references('soon-removed')).status).toBe(200);
    await server.operator.store.catalog.removeSource('removed', BY);
    expect((await references('soon-removed')).status).toBe(404);
  });

  it('names at most 1,000 playlists, and says if there are more', async () => {
    for (let number = 0; number < 1_000; number++) {
      await createPlaylist(`Number ${String(number).padStart(4, '0')}`, [ids[4]!], client);
    }
    const { data } = await references(ids[4]!);
    expect(data.playlists).toHaveLength(1_000);
    expect(data.truncated).toBe(false);
    await createPlaylist('Number 0000 B', [ids[4]!], client);
    const more = (await references(ids[4]!)).data;
    expect(more.playlists).toHaveLength(1_000);
    expect(more.playlists[1].name).toBe('Number 0000 B');
    expect(more.truncated).toBe(true);
  });
});
