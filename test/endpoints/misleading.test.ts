import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

/** Common mistakes of partners, and the hints in the responses. */
let server: TestServer;
let client: TestClient;
let token: string;
beforeAll(async () => {
  server = await startTestServer();
  client = await server.createClient();
  token = await client.token();
});
afterAll(() => server?.close());

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const errorOf = async (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
) => {
  const response = await server.http.send(method, path, headers, body);
  const { error } = JSON.parse(response.body.toString('utf8'));
  return { status: response.status, ...error };
};
const authorized = () => ({ Authorization: `Bearer ${token}` });

describe('a body of another type than its Content-Type', () => {
  it('is reported by the token endpoint, as after curl -d without a header', async () => {
    const json = JSON.stringify({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.testSecret,
    });
    const error = await errorOf('POST', '/v1/auth/token', FORM, json);
    expect(error).toMatchObject({
      status: 400,
      type: 'invalid_request',
      message:
        'body is JSON, but its Content-Type is application/x-www-form-urlencoded; send Content-Type: application/json.',
    });
    expect(JSON.stringify(error)).not.toContain(client.testSecret);
  });

  it('is reported for a form with the type of JSON', async () => {
    const form = `grant_type=client_credentials&client_secret=${client.testSecret}`;
    const json = { 'Content-Type': 'application/json' };
    const error = await errorOf('POST', '/v1/auth/token', json, form);
    expect(error.message).toBe(
      'body is a form, but its Content-Type is application/json; send Content-Type: application/x-www-form-urlencoded.',
    );
  });

  it('is reported by the search, which checks the type first', async () => {
    const error = await errorOf(
      'POST',
      '/v1/search',
      { ...authorized(), ...FORM },
      '{"query":"a"}',
    );
    expect(error).toMatchObject({
      status: 415,
      message: 'The body must come with Content-Type: application/json.',
    });
  });
});

describe('credentials with other names', () => {
  it('get a hint of the expected names', async () => {
    const { error } = await server.call('createToken', {
      body: {
        grantType: 'client_credentials',
        clientId: client.clientId,
        clientSecret: client.testSecret,
      },
    });
    expect(error.details).toEqual([
      {
        field: 'grant_type',
        message: 'grant_type is missing; grantType is not read, call it grant_type',
      },
      {
        field: 'client_id',
        message: 'client_id is missing; clientId is not read, call it client_id',
      },
      {
        field: 'client_secret',
        message: 'client_secret is missing; clientSecret is not read, call it client_secret',
      },
    ]);
  });
});

describe('values in the notation of other languages', () => {
  it('get a hint of the notation', async () => {
    const { error } = await server.call('listTracks', {
      token,
      query: 'hasVocals=True',
    });
    expect(error.details).toEqual([
      { field: 'hasVocals', message: 'hasVocals must be true or false, in lower case' },
    ]);
  });

  it('get a hint in a body', async () => {
    const { error } = await server.call('searchTracks', {
      token,
      body: { hasVocals: 'true', pageSize: '5' },
    });
    expect(error.details!.map(({ message }) => message)).toEqual([
      'hasVocals must be true or false, without quotes',
      'pageSize must be a whole number from 1 to 100, without quotes',
    ]);
  });
});

describe('an unknown path', () => {
  it.each([
    ['/tracks', '/v1/tracks?'],
    ['/tracks?search=rain', '/v1/tracks?'],
    ['/search', '/v1/search?'],
    ['/auth/token', '/v1/auth/token?'],
    ['/tracks/sunrise', '/v1/tracks/{slug}?'],
    ['/v1/tracks/', '/v1/tracks, without a slash at the end?'],
    ['/v1/tracks/sunrise/', '/v1/tracks/{slug}, without a slash at the end?'],
    ['/v1/playlists/', '/v1/playlists, without a slash at the end?'],
    ['/tracks/', '/v1/tracks, without a slash at the end?'],
    ['//v1//tracks', '/v1/tracks?'],
    ['/V1/Tracks', '/v1/tracks?'],
    ['/v1/track', '/v1/tracks?'],
    ['/v1/track/sunrise', '/v1/tracks/{slug}?'],
    ['/v1/changes', '/v1/tracks/changes?'],
    ['/v1/similar', '/v1/tracks/{slug}/similar?'],
    ['/v1/savedsearches', '/v1/saved-searches?'],
    ['/v1/licence/7', '/v1/licenses/{number}?'],
    ['/api/v1/tracks', '/v1/tracks?'],
    ['/healthcheck', '/health-check?'],
    ['/version/', '/version, without a slash at the end?'],
  ])('gets a hint of the probable path: %s', async (path, meant) => {
    const { status, type, message } = await errorOf('GET', path, authorized());
    expect({ status, type, message }).toEqual({
      status: 404,
      type: 'not_found',
      message: `There is nothing at this path; did you mean ${meant}`,
    });
  });

  it('is reported before the token is checked, and the response repeats nothing of it', async () => {
    const { message } = await errorOf('GET', `/tracks/${client.testSecret}/`);
    expect(message).toBe(
      'There is nothing at this path; did you mean /v1/tracks/{slug}, without a slash at the end?',
    );
  });

  it.each([
    ['GET', '/v1/search', 'This path has POST, OPTIONS only.'],
    [
      'POST',
      '/v1/webhooks/7',
      'This path has GET, HEAD, PATCH, DELETE, OPTIONS only; POST is for /v1/webhooks.',
    ],
    ['PUT', '/v1/collections', 'This path has POST, GET, HEAD, OPTIONS only.'],
    [
      'PATCH',
      '/v1/webhooks',
      'This path has POST, GET, HEAD, OPTIONS only; PATCH is for /v1/webhooks/{id}.',
    ],
  ])('is named where another one has the method: %s %s', async (method, path, message) => {
    expect(await errorOf(method, path)).toMatchObject({ type: 'method_not_allowed', message });
  });

  it.each([
    '/v1/users',
    '/v1/albums/7',
    '/nothing/of/the/kind',
    '/',
    `/${'/'.repeat(4000)}`,
    `/${'a/'.repeat(3000)}`,
    '/%2f',
  ])('that resembles no known path gets a reference to the documentation: %.30s', async (path) => {
    const { status, message } = await errorOf('POST', path);
    expect([404, 405]).toContain(status);
    if (status === 404) {
      expect(message).toBe('There is nothing at this path; /docs shows what there is.');
    }
  });
});
