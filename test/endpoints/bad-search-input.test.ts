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
    [{ in: 'name' }, 'in'],
    [{ in: ['title'] }, 'in[0]'],
    [{ in: ['name', null] }, 'in[1]'],
    [{ in: null }, 'in'],
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
    [{ songKey: ['A minor', 5] }, 'songKey'],
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

  it.each(['null', '[]', '5', '"text"', 'true'])('refuses %s as a body', async (body) => {
    expect(await refusedFields('searchTracks', { body })).toEqual(['body']);
  });

  it.each(['{', '{"page":1', '', '{"page":1}}', '{page:1}', "{'page':1}", '\ufeff', '{"a":1,}'])(
    'refuses %j, which is not JSON',
    async (body) => {
      await refusedFields('searchTracks', { body });
    },
  );

  it.each(['__proto__', 'constructor'])(
    'refuses the member %s and keeps the prototype of objects unchanged',
    async (name) => {
      await refusedFields('searchTracks', { body: `{"${name}":{"prototype":{"x":1}}}` });
      expect((await server.call('searchTracks', { token, body: {} })).status).toBe(200);
      expect(({} as { x?: number }).x).toBeUndefined();
    },
  );

  it('refuses a body that repeats a member', async () => {
    await refusedFields('searchTracks', { body: '{"page":1,"page":2}' });
  });

  it('refuses a request without a body', async () => {
    const bare = await server.call('searchTracks', { token });
    expect(bare).toMatchObject({ status: 400, error: { type: 'invalid_request' } });
  });

  it('refuses ranges that end before they begin, together with all other problems', async () => {
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
    const { error } = await server.call('searchTracks', { token, body });
    expect(error.details!.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'bpmMin must not be above bpmMax',
        'releasedTo must not be before releasedFrom',
      ]),
    );
  });

  it('names the nearest known member', async () => {
    const { error } = await server.call('searchTracks', { token, body: { filterSlug: ['calm'] } });
    expect(error.details![0]!.message).toContain('filterSlugs');
  });

  it('reports several problems together, of the body and its members', async () => {
    const body = { page: 0, pageSize: '20', filterIds: ['x'], color: 'blue' };
    expect((await refusedFields('searchTracks', { body })).sort()).toEqual([
      'color',
      'filterIds[0]',
      'page',
      'pageSize',
    ]);
  });

  it('reports a repeated member together with the problems of other members', async () => {
    const body = '{"page":0,"page":0,"qurey":"a","filterSlugs":[{"a":1,"a":2}],"__proto__":{}}';
    expect((await refusedFields('searchTracks', { body })).sort()).toEqual([
      '__proto__',
      'filterSlugs[0]',
      'filterSlugs[0].a',
      'page',
      'qurey',
    ]);
  });

  it('refuses more than 32 levels', async () => {
    await refusedFields('searchTracks', { body: `${'['.repeat(33)}${']'.repeat(33)}` });
  });

  it('accepts 64 KiB and refuses more', async () => {
    const padded = (size: number) => `{"query":"a"${' '.repeat(size - 13)}}`;
    const over = await server.call('searchTracks', { token, body: padded(65_537) });
    expect(over).toMatchObject({ status: 413, error: { type: 'payload_too_large' } });
    const within = await server.call('searchTracks', { token, body: padded(65_536) });
    expect(within.status).toBe(200);
  });

  it.each([
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    { 'Content-Type': 'application/json; charset=utf-16' },
    { 'Content-Type': 'application/jsonp' },
    { 'Content-Encoding': 'gzip' },
  ])('refuses a body of the type %j', async (headers) => {
    const response = await server.call('searchTracks', { token, body: {}, headers });
    expect(response).toMatchObject({ status: 415, error: { type: 'unsupported_media_type' } });
  });

  it.each([
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset="UTF-8"',
  ])('accepts %s', async (type) => {
    const headers = { 'Content-Type': type };
    expect((await server.call('searchTracks', { token, body: {}, headers })).status).toBe(200);
  });
});
