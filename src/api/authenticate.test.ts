import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccessServer, listen } from '../../test/fixtures/access-server.ts';

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

interface Answer {
  status: number;
  challenge: string | undefined;
  kind: string | undefined;
}

/** GET with header fields exactly as given, repeated ones too. */
function get(path: string, ...fields: [name: string, value: string][]): Promise<Answer> {
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
  it('is taken from the Authorization header, its scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      expect((await get('/v1/me', ['Authorization', `${scheme} ${token}`])).status).toBe(200);
    }
    expect((await get('/v1/me', ['aUTHORIZATION', `Bearer ${token}`])).status).toBe(200);
  });

  it('is challenged for without an error code where none was sent', async () => {
    expect(await get('/v1/me')).toEqual(noToken);
    expect(await get('/v1/me', ['Authorization', ''])).toEqual(noToken);
    expect(await get('/v1/me', ['Authorization', 'Basic aWQ6c2VjcmV0'])).toEqual(noToken);
    expect(await get('/v1/me', ['Authorization', token])).toEqual(noToken);
  });

  it('is never looked for anywhere else', async () => {
    expect(await get(`/v1/me?access_token=${token}`)).toEqual(noToken);
    expect(await get('/v1/me', ['Cookie', `access_token=${token}`])).toEqual(noToken);
    expect(await get('/v1/me', ['Proxy-Authorization', `Bearer ${token}`])).toEqual(noToken);
    const body = new URLSearchParams({ access_token: token });
    const posted = await fetch(`${server.base}/v1/auth/token`, { method: 'POST', body });
    expect(posted.status).toBe(400);
  });

  it.each([
    ['missing after its scheme', () => 'Bearer'],
    ['of strange characters', () => 'Bearer {token}'],
    ['followed by something', () => `Bearer ${token} x`],
    ['followed by another', () => `Bearer ${token}, Bearer ${other}`],
    ['quoted', () => `Bearer "${token}"`],
    ['not one of ours', () => 'Bearer 0123456789abcdef'],
    ['far too long', () => `Bearer ${'a'.repeat(12_000)}`],
  ])('is refused with an error code when it is %s', async (_, value) => {
    expect(await get('/v1/me', ['Authorization', value()])).toEqual(badToken);
  });

  it('is refused when two headers bring one, good ones or not', async () => {
    const good: [string, string] = ['Authorization', `Bearer ${token}`];
    expect(await get('/v1/me', good, good)).toEqual(badToken);
    expect(await get('/v1/me', good, ['authorization', `Bearer ${other}`])).toEqual(badToken);
    expect(await get('/v1/me', good, ['AUTHORIZATION', 'Basic aWQ6c2VjcmV0'])).toEqual(badToken);
  });

  it('may be expired, and is told so', async () => {
    const { clientId } = await server.newClient();
    const short = await server.newToken(clientId);
    server.clock.turn(3599);
    expect((await get('/v1/me', ['Authorization', `Bearer ${short}`])).status).toBe(200);
    server.clock.turn(1);
    expect(await get('/v1/me', ['Authorization', `Bearer ${short}`])).toEqual(badToken);
  });
});
