import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer({ tracks: [] });
  client = await server.createClient();
});
afterAll(() => server?.close());

describe('POST /v1/auth/token', () => {
  it('responds to JSON with the envelope, not cacheable', async () => {
    const { data, headers } = await server.call('createToken', {
      body: {
        grant_type: 'client_credentials',
        client_id: client.clientId,
        client_secret: client.liveSecret,
      },
    });
    expect(data).toMatchObject({ token_type: 'Bearer', expires_in: 3600, mode: 'live' });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers.pragma).toBe('no-cache');
    const { data: me } = await server.call('readMe', { token: data.access_token });
    expect(me).toMatchObject({ clientId: client.clientId, mode: 'live' });
  });

  it('responds to a form with the envelope only', async () => {
    const basic = Buffer.from(`${client.clientId}:${client.testSecret}`).toString('base64');
    const response = await server.call('createToken', {
      body: 'grant_type=client_credentials&scope=search',
      headers: { ...FORM, Authorization: `Basic ${basic}` },
    });
    expect(Object.keys(JSON.parse(response.body.toString('utf8')))).toEqual(['data', 'error']);
    expect(response.data).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'search',
    });
  });

  it('responds to a wrong secret in a form with a challenge and the envelope only', async () => {
    const { status, headers, body } = await server.call('createToken', {
      body: `grant_type=client_credentials&client_id=${client.clientId}&client_secret=wrong`,
      headers: FORM,
    });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Basic realm="stave"');
    expect(Object.keys(JSON.parse(body.toString('utf8')))).toEqual(['data', 'error']);
  });

  it.each([
    [FORM, 'client_id=a&client_id=b&scope=%FF'],
    [{}, '{"client_id":"a","client_id":"b","scope":1}'],
  ])(
    'reports the problems of the query, the form of the body and its members together',
    async (headers, body) => {
      const { status, error } = await server.call('createToken', { query: 'x=1', headers, body });
      expect(status).toBe(400);
      expect(error.details!.map(({ field }) => field).sort()).toEqual([
        'client_id',
        'client_secret',
        'grant_type',
        'scope',
        'x',
      ]);
    },
  );

  it('issues tokens that expire after an hour', async () => {
    const token = await client.token({ fresh: true });
    server.clock.advance(3590);
    expect((await server.call('readMe', { token })).status).toBe(200);
    server.clock.advance(10);
    const { status, headers } = await server.call('readMe', { token });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toContain('error="invalid_token"');
  });
});
