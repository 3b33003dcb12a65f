import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHouse, type TestHouse } from '../harness/house.ts';

const UUID = '00000000-0000-4000-8000-000000000000';

let house: TestHouse;
let token: string;
beforeAll(async () => {
  house = await startHouse({ tracks: [] });
  token = await (await house.createClient()).token();
});
afterAll(() => house?.close());

/** The fields that a refused request names, each with a message that repeats its name and a rule. */
async function refusedFields(operationId: string, options: object): Promise<string[]> {
  const { status, error } = await house.call(operationId, { token, ...options });
  expect({ status, type: error.type }).toEqual({ status: 400, type: 'invalid_request' });
  for (const { field, message } of error.details!) {
    expect(message.length).toBeGreaterThan(field.length);
  }
  expect(error.message).toMatch(/\.$/);
  return error.details!.map(({ field }) => field);
}

describe('GET /v1/tracks', () => {
  it.each([
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=1e2', 'page'],
    ['page=0x10', 'page'],
    ['page=%2B1', 'page'],
    ['page=%201', 'page'],
    ['page=', 'page'],
    ['page', 'page'],
    ['page=abc', 'page'],
    ['page=NaN', 'page'],
    ['page=2147483648', 'page'],
    ['page=10000000000000000000000', 'page'],
    ['page=1&page=1', 'page'],
    ['page=1&page=2', 'page'],
    ['pageSize=0', 'pageSize'],
    ['pageSize=-5', 'pageSize'],
    ['pageSize=101', 'pageSize'],
    ['pageSize=20.0', 'pageSize'],
    ['type=Music', 'type'],
    ['type=video', 'type'],
    ['type=', 'type'],
    ['type=music&type=sfx', 'type'],
    ['hasVocals=1', 'hasVocals'],
    ['hasVocals=TRUE', 'hasVocals'],
    ['hasVocals=yes', 'hasVocals'],
    ['hasVocals=', 'hasVocals'],
    ['filterIds=not-a-uuid', 'filterIds[0]'],
    [`filterIds=${UUID},`, 'filterIds[1]'],
    [`filterIds=,${UUID}`, 'filterIds[0]'],
    [`filterIds=urn:uuid:${UUID}`, 'filterIds[0]'],
    [`filterIds=%7B${UUID}%7D`, 'filterIds[0]'],
    [`filterIds=${UUID}&filterIds=${UUID}`, 'filterIds'],
    ['filterSlugs=Ambient', 'filterSlugs[0]'],
    ['filterSlugs=ambient,,calm', 'filterSlugs[1]'],
    ['filterSlugs=ambient,drum%20bass', 'filterSlugs[1]'],
    ['filterSlugs=%C3%BCber', 'filterSlugs[0]'],
    [`filterSlugs=${Array(51).fill('a').join(',')}`, 'filterSlugs'],
    [`filterIds=${Array(51).fill(UUID).join(',')}`, 'filterIds'],
    [`search=${'a'.repeat(201)}`, 'search'],
    ['search=a&search=b', 'search'],
    ['search=%00', 'search'],
    ['isrc=nonsense', 'isrc'],
    ['isrc=', 'isrc'],
    ['sort=', 'sort'],
    ['sort=Name', 'sort'],
    ['sort=-name', 'sort'],
    ['sort=name,bpm', 'sort'],
    ['sort=name&sort=bpm', 'sort'],
    ['facets=1', 'facets'],
    ['facets=', 'facets'],
    ['facets', 'facets'],
    ['bpmMin=-1', 'bpmMin'],
    ['bpmMin=1000.001', 'bpmMin'],
    ['bpmMin=1e2', 'bpmMin'],
    ['bpmMin=.5', 'bpmMin'],
    ['bpmMin=90%2C5', 'bpmMin'],
    ['bpmMin=Infinity', 'bpmMin'],
    ['bpmMin=', 'bpmMin'],
    ['bpmMax=NaN', 'bpmMax'],
    ['bpmMax=90&bpmMax=91', 'bpmMax'],
    ['durationMin=-1', 'durationMin'],
    ['durationMin=1.5', 'durationMin'],
    ['durationMax=2147483648', 'durationMax'],
    ['durationMax=3:30', 'durationMax'],
    ['releasedFrom=', 'releasedFrom'],
    ['releasedFrom=2024', 'releasedFrom'],
    ['releasedFrom=2023-02-29', 'releasedFrom'],
    ['releasedFrom=1706659200', 'releasedFrom'],
    ['releasedFrom=2024-01-31T12:00:00', 'releasedFrom'],
    ['releasedFrom=2024-01-31T12:00:00%2B01:00', 'releasedFrom'],
    ['releasedFrom=2016-12-31T23:59:60Z', 'releasedFrom'],
    ['releasedTo=31.01.2024', 'releasedTo'],
    ['releasedTo=2024-04-31', 'releasedTo'],
    ['releasedTo=today', 'releasedTo'],
    [`songKey=${'a'.repeat(201)}`, 'songKey'],
    ['songKey=%00', 'songKey'],
  ])('refuses %s, naming %s', async (query, field) => {
    expect(await refusedFields('listTracks', { query })).toEqual([field]);
  });

  it.each(['search=%FF', 'search=%zz', 'search=%', 'search=%C0%AF', 'search=%ED%A0%80'])(
    'refuses %s, which is not UTF-8',
    async (query) => {
      expect(await refusedFields('listTracks', { query })).toHaveLength(1);
    },
  );

  it('takes 50 filters and a text of 200 characters, counted as characters', async () => {
    const query = `filterSlugs=${Array(50).fill('a').join(',')}&search=${encodeURIComponent('😀'.repeat(200))}`;
    expect((await house.call('listTracks', { token, query })).status).toBe(200);
  });

  it.each([
    ['bpmMin=120.5&bpmMax=120', ['bpmMin', 'bpmMax']],
    ['durationMax=0&durationMin=1', ['durationMin', 'durationMax']],
    ['releasedFrom=2024-02-01&releasedTo=2024-01-31', ['releasedFrom', 'releasedTo']],
    ['releasedFrom=2024-02-01T00:00:00.000Z&releasedTo=2024-01-31', ['releasedFrom', 'releasedTo']],
    ['bpmMin=2&bpmMax=1&page=0&sort=up', ['page', 'sort', 'bpmMin', 'bpmMax']],
    ['bpmMin=2&bpmMax=1&durationMin=x&durationMax=0', ['durationMin', 'bpmMin', 'bpmMax']],
  ])('refuses %s, a range that ends before it begins, naming both ends', async (query, fields) => {
    expect(await refusedFields('listTracks', { query })).toEqual(fields);
  });

  it.each([
    'bpmMin=90&bpmMax=90.000',
    'durationMin=0&durationMax=0',
    'releasedFrom=2024-01-31T23:59:59.999Z&releasedTo=2024-01-31',
    'releasedFrom=2024-02-29&releasedTo=2024-02-29T00:00:00Z',
    'songKey=',
    'sort=relevance&facets=false',
  ])('takes %s', async (query) => {
    expect((await house.call('listTracks', { token, query })).status).toBe(200);
  });

  it('reports several problems together', async () => {
    const query = 'page=0&pageSize=500&type=film&hasVocals=maybe&filterIds=x,y';
    expect(await refusedFields('listTracks', { query })).toEqual([
      'page',
      'pageSize',
      'type',
      'hasVocals',
      'filterIds[0]',
      'filterIds[1]',
    ]);
  });
});

describe('POST /v1/search', () => {
  it.each<[unknown, string]>([
    [{ page: 0 }, 'page'],
    [{ page: '1' }, 'page'],
    [{ page: true }, 'page'],
    [{ page: 1.5 }, 'page'],
    [{ page: 2147483648 }, 'page'],
    [{ pageSize: 101 }, 'pageSize'],
    [{ pageSize: null }, 'pageSize'],
    [{ query: 5 }, 'query'],
    [{ query: null }, 'query'],
    [{ query: 'a'.repeat(201) }, 'query'],
    [{ query: '\u0000' }, 'query'],
    [{ query: ['a'] }, 'query'],
    [{ type: 'Music' }, 'type'],
    [{ type: null }, 'type'],
    [{ hasVocals: 'true' }, 'hasVocals'],
    [{ hasVocals: 1 }, 'hasVocals'],
    [{ filterIds: UUID }, 'filterIds'],
    [{ filterIds: ['x'] }, 'filterIds[0]'],
    [{ filterIds: [UUID, null] }, 'filterIds[1]'],
    [{ filterIds: Array(51).fill(UUID) }, 'filterIds'],
    [{ filterSlugs: [''] }, 'filterSlugs[0]'],
    [{ filterSlugs: ['Ambient'] }, 'filterSlugs[0]'],
    [{ filterSlugs: {} }, 'filterSlugs'],
    [{ sort: 'Name' }, 'sort'],
    [{ sort: null }, 'sort'],
    [{ sort: ['name'] }, 'sort'],
    [{ facets: 'true' }, 'facets'],
    [{ facets: 1 }, 'facets'],
    [{ bpmMin: '90' }, 'bpmMin'],
    [{ bpmMin: -0.1 }, 'bpmMin'],
    [{ bpmMax: 1000.5 }, 'bpmMax'],
    [{ bpmMax: null }, 'bpmMax'],
    [{ durationMin: 1.5 }, 'durationMin'],
    [{ durationMax: '60' }, 'durationMax'],
    [{ durationMax: 2147483648 }, 'durationMax'],
    [{ releasedFrom: 2024 }, 'releasedFrom'],
    [{ releasedFrom: '2024-02-30' }, 'releasedFrom'],
    [{ releasedTo: '2024-01-31T12:00:00+00:00' }, 'releasedTo'],
    [{ releasedTo: '' }, 'releasedTo'],
    [{ songKey: ['A minor'] }, 'songKey'],
    [{ songKey: 'a'.repeat(201) }, 'songKey'],
    [{ bpm: 90 }, 'bpm'],
    [{ isrc: 'QZES72400137' }, 'isrc'],
    [{ search: 'night' }, 'search'],
    [{ filterSlug: ['calm'] }, 'filterSlug'],
    [{ toString: 1 }, 'toString'],
  ])('refuses %j, naming %s', async (body, field) => {
    expect(await refusedFields('searchTracks', { body })).toEqual([field]);
  });

  it('refuses a lone surrogate', async () => {
    const body = '{"query":"\\ud800"}';
    expect(await refusedFields('searchTracks', { body })).toEqual(['query']);
  });

  it.each(['null', '[]', '5', '"text"', 'true'])('refuses %s for a body', async (body) => {
    expect(await refusedFields('searchTracks', { body })).toEqual(['body']);
  });

  it.each(['{', '{"page":1', '', '{"page":1}}', '{page:1}', "{'page':1}", '\ufeff', '{"a":1,}'])(
    'refuses %j, which is not JSON',
    async (body) => {
      await refusedFields('searchTracks', { body });
    },
  );

  it.each(['__proto__', 'constructor'])('refuses the member %s and stays clean', async (name) => {
    await refusedFields('searchTracks', { body: `{"${name}":{"prototype":{"x":1}}}` });
    expect((await house.call('searchTracks', { token, body: {} })).status).toBe(200);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('refuses a body that repeats a member', async () => {
    await refusedFields('searchTracks', { body: '{"page":1,"page":2}' });
  });

  it('refuses a request without a body', async () => {
    const bare = await house.call('searchTracks', { token });
    expect(bare).toMatchObject({ status: 400, error: { type: 'invalid_request' } });
  });

  it('refuses ranges that end before they begin, together with all else', async () => {
    const body = {
      bpmMin: 120,
      bpmMax: 119.999,
      durationMin: 61,
      durationMax: 60,
      releasedFrom: '2024-02-01',
      releasedTo: '2024-01-31',
      page: 0,
    };
    const fields = Object.keys(body).sort();
    expect((await refusedFields('searchTracks', { body })).sort()).toEqual(fields);
    const { error } = await house.call('searchTracks', { token, body });
    expect(error.details!.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'bpmMin must not be above bpmMax',
        'releasedTo must not be before releasedFrom',
      ]),
    );
  });

  it('names the nearest known member', async () => {
    const { error } = await house.call('searchTracks', { token, body: { filterSlug: ['calm'] } });
    expect(error.details![0]!.message).toContain('filterSlugs');
  });

  it('reports several problems together, in body and members', async () => {
    const body = { page: 0, pageSize: '20', filterIds: ['x'], colour: 'blue' };
    expect((await refusedFields('searchTracks', { body })).sort()).toEqual([
      'colour',
      'filterIds[0]',
      'page',
      'pageSize',
    ]);
  });

  it('refuses more than 32 levels', async () => {
    await refusedFields('searchTracks', { body: `${'['.repeat(33)}${']'.repeat(33)}` });
  });

  it('refuses more than 64 KiB, and takes as much as that', async () => {
    const padded = (size: number) => `{"query":"a"${' '.repeat(size - 13)}}`;
    const over = await house.call('searchTracks', { token, body: padded(65_537) });
    expect(over).toMatchObject({ status: 413, error: { type: 'payload_too_large' } });
    const within = await house.call('searchTracks', { token, body: padded(65_536) });
    expect(within.status).toBe(200);
  });

  it.each([
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    { 'Content-Type': 'application/json; charset=utf-16' },
    { 'Content-Type': 'application/jsonp' },
    { 'Content-Encoding': 'gzip' },
  ])('refuses a body of the type %j', async (headers) => {
    const answer = await house.call('searchTracks', { token, body: {}, headers });
    expect(answer).toMatchObject({ status: 415, error: { type: 'unsupported_media_type' } });
  });

  it.each([
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset="UTF-8"',
  ])('takes %s', async (type) => {
    const headers = { 'Content-Type': type };
    expect((await house.call('searchTracks', { token, body: {}, headers })).status).toBe(200);
  });
});

describe('the other questions', () => {
  it.each([
    ['listFilters', 'type=colour', 'type'],
    ['listFilters', 'type=genre&type=mood', 'type'],
    ['listPlaylists', 'page=0', 'page'],
    ['listPlaylists', 'pageSize=101', 'pageSize'],
    ['listPlaylistTracks', 'page=x', 'page'],
    ['listMostLicensed', 'period=14d', 'period'],
    ['listMostLicensed', 'period=', 'period'],
    ['listMostLicensed', 'type=film', 'type'],
    ['listMostLicensed', 'filterSlugs=A', 'filterSlugs[0]'],
    ['listMostLicensed', 'pageSize=0', 'pageSize'],
    ['suggest', 'limit=5', 'q'],
    ['suggest', `q=${'a'.repeat(201)}`, 'q'],
    ['suggest', 'q=%00', 'q'],
    ['suggest', 'q=a&q=b', 'q'],
    ['suggest', 'q=a&limit=0', 'limit'],
    ['suggest', 'q=a&limit=21', 'limit'],
    ['suggest', 'q=a&limit=', 'limit'],
  ])('%s refuses %s', async (operationId, query, field) => {
    expect(await refusedFields(operationId, { query })).toEqual([field]);
  });
});
