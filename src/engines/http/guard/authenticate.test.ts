import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AccessServer, listen } from '../../../../test/harness/access-server.ts';

let server: AccessServer;
let token: string;
let other: string;
beforeAll(async () => {
  server = await listen();
  const { clientId } = await server.newClient();
  token = await server.newToken(clientId);
  other = await server.newToken(clientId);
});
afterAll(() => server.close());

interface Outcome {
  status: number;
  challenge: string | undefined;
  kind: string | undefined;
}

async function messageOf(authorization: string): Promise<string> {
  const response = await fetch(`${server.base}/v1/me`, { headers: { authorization } });
  const { error } = (await response.json()) as { error: { message: string } };
  return error.message;
}

/** Sends a GET request with exactly these header fields, including repeated ones. */
function get(path: string, ...fields: [name: string, value: string][]): Promise<Outcome> {
  const { port } = new URL(server.base);
  const headers = [['Host', 'stave.test'], ...fields].flat();
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) {
        chunks.push(chunk);
      }
      resolve({
        status: response.statusCode!,
        challenge: response.headers['www-authenticate'],
        kind: JSON.parse(Buffer.concat(chunks).toString()).error.type,
      });
    })
      .on('error', reject)
      .end();
  });
}

const noToken = { status: 401, challenge: 'Bearer realm="stave"', kind: 'invalid_token' };
const badToken = { ...noToken, challenge: 'Bearer realm="stave", error="invalid_token"' };

describe('the bearer token', () => {
  it('is read from the Authorization header, with the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      expect((await get('/v1/me', ['Authorization', `${scheme} ${token}`])).status).toBe(200);
    }
    expect((await get('/v1/me', ['aUTHORIZATION', `Bearer ${token}`])).status).toBe(200);
  });

  it('is requested by a challenge without an error code if none was sent', async () => {
    expect(await get('/v1/me')).toEqual(noToken);
    expect(await get('/v1/me', ['Authorization', ''])).toEqual(noToken);
    expect(await get('/v1/me', ['Authorization', 'Basic aWQ6c2VjcmV0'])).toEqual(noToken);
    expect(await get('/v1/me', ['Authorization', token])).toEqual(noToken);
  });

  it('is requested by a message that describes what was sent instead, without repeating it', async () => {
    const secret = `stave_test_${'Ab1'.repeat(12)}`;
    const basic = Buffer.from(`id:${secret}`).toString('base64');
    const cases: [string, RegExp][] = [
      ['', /^No access token was sent; send one as "Authorization: Bearer <token>"/],
      [`Basic ${basic}`, /is HTTP Basic, which only the token endpoint takes; exchange client id/],
      [token, /holds a token without the word Bearer; send "Authorization: Bearer <token>"/],
      [secret, /holds a client secret; exchange client id and secret/],
      [`Token ${token}`, /does not begin with Bearer/],
      [`Bearer ${secret}`, /^A client secret was sent in the place of an access token; exchange/],
      ['Bearer', /^Nothing stands after Bearer .* the token is data\.access_token/],
      ['Bearer undefined', /^Nothing stands after Bearer .* the token is data\.access_token/],
      ['Bearer [object Object]', /^Nothing stands after Bearer/],
      ['Bearer {{token}}', /^Nothing stands after Bearer/],
      [`Bearer Bearer ${token}`, /^The word Bearer stands twice/],
      ['Bearer 0123456789abcdef', /^The access token is not one that this service issued/],
    ];
    server.forgetLog();
    for (const [authorization, message] of cases) {
      const text = await messageOf(authorization);
      expect(text).toMatch(message);
      for (const private_ of [secret, token, basic]) expect(text).not.toContain(private_);
    }
    for (const private_ of [secret, token, basic]) {
      expect(server.logged()).not.toContain(private_);
    }
  });

  it('is not read from the query string, and the refusal does not repeat it', async () => {
    server.forgetLog();
    const response = await fetch(`${server.base}/v1/me?a=1&access_token=${token}`);
    const text = await response.text();
    expect(JSON.parse(text).error.message).toBe(
      'A token in the query is not read; send it in the header "Authorization: Bearer <token>".',
    );
    expect(text).not.toContain(token);
    await vi.waitFor(() => expect(server.logged()).toContain('/v1/me'));
    expect(server.logged()).not.toContain(token);
  });

  it('is not read from any other place', async () => {
    expect(await get(`/v1/me?access_token=${token}`)).toEqual(noToken);
    expect(await get('/v1/me', ['Cookie', `access_token=${token}`])).toEqual(noToken);
    expect(await get('/v1/me', ['Proxy-Authorization', `Bearer ${token}`])).toEqual(noToken);
    const body = new URLSearchParams({ access_token: token });
    const posted = await fetch(`${server.base}/v1/auth/token`, { method: 'POST', body });
    expect(posted.status).toBe(400);
  });

  it.each([
    ['missing after its scheme', () => 'Bearer'],
    ['made of invalid characters', () => 'Bearer {token}'],
    ['followed by other text', () => `Bearer ${token} x`],
    ['followed by another token', () => `Bearer ${token}, Bearer ${other}`],
    ['quoted', () => `Bearer "${token}"`],
    ['not issued by Stave', () => 'Bearer 0123456789abcdef'],
    ['too long', () => `Bearer ${'a'.repeat(12_000)}`],
  ])('is refused with an error code if it is %s', async (_, value) => {
    expect(await get('/v1/me', ['Authorization', value()])).toEqual(badToken);
  });

  it('is refused if there are two Authorization headers, valid or not', async () => {
    const good: [string, string] = ['Authorization', `Bearer ${token}`];
    expect(await get('/v1/me', good, good)).toEqual(badToken);
    expect(await get('/v1/me', good, ['authorization', `Bearer ${other}`])).toEqual(badToken);
    expect(await get('/v1/me', good, ['AUTHORIZATION', 'Basic aWQ6c2VjcmV0'])).toEqual(badToken);
  });

  it('is refused with a message that says so if it is expired', async () => {
    const { clientId } = await server.newClient();
    const short = await server.newToken(clientId);
    server.clock.advance(3599);
    expect((await get('/v1/me', ['Authorization', `Bearer ${short}`])).status).toBe(200);
    server.clock.advance(1);
    expect(await get('/v1/me', ['Authorization', `Bearer ${short}`])).toEqual(badToken);
  });
});
