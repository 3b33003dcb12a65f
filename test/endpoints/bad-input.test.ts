import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { fieldsOfRefusal } from './bad-input-support.ts';

const UUID = '00000000-0000-4000-8000-000000000000';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: [] });
  token = await (await server.createClient()).token();
});
afterAll(() => server?.close());

/** The fields that a request with a token is refused for. */
const refusedFields = (operationId: string, options: object) =>
  fieldsOfRefusal(server, operationId, { token, ...options });

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
    ['in=title', 'in[0]'],
    ['in=Name', 'in[0]'],
    ['in=name,,tags', 'in[1]'],
    ['in=name&in=', 'in[1]'],
    ['in=name,artists,tags,filters,name', 'in'],
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

  it.each([
    [
      'releasedFrom=2024-01-31T12:00:00+01:00',
      /^releasedFrom must be a date .* a time in UTC .*Z$/,
    ],
    ['filterSlugs=Calm', /digits and hyphens \(did you mean calm\?\)$/],
    ['filterSlugs=Caf%C3%A9', /digits and hyphens$/],
    ['sort=NAME', /\(did you mean name\?\)$/],
  ])('says what may be meant by %s', async (query, message) => {
    const { status, error } = await server.call('listTracks', { token, query });
    expect(status).toBe(400);
    expect(error.details![0]!.message).toMatch(message);
  });

  it.each(['search=%FF', 'search=%zz', 'search=%', 'search=%C0%AF', 'search=%ED%A0%80'])(
    'refuses %s, which is not UTF-8',
    async (query) => {
      expect(await refusedFields('listTracks', { query })).toHaveLength(1);
    },
  );

  it('accepts 50 filters and a text of 200 characters', async () => {
    const query = `filterSlugs=${Array(50).fill('a').join(',')}&search=${encodeURIComponent('😀'.repeat(200))}`;
    expect((await server.call('listTracks', { token, query })).status).toBe(200);
  });

  it.each([
    ['bpmMin=120.5&bpmMax=120', ['bpmMin', 'bpmMax']],
    ['durationMax=0&durationMin=1', ['durationMin', 'durationMax']],
    ['releasedFrom=2024-02-01&releasedTo=2024-01-31', ['releasedFrom', 'releasedTo']],
    ['releasedFrom=2024-02-01T00:00:00.000Z&releasedTo=2024-01-31', ['releasedFrom', 'releasedTo']],
    ['bpmMin=2&bpmMax=1&page=0&sort=up', ['page', 'sort', 'bpmMin', 'bpmMax']],
    ['bpmMin=2&bpmMax=1&durationMin=x&durationMax=0', ['durationMin', 'bpmMin', 'bpmMax']],
  ])(
    'refuses %s, a range that ends before it begins, and names both ends',
    async (query, fields) => {
      expect(await refusedFields('listTracks', { query })).toEqual(fields);
    },
  );

  it.each([
    'bpmMin=90&bpmMax=90.000',
    'durationMin=0&durationMax=0',
    'releasedFrom=2024-01-31T23:59:59.999Z&releasedTo=2024-01-31',
    'releasedFrom=2024-02-29&releasedTo=2024-02-29T00:00:00Z',
    'songKey=',
    'sort=relevance&facets=false',
  ])('accepts %s', async (query) => {
    expect((await server.call('listTracks', { token, query })).status).toBe(200);
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

describe('the other operations', () => {
  it.each([
    ['listFilters', 'type=color', 'type'],
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
