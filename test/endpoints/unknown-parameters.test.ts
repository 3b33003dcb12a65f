import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, FEATURES } from '../../src/common/caller.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer();
  token = await (await server.createClient({ scopes: ALL_SCOPES, features: FEATURES })).token();
});
afterAll(() => server?.close());

/** Returns the fields of the error of a refused request, with their messages. */
async function problemsOf(operationId: string, options: object): Promise<Record<string, string>> {
  const { status, error } = await server.call(operationId, { token, ...options });
  expect({ status, type: error.type }).toEqual({ status: 400, type: 'invalid_request' });
  return Object.fromEntries(error.details!.map(({ field, message }) => [field, message]));
}

describe('an unknown query parameter', () => {
  it.each([
    ['filterSlug=calm', { filterSlug: 'filterSlugs' }],
    ['limit=5&q=rain', { limit: 'pageSize', q: 'search' }],
    ['offset=20', { offset: 'page' }],
    ['genre=ambient&mood=calm', { genre: 'filterSlugs', mood: 'filterSlugs' }],
    ['pagesize=5', { pagesize: 'pageSize' }],
    ['serach=rain', { serach: 'search' }],
    ['query=rain', { query: 'search' }],
    ['order_by=name', { order_by: 'sort' }],
    ['isInstrumental=true', { isInstrumental: 'hasVocals' }],
  ])('is refused by the list, with a hint of the known one: %s', async (query, meant) => {
    const messages = await problemsOf('listTracks', { query });
    expect(messages).toEqual(
      Object.fromEntries(
        Object.entries(meant).map(([name, known]) => [
          name,
          `${name} is not a parameter of this operation (did you mean ${known}?)`,
        ]),
      ),
    );
  });

  it('that has brackets gets the hint to join a list with commas', async () => {
    expect(
      await problemsOf('listTracks', { query: 'filterSlugs%5B%5D=calm&filterSlugs[]=ambient' }),
    ).toEqual({
      'filterSlugs[]':
        'filterSlugs[] is not a parameter of this operation (did you mean filterSlugs?); join its entries with commas, as in filterSlugs=a,b',
    });
  });

  it('is refused by every operation with a JSON response', async () => {
    const body = { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' };
    const operations = server.contract
      .operations()
      .filter(({ tags }) => !tags.includes('Media'))
      .filter(({ path }) => path.startsWith('/v1/'));
    expect(operations.length).toBeGreaterThan(10);
    for (const { operationId, requestBody } of operations) {
      const options = {
        query: 'color=blue',
        params: { slug: 'sunrise', idOrSlug: 'none' },
        ...(requestBody !== undefined && { body: operationId === 'createToken' ? body : {} }),
        token,
      };
      const { status, error } = await server.call(operationId, options);
      expect({ operationId, status }).toEqual({ operationId, status: 400 });
      expect(error.details!.map(({ field }) => field)).toContain('color');
    }
  });

  it('is ignored by /version and /health-check, which always respond', async () => {
    for (const operationId of ['readVersion', 'healthCheck', 'checkLiveness', 'checkReadiness']) {
      expect((await server.call(operationId, { query: 't=1' })).status).toBe(200);
    }
  });

  it('is refused by the OAuth endpoints in the form of RFC 6749', async () => {
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'x' });
    for (const response of [
      await fetch(`${server.address}/oauth/token?color=blue`, { method: 'POST', body: form }),
      await fetch(`${server.address}/.well-known/oauth-authorization-server?color=blue`),
    ]) {
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        error: 'invalid_request',
        error_description: expect.stringContaining('color'),
        error_uri: expect.stringMatching(/#invalid_request$/),
      });
    }
  });

  it('that belongs in the body gets that hint', async () => {
    expect(await problemsOf('searchTracks', { query: 'q=rain', body: {} })).toEqual({
      q: 'q is not a parameter of this operation; send query in the body',
    });
  });

  it('is ignored by media and documentation', async () => {
    const { data } = await server.call('showTrack', { token, params: { slug: 'sunrise' } });
    for (const path of [new URL(data.artworkUrl).pathname, '/docs', '/openapi.json']) {
      expect((await server.http.send('GET', `${path}?v=2`)).status).toBe(200);
    }
    const { pathname, search } = new URL(data.streamUrl);
    const changed = await server.http.send('GET', `${pathname}${search}&v=2`);
    expect(JSON.parse(changed.body.toString('utf8')).error.type).toBe('invalid_signature');
  });

  it('is reported after problems of token, limit and scope', async () => {
    expect((await server.call('listTracks', { query: 'color=blue' })).status).toBe(401);
    const other = await (await server.createClient({ scopes: ['filters'] })).token();
    const refused = await server.call('listTracks', { query: 'color=blue', token: other });
    expect(refused.status).toBe(403);
  });

  it('is ignored if it begins with _ or utm_', async () => {
    const query = '_=1700000000&utm_source=mail&_=2&pageSize=1';
    const { status, data } = await server.call('listTracks', { query, token });
    expect(status).toBe(200);
    expect(data.items).toHaveLength(1);
  });

  it('never repeats a secret in the response', async () => {
    const secret = `stave_live_${'a'.repeat(36)}`;
    const { body } = await server.http.send('GET', `/v1/tracks?${secret}=1&access_token=${token}`, {
      Authorization: `Bearer ${token}`,
    });
    const text = body.toString('utf8');
    expect(JSON.parse(text).error.details.map(({ field }: { field: string }) => field)).toEqual([
      '[secret]',
      'access_token',
    ]);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(token);
  });
});

describe('an unknown member of a search', () => {
  it.each([
    [{ search: 'rain' }, 'query'],
    [{ q: 'rain' }, 'query'],
    [{ limit: 5 }, 'pageSize'],
    [{ per_page: 5 }, 'pageSize'],
    [{ filters: ['calm'] }, 'filterSlugs'],
  ])('is refused, with a hint of the known one: %j', async (body, known) => {
    const [name] = Object.keys(body);
    expect(await problemsOf('searchTracks', { body })).toEqual({
      [name!]: `${name} is not a member of this body (did you mean ${known}?)`,
    });
  });
});
