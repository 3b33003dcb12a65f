import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { HttpCaller } from '../harness/http.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(60) });
  token = await (await newClient()).token();
});
afterAll(() => server?.close());

const newClient = () => server.createClient({ features: ['saved-searches'] });
const call = (operation: string, options: Parameters<TestServer['call']>[1] = {}) =>
  server.call(operation, { token, ...options });

let saved = 0;
async function save(search: object = {}, as = token): Promise<string> {
  const body = { name: `Search ${saved++}`, search };
  const { status, data } = await call('createSavedSearch', { body, token: as });
  expect(status).toBe(201);
  return data.id;
}

const show = async (id: string) => (await call('showSavedSearch', { params: { id } })).data;
const see = (id: string, body?: object) => call('markSavedSearchSeen', { params: { id }, body });
const idsOf = (items: readonly { id: string }[]) => items.map((item) => item.id);
const newTracks = async (id: string) =>
  (await call('listSavedSearchTracks', { params: { id }, query: { new: true } })).data;

/** Delivers tracks, and waits until the server shows them. */
async function deliver(from: number, count: number): Promise<string[]> {
  const tracks = Array.from({ length: count }, (_, i) => delivery(from + i));
  await server.deliver(tracks);
  const last = tracks.at(-1)!.id;
  await server.until(async () => {
    const { data } = await call('batchTracks', { body: { tracks: [last] } });
    return data.items.length === 1;
  });
  return idsOf(tracks);
}

describe('a saved search', () => {
  it('is saved with warnings about what the catalog does not have', async () => {
    const search = { filterSlugs: ['clam'], songKey: 'F#m' };
    const body = { name: 'Calm', search };
    const { data } = await call('createSavedSearch', { body });
    const warnings = ['search.filterSlugs', 'search.songKey'].map((field) => ({
      field,
      message: expect.stringMatching(/^no (filter|track) has the (slug|key) (clam|F#m)/),
    }));
    expect(data).toMatchObject({ search, warnings });
    const change = { params: { id: data.id }, headers: { 'If-Match': '*' } };
    const edited = await call('updateSavedSearch', { ...change, body: { search } });
    expect(edited.data.warnings).toEqual(data.warnings);
    const mended = await call('updateSavedSearch', { ...change, body: { search: {} } });
    expect(mended.data).not.toHaveProperty('warnings');
  });

  it('is refused with a key that nobody can mean', async () => {
    const body = { name: 'Purple', search: { songKey: ['A minor', 'purple'] } };
    const { status, error } = await server.call('createSavedSearch', { token, body });
    expect(status).toBe(400);
    expect(error.details).toEqual([
      { field: 'search.songKey', message: expect.stringContaining('purple is neither') },
    ]);
  });

  it('is shown as it was sent', async () => {
    const search = {
      releasedTo: '2030-12-31',
      sort: 'newest',
      filterIds: ['EF446696-4D21-5812-8CC9-7E014D1FA6C9'],
      query: 'für “夜” 🎬 \u2028',
      in: ['tags', 'name', 'tags'],
      bpmMax: 120.5,
      filterSlugs: [],
    };
    const data = await show(await save(search));
    expect(JSON.stringify(data.search)).toBe(JSON.stringify(search));
    const id = await save({ query: 'ocean' });
    await call('updateSavedSearch', {
      params: { id },
      headers: { 'If-Match': '*' },
      body: { search },
    });
    expect(await show(id)).toMatchObject({ search, version: 2 });
  });

  it.each([
    [{ search: {} }, 'name'],
    [{ name: 'A' }, 'search'],
    [{ name: '', search: {} }, 'name'],
    [{ name: ' ', search: {} }, 'name'],
    [{ name: 'x'.repeat(201), search: {} }, 'name'],
    [{ name: 'A', search: {}, notify: 'yes' }, 'notify'],
    [{ name: 'A', search: [] }, 'search'],
    [{ name: 'A', search: { querry: 'x' } }, 'search.querry'],
    [{ name: 'A', search: { page: 1 } }, 'search.page'],
    [{ name: 'A', search: { pageSize: 1 } }, 'search.pageSize'],
    [{ name: 'A', search: { facets: true } }, 'search.facets'],
    [{ name: 'A', search: { language: 'de' } }, 'search.language'],
    [{ name: 'A', search: { query: 'x'.repeat(201) } }, 'search.query'],
    [{ name: 'A', search: { filterSlugs: Array(51).fill('a') } }, 'search.filterSlugs'],
    [{ name: 'A', search: { filterSlugs: ['a', 'B!'] } }, 'search.filterSlugs[1]'],
    [{ name: 'A', search: { bpmMin: 120, bpmMax: 90 } }, 'search.bpmMin'],
    [{ name: 'A', search: { releasedFrom: '2024-13-01' } }, 'search.releasedFrom'],
    [{ name: 'A', search: { type: null } }, 'search.type'],
  ])('is refused with %j', async (body, field) => {
    const { status, error } = await call('createSavedSearch', { body });
    expect(status).toBe(400);
    expect(error.details!.map((detail) => detail.field)).toContain(field);
    if (Object.keys(body).length < 2) return;
    const edit = { headers: { 'If-Match': '*' }, params: { id: await save() }, body };
    expect((await call('updateSavedSearch', edit)).status).toBe(400);
  });

  it('is edited by its version, and by a change of something', async () => {
    const params = { id: await save() };
    const edit = (body: object, ifMatch?: string) =>
      call('updateSavedSearch', { params, body, headers: ifMatch ? { 'If-Match': ifMatch } : {} });
    expect((await edit({ notify: true })).error.type).toBe('precondition_required');
    expect((await edit({}, '*')).error.details).toMatchObject([{ field: 'body' }]);
    expect((await edit({ notify: true }, '"1"')).headers.etag).toBe('"2"');
    expect(await edit({ notify: false }, '"1"')).toMatchObject({
      status: 412,
      headers: { etag: '"2"' },
    });
    const remove = (ifMatch: string) =>
      call('deleteSavedSearch', { params, headers: { 'If-Match': ifMatch } });
    expect((await remove('"1"')).status).toBe(412);
    expect((await remove('"2"')).data).toEqual({ id: params.id, deleted: true });
    expect((await remove('*')).status).toBe(404);
  });

  it('is created once for an Idempotency-Key', async () => {
    const request = {
      headers: { 'Idempotency-Key': 'save-once' },
      body: { name: 'Once', search: { query: 'ocean' } },
    };
    const first = await call('createSavedSearch', request);
    const again = await call('createSavedSearch', request);
    expect(again).toMatchObject({ status: 201, data: first.data });
    expect(again.headers).toMatchObject({
      'idempotency-replayed': 'true',
      location: first.headers.location,
    });
    const taken = await call('createSavedSearch', { body: { ...request.body, name: 'ONCE' } });
    expect(taken).toMatchObject({ status: 409, error: { type: 'conflict' } });
  });

  it('of another client or mode looks like none', async () => {
    const stranger = await newClient();
    const known = await save();
    const unknown = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';
    for (const as of [await stranger.token(), await stranger.token({ mode: 'live' })]) {
      const bodies = [];
      for (const id of [known, unknown]) {
        const response = await call('listSavedSearchTracks', { params: { id }, token: as });
        expect(response.status).toBe(404);
        const text = response.body.toString().replace(/"requestId":"[^"]+"/, '');
        bodies.push(text.replace(id, 'ID'));
      }
      expect(bodies[0]).toBe(bodies[1]);
    }
  });

  it('is found by its id in either case', async () => {
    const id = await save();
    expect((await show(id.toUpperCase())).id).toBe(id);
  });
});

describe('new tracks', () => {
  it('are those that were created since the search was last seen', async () => {
    const id = await save({ type: 'music' });
    const ocean = await save({ query: 'ocean' });
    const added = await deliver(1_000, 10);
    const music = added.filter((_, i) => (1_000 + i) % 5 !== 4);
    expect(await show(id)).toMatchObject({ newCount: music.length });
    expect(idsOf((await newTracks(id)).items).sort()).toEqual(music.sort());
    expect((await newTracks(ocean)).totalRecords).toBe((await show(ocean)).newCount);
    const { data } = await see(id);
    expect(data).toMatchObject({ newCount: 0, version: 1 });
    expect((await newTracks(id)).items).toEqual([]);

    await server.deliver([delivery(0, { durationSeconds: 777 })]);
    await setTrackState(server.operator.store, delivery(3).id, 'taken_down', 'test:harness');
    await setTrackState(server.operator.store, delivery(3).id, 'live', 'test:harness');
    await deliver(1_010, 1);
    expect(await show(id)).toMatchObject({ newCount: 1 });
  });

  it('stay new if they were created after the given change', async () => {
    const id = await save();
    await deliver(1_100, 2);
    const seq = await server.operator.store.changes.head();
    const [last] = await deliver(1_102, 1);
    expect((await see(id, { seq })).data.newCount).toBe(1);
    expect(idsOf((await newTracks(id)).items)).toEqual([last]);
    expect((await see(id, { seq: seq - 1 })).data.newCount).toBe(1);
    for (const bad of [-1, 1.5, '7']) expect((await see(id, { seq: bad })).status).toBe(400);
  });

  it('leave both counts after their takedown', async () => {
    const [track] = await deliver(1_200, 1);
    const { name } = delivery(1_200);
    const id = await save({ query: name });
    const before = await show(id);
    const [added] = await deliver(1_200 + 35, 1);
    expect(await show(id)).toMatchObject({
      totalRecords: before.totalRecords + 1,
      newCount: 1,
    });
    for (const one of [track!, added!])
      await setTrackState(server.operator.store, one, 'taken_down', 'test:harness');
    const expected = { totalRecords: before.totalRecords - 1, newCount: 0 };
    await server.until(async () => {
      const { totalRecords, newCount } = await show(id);
      return totalRecords === expected.totalRecords && newCount === expected.newCount;
    });
    const { items } = (await call('listSavedSearches', { query: { pageSize: 100 } })).data;
    expect(items.find((item: { id: string }) => item.id === id)).toMatchObject(expected);
  });

  it('of a filter that did not exist are counted when it does', async () => {
    const filterSlugs = ['brand-new-mood'];
    const id = await save({ filterSlugs });
    const { data } = await call('listSavedSearchTracks', { params: { id } });
    expect(data).toMatchObject({ totalRecords: 0, warnings: [{ field: 'filterSlugs' }] });
    const filters = [{ type: 'mood' as const, name: 'Brand new mood' }];
    await server.deliver([delivery(1_300, { filters })]);
    await server.until(async () => (await show(id)).newCount === 1);
  });
});

it('a hundred are listed in pages with their counts, and one more is refused', async () => {
  const as = await (await newClient()).token();
  for (let n = 0; n < 100; n++) await save(n % 2 === 0 ? {} : { query: 'ocean' }, as);
  const body = { name: 'One more', search: {} };
  expect((await call('createSavedSearch', { token: as, body })).error.type).toBe('conflict');
  const list = await call('listSavedSearches', { token: as, query: { pageSize: 100 } });
  expect(list.data.items).toHaveLength(100);
  const page = await call('listSavedSearches', { token: as, query: { page: 2, pageSize: 30 } });
  expect(page.data.items).toEqual(list.data.items.slice(30, 60));
  expect(page.headers.link).toContain('page=3');
});

describe('two nodes', () => {
  let second: Service;
  let other: HttpCaller;
  beforeAll(async () => {
    const { config, clock } = server;
    second = await startService({ config, clock, log: silentLog });
    other = new HttpCaller(second.address);
  });
  afterAll(async () => {
    other?.close();
    await second?.close();
  });

  it('show an edit and a mark at once', async () => {
    const id = await save({ query: 'ocean' });
    const headers = { Authorization: `Bearer ${token}` };
    const read = async (path = '') => {
      const { status, body } = await other.send('GET', `/v1/saved-searches/${id}${path}`, headers);
      expect(status).toBe(200);
      return JSON.parse(body.toString()).data;
    };
    await deliver(1_400, 4);
    await until(async () => (await read('/tracks?new=true')).totalRecords === 0);
    for (const [search, type] of [
      [{ type: 'sfx' }, 'sfx'] as const,
      [{ type: 'music' }, 'music'],
    ]) {
      const edit = { params: { id }, headers: { 'If-Match': '*' }, body: { search } };
      await call('updateSavedSearch', edit);
      const { items } = await read('/tracks');
      expect(new Set(items.map((item: { type: string }) => item.type))).toEqual(new Set([type]));
    }
    await until(async () => (await read()).newCount > 0);
    await see(id);
    expect((await read()).newCount).toBe(0);
    expect((await read('/tracks?new=true')).items).toEqual([]);
  });
});
