import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { updateClient } from '../../src/features/access/clients.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';

let server: TestServer;
let token: string;
let clientId: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(60) });
  const client = await newClient();
  token = await client.token();
  clientId = client.clientId;
});
afterAll(() => server?.close());

const newClient = () => server.createClient({ features: ['saved-searches'] });
const id = (number: number) => delivery(number).id;

async function create(tracks: readonly string[] = [], name = 'C'): Promise<string> {
  const { data } = await call('createCollection', { body: { name, tracks } });
  return data.id;
}

function call(operation: string, options: Parameters<TestServer['call']>[1] = {}) {
  return server.call(operation, { token, ...options });
}

async function tracksOf(collection: string, as = token) {
  const { data } = await call('listCollectionTracks', {
    params: { id: collection },
    query: { pageSize: 100 },
    token: as,
  });
  return data;
}

describe('an edit', () => {
  it('needs the current version, or any', async () => {
    const params = { id: await create([id(0)]) };
    const body = { name: 'New' };
    const edit = (ifMatch?: string) =>
      call('updateCollection', {
        params,
        body,
        headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch },
      });
    expect((await edit()).error.type).toBe('precondition_required');
    expect((await edit('"0"')).error.type).toBe('precondition_failed');
    expect((await edit('W/"1"')).headers.etag).toBe('"2"');
    const stale = await edit('"1"');
    expect(stale).toMatchObject({ status: 412, headers: { etag: '"2"' } });
    expect((await edit('"1", "2"')).data.version).toBe(3);
    expect((await edit('*')).data.version).toBe(4);
  });

  it('by a whole list is refused after another edit', async () => {
    const params = { id: await create([id(0), id(1)]) };
    const { headers } = await call('showCollection', { params });
    await call('addCollectionItems', { params, body: { items: [{ track: id(2) }] } });
    const stale = await call('replaceCollectionItems', {
      params,
      headers: { 'If-Match': headers.etag! },
      body: { items: [{ track: id(1) }, { track: id(0) }] },
    });
    expect(stale.error.type).toBe('precondition_failed');
    const { items } = await tracksOf(params.id);
    expect(items.map((item: { track: { id: string } }) => item.track.id)).toEqual(
      [0, 1, 2].map(id),
    );
  });

  it('happens once for an Idempotency-Key', async () => {
    const params = { id: await create() };
    const headers = { 'Idempotency-Key': 'add-once' };
    const body = { items: [{ track: id(3) }] };
    const first = await call('addCollectionItems', { params, headers, body });
    const again = await call('addCollectionItems', { params, headers, body });
    expect(first.data.added).toEqual([id(3)]);
    expect(again.data).toEqual(first.data);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 'C', description: 'x'.repeat(2_001) }, 'description'],
    [{ name: 'C', tracks: [''] }, 'tracks[0]'],
    [{ name: 'C', tracks: Array(501).fill('x') }, 'tracks'],
    [{ name: 'C', notes: 'x' }, 'notes'],
    [{ name: 'C', tracks: ['night-ferry', id(1), id(0)] }, 'tracks[2]'],
  ])('refuses %j', async (body, field) => {
    const { status, error } = await call('createCollection', { body });
    expect(status).toBe(400);
    const problem = error.details!.find((detail) => detail.field === field);
    expect(problem?.message.startsWith(`${field} `)).toBe(true);
    expect(problem?.message.endsWith('.')).toBe(false);
  });

  it('refuses a repeated track before it looks for the collection, the version or the tracks', async () => {
    const repeated = (...tracks: string[]) => ({ items: tracks.map((track) => ({ track })) });
    const params = { id: await create([id(0)]) };
    const body = repeated('none', id(1), 'None', id(1).toUpperCase());
    const replace = (options: Parameters<TestServer['call']>[1]) =>
      call('replaceCollectionItems', options);
    const { status, error } = await replace({ params, body });
    expect(status).toBe(400);
    expect(error.details!.map(({ field }) => field)).toEqual(['items[2].track', 'items[3].track']);
    const created = await call('createCollection', { body: { name: 'C', tracks: ['a', 'A'] } });
    expect(created.error.details).toMatchObject([{ field: 'tracks[1]' }]);

    // A track that was taken down looks like none.
    const { slug } = (await call('showTrack', { params: { slug: id(20) } })).data;
    await setTrackState(server.operator.store, id(20), 'taken_down', 'test:harness');
    const hidden = { params, headers: { 'If-Match': '*' }, body: repeated(slug, id(20)) };
    expect((await replace(hidden)).status).toBe(404);
    await setTrackState(server.operator.store, id(20), 'live', 'test:harness');
    const shown = { ...hidden, headers: { 'If-Match': '"9"' } };
    expect((await replace(shown)).error.details).toMatchObject([{ field: 'items[1].track' }]);
  });

  it('of no items is a success that changes nothing', async () => {
    const params = { id: await create([id(0)]) };
    const added = await call('addCollectionItems', { params, body: { items: [] } });
    expect(added.data).toEqual({ added: [], alreadyPresent: [], notFound: [], version: 1 });
    const removed = await call('removeCollectionItems', { params, body: { tracks: [] } });
    expect(removed.data).toEqual({ removed: [], notPresent: [], version: 1 });
    const atEnd = { items: [], position: 2 };
    expect((await call('addCollectionItems', { params, body: atEnd })).status).toBe(200);
    const afterEnd = { items: [], position: 3 };
    const { error } = await call('addCollectionItems', { params, body: afterEnd });
    expect(error.details).toMatchObject([{ field: 'position' }]);
  });

  it('refuses an empty change, and unknown members of items', async () => {
    const params = { id: await create([id(0)]), trackId: id(0) };
    const headers = { 'If-Match': '*' };
    for (const operation of ['updateCollection', 'updateCollectionItem']) {
      const { error } = await call(operation, { params, headers, body: {} });
      expect(error.message).toBe('body must have a member to change.');
    }
    const body = { items: [{ track: id(1), remark: 'x' }], position: 0 };
    const { error } = await call('addCollectionItems', { params, body });
    expect(error.details!.map(({ field }) => field).sort()).toEqual([
      'items[0].remark',
      'position',
    ]);
  });

  it('names unknown tracks, and creates nothing then', async () => {
    const before = await call('listCollections', {});
    const body = { name: 'C', tracks: [id(0), 'no-such-track', 'nor-this'] };
    const { status, error } = await call('createCollection', { body });
    expect(status).toBe(404);
    expect(error.message).toContain('no-such-track, nor-this');
    expect((await call('listCollections', {})).data.totalRecords).toBe(before.data.totalRecords);
  });
});

it('notes of any script are listed', async () => {
  const note = 'für das Ende “夜” 🎬 \u2028';
  const params = { id: await create() };
  await call('addCollectionItems', { params, body: { items: [{ track: id(5), note }] } });
  const { items } = await tracksOf(params.id);
  expect(items).toMatchObject([{ position: 1, note, track: { id: id(5) } }]);
});

it('a takedown hides a track from the list, and a restoration puts it back', async () => {
  const tracks = [6, 7, 8].map(id);
  const params = { id: await create(tracks) };
  const shape = async () => {
    const response = await call('listCollectionTracks', { params });
    const { items, totalRecords } = response.data;
    const ids = items.map((item: { track: { id: string } }) => item.track.id);
    const { data } = await call('showCollection', { params });
    const bytes = response.body.toString().replace(/"streamUrl\w*":"[^"]*"/g, '');
    return { ids, totalRecords, collection: data, bytes };
  };
  const before = await shape();
  await setTrackState(server.operator.store, id(7), 'taken_down', 'test:harness');
  await server.until(async () => (await shape()).totalRecords === 2);
  expect(await shape()).toMatchObject({
    ids: [id(6), id(8)],
    collection: { trackCount: 2, unavailableCount: 1, version: 1 },
  });
  await setTrackState(server.operator.store, id(7), 'live', 'test:harness');
  await server.until(async () => (await shape()).totalRecords === 3);
  expect(await shape()).toEqual(before);
});

it('a collection of another client or mode looks like none', async () => {
  const known = await create([id(0)]);
  const unknown = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';
  const stranger = await newClient();
  const tokens = [await stranger.token(), await stranger.token({ mode: 'live' })];
  for (const as of tokens) {
    const bodies = [];
    for (const collection of [known, unknown]) {
      const { status, body } = await call('showCollection', {
        params: { id: collection },
        token: as,
      });
      expect(status).toBe(404);
      bodies.push(
        body
          .toString()
          .replace(/"requestId":"[^"]+"/, '')
          .replace(collection, 'ID'),
      );
    }
    expect(bodies[0]).toBe(bodies[1]);
  }
});

it('a reader of a shared collection reads it, and nothing more', async () => {
  const mate = await newClient();
  const deps = { store: server.operator.store, clock: server.clock, by: 'test:harness' } as const;
  for (const one of [clientId, mate.clientId]) await updateClient(deps, one, { account: 'Acme' });
  const params = { id: await create([id(9)]), clientId: mate.clientId };
  await call('shareCollection', { params, body: {} });
  const reader = { token: await mate.token(), params };
  expect((await call('showCollection', reader)).data).toMatchObject({
    owner: false,
    sharedWith: 0,
  });
  expect((await tracksOf(params.id, reader.token)).totalRecords).toBe(1);
  expect(
    (await call('listCollections', { ...reader, query: { shared: true } })).data.items,
  ).toHaveLength(1);
  const body = { items: [{ track: id(1) }] };
  for (const response of [
    await call('addCollectionItems', { ...reader, body }),
    await call('deleteCollection', { ...reader, headers: { 'If-Match': '*' } }),
    await call('listCollectionShares', reader),
    await call('showCollection', { params, token: await mate.token({ mode: 'live' }) }),
  ]) {
    expect(response.error.type).toBe('not_found');
  }
  expect(
    (await call('shareCollection', { params: { ...params, clientId }, body: {} })).status,
  ).toBe(400);
});

it('a share is made and ended by the client id in either case', async () => {
  const mate = await newClient();
  const deps = { store: server.operator.store, clock: server.clock, by: 'test:harness' } as const;
  for (const one of [clientId, mate.clientId]) await updateClient(deps, one, { account: 'Acme' });
  const params = { id: await create(), clientId: mate.clientId.toUpperCase() };
  const shared = await call('shareCollection', { params });
  expect(shared.data).toEqual({ collectionId: params.id, clientId: mate.clientId });
  const ended = await call('unshareCollection', { params });
  expect(ended.data).toEqual({ id: mate.clientId, deleted: true });
  const own = { ...params, clientId: clientId.toUpperCase() };
  expect((await call('shareCollection', { params: own, body: {} })).status).toBe(400);
});
