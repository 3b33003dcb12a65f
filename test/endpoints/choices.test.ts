import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filterId, type TrackDelivery } from '../../src/features/catalog/track.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { fieldsOfRefusal } from './bad-input-support.ts';

const TRACKS = deliveries(60);
const NOBODYS = '00000000-0000-4000-8000-000000000000';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  token = await (await server.createClient({ features: ['saved-searches'] })).token();
});
afterAll(() => server?.close());

type Query = Record<string, unknown>;
const call = (operation: string, options: object = {}) =>
  server.call(operation, { token, ...options });
const list = async (query: Query) =>
  (await call('listTracks', { query: { pageSize: 100, ...query } })).data;
const search = async (body: Query) =>
  (await call('searchTracks', { body: { pageSize: 100, ...body } })).data;
const idsOf = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
const carries = (track: TrackDelivery, name: string) =>
  track.filters.some((filter) => filter.name === name);
const expected = (holds: (track: TrackDelivery) => boolean) =>
  new Set(TRACKS.filter(holds).map(({ id }) => id));
const filterIdOf = async (slug: string): Promise<string> =>
  (await call('listFilters')).data.items.find((one: { slug: string }) => one.slug === slug).id;

describe('choices of filters', () => {
  it.each<[string, Query, (track: TrackDelivery) => boolean]>([
    [
      'one of a type',
      { anyFilterSlugs: ['calm', 'ambient', 'drum-bass'] },
      (t) => carries(t, 'Calm'),
    ],
    [
      'none',
      { notFilterSlugs: ['calm', 'advertising'] },
      (t) => !carries(t, 'Calm') && !carries(t, 'Advertising'),
    ],
    [
      'all, one and none',
      { filterSlugs: ['calm'], anyFilterSlugs: ['ambient'], notFilterSlugs: ['advertising'] },
      (t) => carries(t, 'Calm') && carries(t, 'Ambient') && !carries(t, 'Advertising'),
    ],
    ['empty lists', { anyFilterSlugs: [], notFilterIds: [] }, () => true],
  ])('find the tracks with %s, in both operations', async (_, query, holds) => {
    const listed = await list(query);
    expect(new Set(idsOf(listed))).toEqual(expected(holds));
    expect(listed.totalRecords).toBe(listed.items.length);
    expect(idsOf(await search(query))).toEqual(idsOf(listed));
  });

  it('take ids in either case, and lists in any order', async () => {
    const [ambient, calm] = [await filterIdOf('ambient'), await filterIdOf('calm')];
    const page = await list({
      anyFilterIds: [ambient.toUpperCase(), ambient],
      notFilterIds: [calm],
    });
    expect(new Set(idsOf(page))).toEqual(
      expected((t) => carries(t, 'Ambient') && !carries(t, 'Calm')),
    );
    const turned = await search({ notFilterSlugs: ['calm'], anyFilterSlugs: ['ambient'] });
    expect(idsOf(turned)).toEqual(idsOf(page));
  });

  it('name unknown filters, which they leave out', async () => {
    const page = await search({
      anyFilterSlugs: ['ambiant', 'drum-bass'],
      notFilterIds: [NOBODYS],
      notFilterSlugs: ['clam'],
    });
    expect(new Set(idsOf(page))).toEqual(expected((t) => carries(t, 'Drum & Bass')));
    expect(page.warnings).toEqual([
      { field: 'anyFilterSlugs', message: 'no filter has the slug ambiant; did you mean ambient?' },
      { field: 'notFilterIds', message: `no filter has the id ${NOBODYS}` },
      { field: 'notFilterSlugs', message: 'no filter has the slug clam; did you mean calm?' },
    ]);
    const none = await list({ anyFilterSlugs: ['ambiant'], facets: true });
    expect(none).toMatchObject({ totalRecords: 0, facets: { filters: [], types: [] } });
  });

  it('show in the facets of a type what another choice would bring', async () => {
    const query = { anyFilterSlugs: ['ambient'], notFilterSlugs: ['calm'], facets: true };
    const { totalRecords, facets } = await list(query);
    const counts = Object.fromEntries(
      facets.filters.map((one: { slug: string; trackCount: number }) => [one.slug, one.trackCount]),
    );
    const count = (holds: (track: TrackDelivery) => boolean) =>
      expected((t) => holds(t) && !carries(t, 'Calm')).size;
    expect(totalRecords).toBe(count((t) => carries(t, 'Ambient')));
    expect(counts).toEqual({
      ambient: totalRecords,
      'drum-bass': count((t) => carries(t, 'Drum & Bass')),
      advertising: count((t) => carries(t, 'Ambient') && carries(t, 'Advertising')),
    });
    const all = await list({ filterSlugs: ['ambient'], notFilterSlugs: ['calm'], facets: true });
    expect(all.facets.filters.map((one: { slug: string }) => one.slug)).not.toContain('drum-bass');
  });

  it.each<[Query, string[]]>([
    [{ anyFilterIds: ['x'] }, ['anyFilterIds[0]']],
    [{ anyFilterSlugs: ['Calm'] }, ['anyFilterSlugs[0]']],
    [{ notFilterSlugs: 'calm' }, ['notFilterSlugs']],
    [{ notFilterIds: null }, ['notFilterIds']],
    [{ anyFilterSlugs: Array(51).fill('calm') }, ['anyFilterSlugs']],
    [
      { anyFilterIds: Array(20).fill(NOBODYS), anyFilterSlugs: Array(31).fill('calm') },
      ['anyFilterSlugs'],
    ],
    [
      { notFilterIds: Array(50).fill(NOBODYS), notFilterSlugs: ['calm'], page: 0 },
      ['page', 'notFilterSlugs'],
    ],
    [{ filterSlugs: ['calm'], notFilterSlugs: ['calm', 'ambient'] }, ['notFilterSlugs']],
  ])('are refused with %j', async (body, fields) => {
    expect(await fieldsOfRefusal(server, 'searchTracks', { token, body })).toEqual(fields);
  });

  it('are refused if a filter is excluded and asked for, by its id or slug', async () => {
    const ambient = await filterIdOf('ambient');
    const query = { anyFilterIds: [ambient], notFilterSlugs: ['calm', 'ambient'] };
    const message = 'notFilterSlugs must not have ambient, which anyFilterIds has, too';
    const problem = { field: 'notFilterSlugs', message };
    for (const response of [
      await call('listTracks', { query }),
      await call('searchTracks', { body: query }),
    ]) {
      expect(response).toMatchObject({ status: 400, error: { details: [problem] } });
    }
    const byId = { filterSlugs: ['ambient'], notFilterIds: [ambient.toUpperCase()] };
    expect((await call('listTracks', { query: byId })).error.details).toEqual([
      {
        field: 'notFilterIds',
        message: `notFilterIds must not have ${ambient} (ambient), which filterSlugs has, too`,
      },
    ]);
  });
});

describe('a saved search with choices', () => {
  const save = (body: Query, headers = {}) => call('createSavedSearch', { body, headers });

  it('finds what the search finds, and is refused with a conflict', async () => {
    const chosen = { anyFilterSlugs: ['ambient'], notFilterSlugs: ['calm', 'nope'] };
    const { data } = await save({ name: 'Chosen', search: chosen });
    expect(data).toMatchObject({
      search: chosen,
      totalRecords: (await search(chosen)).totalRecords,
      warnings: [{ field: 'search.notFilterSlugs' }],
    });
    const conflict = { filterSlugs: ['calm'], notFilterSlugs: ['calm'] };
    const details = [
      {
        field: 'search.notFilterSlugs',
        message: 'search.notFilterSlugs must not have calm, which search.filterSlugs has, too',
      },
    ];
    const refused = await save({ name: 'Conflict', search: conflict });
    expect(refused).toMatchObject({ status: 400, error: { type: 'invalid_request', details } });
    const change = { params: { id: data.id }, headers: { 'If-Match': '*' } };
    const edited = await call('updateSavedSearch', { ...change, body: { search: conflict } });
    expect(edited).toMatchObject({ status: 400, error: { details } });
    const tooMany = { notFilterSlugs: Array(50).fill('calm'), notFilterIds: [NOBODYS] };
    expect(await save({ name: 'Many', search: tooMany })).toMatchObject({
      status: 400,
      error: { details: [{ field: 'search.notFilterSlugs' }] },
    });
  });

  it('matches nothing once a conflict has arisen, and its creation can be repeated', async () => {
    const filters = [{ type: 'mood', name: 'Brand New' }] as const;
    const search = { notFilterIds: [filterId(filters[0])], anyFilterSlugs: ['brand-new', 'calm'] };
    const headers = { 'Idempotency-Key': 'a-conflict-later' };
    const body = { name: 'Later', search };
    const { status, data } = await save(body, headers);
    expect(status).toBe(201);
    expect(data.totalRecords).toBe(expected((t) => carries(t, 'Calm')).size);
    await server.deliver([delivery(61, { filters: [...filters] })]);
    const params = { id: data.id };
    const shown = async () => (await call('showSavedSearch', { params })).data;
    await server.until(async () => (await shown()).totalRecords === 0);
    const tracks = await call('listSavedSearchTracks', { params, query: { facets: true } });
    expect(tracks).toMatchObject({ status: 200, data: { totalRecords: 0, items: [] } });
    expect(await save(body, headers)).toMatchObject({ status: 201, data: { id: data.id } });
    const renamed = { params, headers: { 'If-Match': '*' }, body: { name: 'Renamed' } };
    expect((await call('updateSavedSearch', renamed)).status).toBe(200);
  });
});
