import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, FEATURES } from '../../src/common/caller.ts';
import { DAY_MS } from '../../src/common/clock.ts';
import { setClientEnabled } from '../../src/features/access/clients.ts';
import { linkSeat, updateSeat } from '../../src/features/access/seats.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { Browser, newSeat, OWN, tokenOf } from './sessions-support.ts';

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer({ tracks: [], config: { trustProxy: ['loopback'] } });
  client = await server.createClient({ scopes: ALL_SCOPES, features: FEATURES });
});
afterAll(() => server?.close());

const browser = () => new Browser(server.http);
async function signedIn(change?: Parameters<typeof newSeat>[2]) {
  const seat = await newSeat(server, client.clientId, change);
  const own = browser();
  expect((await own.signIn(seat.token)).status).toBe(201);
  return { seat, own };
}

describe('a sign-in link', () => {
  it('shows whose it is without being used, and works once', async () => {
    const { token, id } = await newSeat(server, client.clientId, { name: 'Ana' });
    const own = browser();
    const look = () => own.send('POST', '/session/link', { body: { token } });
    for (let i = 0; i < 2; i++) {
      expect(await look()).toMatchObject({
        ...{ status: 200, data: { seat: 'Ana', client: 'Test client' } },
      });
    }
    const { status, set } = await own.signIn(token);
    expect(status).toBe(201);
    expect(set).toMatch(
      /^__Host-stave=[\w-]{43}; Max-Age=7776000; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    expect((await own.me(await own.token())).data.seat).toEqual({ id, name: 'Ana', role: 'buyer' });
    const again = await browser().signIn(token);
    const unknown = await browser().signIn('0'.repeat(22));
    for (const answer of [again, await look()]) {
      expect([answer.status, answer.error]).toEqual([
        404,
        { ...unknown.error, ...requestOf(answer) },
      ]);
    }
  });

  it('signs in one of two browsers that use it at once', async () => {
    const { token } = await newSeat(server, client.clientId);
    const browsers = Array.from({ length: 4 }, browser);
    const answers = await Promise.all(browsers.map((one) => one.signIn(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404]);
  });

  it('ends after its time, with a newer one, and with its seat', async () => {
    const { id, token } = await newSeat(server, client.clientId);
    const { operator, clock } = server;
    const next = tokenOf(await linkSeat(operator, id));
    expect((await browser().signIn(token)).status).toBe(404);
    clock.advance(7 * 86_400);
    expect((await browser().signIn(next)).status).toBe(404);
    const last = tokenOf(await linkSeat(operator, id));
    await operator.store.seats.setEnabled(id, false, 'test');
    expect((await browser().signIn(last)).status).toBe(404);
    await expect(linkSeat(operator, id)).rejects.toMatchObject({ kind: 'conflict' });
    await operator.store.seats.setEnabled(id, true, 'test');
    expect((await browser().signIn(last)).status).toBe(404);
    expect((await browser().signIn(tokenOf(await linkSeat(operator, id)))).status).toBe(201);
  });

  it.each([
    {},
    { token: 1 },
    { token: '0'.repeat(22), client_id: 'a', client_secret: 'b' },
    { client_id: 'a' },
    { token: 'x'.repeat(101) },
  ])('is refused as %j', async (body) => {
    expect(await browser().send('POST', '/session', { body })).toMatchObject({
      ...{ status: 400, error: { type: 'invalid_request' } },
    });
  });
});

describe('POST /session/token', () => {
  it('gives a token of ten minutes, without what a page does not need', async () => {
    const { own } = await signedIn();
    const { data, headers } = await own.send('POST', '/session/token');
    expect(data).toEqual({
      access_token: expect.any(String),
      ...{ token_type: 'Bearer', expires_in: 600 },
      scope: ALL_SCOPES.filter((scope) => !['webhooks', 'changes', 'usage'].includes(scope))
        .sort()
        .join(' '),
    });
    expect(headers['cache-control']).toBe('no-store');
    const token = data.access_token!;
    server.clock.advance(599);
    expect((await own.me(token)).status).toBe(200);
    server.clock.advance(1);
    expect((await own.me(token)).status).toBe(401);
  });

  it('gives a listener no right to license', async () => {
    const { own, seat } = await signedIn({ role: 'listener' });
    const { data } = await own.send('POST', '/session/token');
    expect(data.scope!.split(' ')).not.toContain('licensing');
    expect((await own.me(data.access_token!)).data).toMatchObject({
      ...{ clientId: client.clientId, mode: 'test' },
      seat: { id: seat.id, name: seat.name, role: 'listener' },
    });
  });

  it('is refused without a session, or with an ended one, whose cookie it removes', async () => {
    const own = browser();
    const none = await own.send('POST', '/session/token');
    expect([none.status, none.error.type, none.set]).toEqual([401, 'invalid_token', undefined]);
    expect(none.headers['www-authenticate']).toBeUndefined();
    own.cookie = 'A'.repeat(43);
    const wrong = await own.send('POST', '/session/token');
    expect([wrong.status, wrong.error.message]).toEqual([401, none.error.message]);
    expect(wrong.set).toContain('Max-Age=0');
    expect(own.cookie).toBeUndefined();
  });

  it('removes every ended cookie, also of many browsers with one address', async () => {
    for (let i = 0; i < 12; i++) {
      const own = browser();
      own.cookie = 'B'.repeat(43);
      const { status, set } = await own.send('POST', '/session/token');
      expect([status, set?.includes('Max-Age=0')]).toEqual([401, true]);
    }
  });

  it('counts as a request of the client', async () => {
    const small = await server.createClient({ rateLimit: 3 });
    const { token } = await newSeat(server, small.clientId);
    const own = browser();
    await own.signIn(token);
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) {
      statuses.push((await own.send('POST', '/session/token')).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('lets a session of a seat last for 90 days after its last use', async () => {
    const { own } = await signedIn();
    for (let i = 0; i < 2; i++) {
      server.clock.advance(89 * 86_400);
      await own.token();
    }
    server.clock.advance(90 * 86_400);
    expect((await own.send('POST', '/session/token')).status).toBe(401);
  });
});

describe('the origin of a request', () => {
  const other = { status: 403, error: { type: 'forbidden' } };

  it.each([
    ['nothing', {}],
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['an address that somebody typed', { 'Sec-Fetch-Site': 'none' }],
    ['another origin', { Origin: 'https://evil.example' }],
    ['an origin that is hidden', { Origin: 'null' }],
    ['two that do not agree', { ...OWN, Origin: 'https://evil.example' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
  ])('is refused if the browser names %s', async (_, headers) => {
    const { own } = await signedIn();
    for (const [method, path] of [
      ['POST', '/session/token'],
      ['POST', '/session'],
      ['POST', '/session/link'],
      ['DELETE', '/session'],
    ] as const) {
      const body = path === '/session/token' || method === 'DELETE' ? {} : { body: { token: 'a' } };
      expect(await own.send(method, path, { ...body, headers })).toMatchObject(other);
    }
    await own.token();
  });

  it('may be any name of loopback, if no public address is set', async () => {
    const { own } = await signedIn();
    const { port } = new URL(server.address);
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const headers = { Origin: `http://${host}:${port}` };
      expect((await own.send('POST', '/session/token', { headers })).status).toBe(200);
    }
    const headers = { Origin: `https://localhost:${port}` };
    const refused = await own.send('POST', '/session/token', { headers });
    expect(refused).toMatchObject(other);
    expect(refused.error.message).toContain('must set STAVE_PUBLIC_URL');
    const byProxy = { ...headers, 'X-Forwarded-Proto': 'https' };
    expect((await own.send('POST', '/session/token', { headers: byProxy })).status).toBe(200);
  });
});

describe('a session', () => {
  it('ends with its tokens by signing out', async () => {
    const { own } = await signedIn();
    const token = await own.token();
    const cookie = own.cookie;
    const { status, set } = await own.send('DELETE', '/session');
    expect([status, set!.includes('Max-Age=0')]).toEqual([200, true]);
    await server.until(async () => (await own.me(token)).status === 401);
    own.cookie = cookie;
    expect((await own.send('POST', '/session/token')).status).toBe(401);
    expect((await own.send('DELETE', '/session')).status).toBe(200);
  });

  it.each([
    ['removed', (id: string) => server.operator.store.seats.remove(id, 'test')],
    ['disabled', (id: string) => server.operator.store.seats.setEnabled(id, false, 'test')],
    ['signed out everywhere', (id: string) => server.operator.store.seats.endSessions(id, 'test')],
    ['moved to another mode', (id: string) => updateSeat(server.operator, id, { mode: 'live' })],
    ['given a lower role', (id: string) => updateSeat(server.operator, id, { role: 'listener' })],
  ])('has no tokens any more when its seat is %s', async (_, end) => {
    const { own, seat } = await signedIn();
    const token = await own.token();
    expect((await own.me(token)).status).toBe(200);
    await end(seat.id);
    await server.until(async () => (await own.me(token)).status === 401);
    expect((await own.me(token)).error.type).toBe('invalid_token');
  });

  it.each([
    ['role', { role: 'listener' }, { role: 'buyer' }],
    ['mode', { mode: 'live' }, { mode: 'test' }],
  ] as const)(
    'gives tokens that stay invalid when the former %s comes back',
    async (_, change, back) => {
      const { own, seat } = await signedIn();
      const former = await own.token();
      await updateSeat(server.operator, seat.id, change);
      // At once, so the node may not know of the change yet.
      const changed = await own.token();
      expect((await own.me(former)).status).toBe(401);
      await updateSeat(server.operator, seat.id, back);
      const present = async () => (await own.me(await own.token())).data;
      await server.until(async () => (await present()).seat?.role === 'buyer');
      expect(await present()).toMatchObject({ mode: 'test' });
      expect((await own.me(former)).status).toBe(401);
      expect((await own.me(changed)).status).toBe('role' in change ? 200 : 401);
    },
  );

  it('ends by signing out also just after a change of its seat', async () => {
    const { own, seat } = await signedIn();
    const former = new Browser(server.http);
    former.cookie = own.cookie;
    await updateSeat(server.operator, seat.id, { role: 'listener' });
    await own.send('DELETE', '/session');
    expect((await server.operator.store.seats.record(seat.id)).sessions).toBe(0);
    await server.until(async () => (await former.send('POST', '/session/token')).status === 401);
  });

  it('ends for ever when its client is disabled', async () => {
    const { clientId } = await server.createClient();
    const seat = await newSeat(server, clientId);
    const own = browser();
    await own.signIn(seat.token);
    const unused = tokenOf(await linkSeat(server.operator, seat.id));
    await setClientEnabled(server.operator, clientId, false);
    await setClientEnabled(server.operator, clientId, true);
    await server.until(async () => (await own.send('POST', '/session/token')).status === 401);
    expect((await browser().signIn(unused)).status).toBe(404);
  });

  it('is the oldest that ends with the 21st of a seat', async () => {
    const { own: first, seat } = await signedIn();
    const others: Browser[] = [];
    for (let i = 0; i < 20; i++) {
      const own = browser();
      await own.signIn(tokenOf(await linkSeat(server.operator, seat.id)));
      others.push(own);
    }
    await server.until(async () => (await first.send('POST', '/session/token')).status === 401);
    await others[0]!.token();
    expect((await server.operator.store.seats.record(seat.id)).sessions).toBe(20);
  });

  it('is replaced when its browser signs in again', async () => {
    const { own, seat } = await signedIn();
    const former = new Browser(server.http);
    former.cookie = own.cookie;
    await own.signIn(tokenOf(await linkSeat(server.operator, seat.id)));
    await server.until(async () => (await former.send('POST', '/session/token')).status === 401);
    await own.token();
  });
});

describe('a session of a secret', () => {
  const signIn = async (own: Browser, secret = client.liveSecret) =>
    own.send('POST', '/session', {
      body: { client_id: client.clientId, client_secret: secret },
    });

  it('lasts for 30 days, and has the mode of the secret and no seat', async () => {
    const own = browser();
    const { status, set } = await signIn(own);
    expect([status, set!.includes('; Max-Age=2592000;')]).toEqual([201, true]);
    expect((await own.me(await own.token())).data).toMatchObject({ mode: 'live', seat: null });
    server.clock.advance(29 * 86_400 + 86_400 - 300);
    const { data } = await own.send('POST', '/session/token');
    expect(data.expires_in).toBe(300);
    server.clock.advance(300);
    expect((await own.send('POST', '/session/token')).status).toBe(401);
  });

  it('ends with its secret', async () => {
    const own = browser();
    const other = await server.createClient();
    const body = { client_id: other.clientId, client_secret: other.testSecret };
    await own.send('POST', '/session', { body });
    const token = await own.token();
    const { secrets } = (await server.operator.store.clients.get(other.clientId))!;
    const { id } = secrets.find(({ mode }) => mode === 'test')!;
    await server.operator.store.clients.revokeSecret(other.clientId, id, 'test');
    await server.until(async () => (await own.me(token)).status === 401);
    expect((await own.send('POST', '/session/token')).status).toBe(401);
  });

  it('needs the right secret', async () => {
    const answer = await signIn(browser(), 'stave_live_no');
    expect([answer.status, answer.error.type]).toEqual([401, 'invalid_client']);
  });
});

describe('guessing', () => {
  it.each([
    [
      'a link',
      (own: Browser, headers: Record<string, string>) =>
        own.send('POST', '/session/link', { body: { token: '1'.repeat(22) }, headers }),
    ],
    [
      'a link by signing in',
      (own: Browser, headers: Record<string, string>) =>
        own.send('POST', '/session', { body: { token: '1'.repeat(22) }, headers }),
    ],
  ])('%s is limited by address, and never refuses what is right', async (what, guess) => {
    const headers = { ...OWN, 'X-Forwarded-For': `192.0.2.${what.length}` };
    const statuses = new Set<number>();
    for (let i = 0; i < 12; i++) statuses.add((await guess(browser(), headers)).status);
    expect([...statuses].at(-1)).toBe(429);
    const { token } = await newSeat(server, client.clientId);
    const right = await browser().send('POST', '/session', { body: { token }, headers });
    expect(right.status).toBe(201);
  });
});

it('counts the use of a seat, which stays known', async () => {
  const before = server.clock.now();
  const { own, seat } = await signedIn();
  const used = async () => (await server.operator.store.seats.record(seat.id)).lastUsedAt;
  expect(await used()).toBeGreaterThanOrEqual(before);
  await own.me(await own.token());
  await own.send('DELETE', '/session');
  await server.until(async () => (await used()) !== null);
  server.clock.advance((3 * DAY_MS) / 1000);
  await server.operator.store.clientRequests.expire();
  expect(await used()).not.toBeNull();
});

it('is a page of its own, which nobody may frame', async () => {
  const { status, headers, body } = await server.http.send('GET', '/sign-in');
  expect(status).toBe(200);
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(String(headers['content-security-policy'])).toContain("frame-ancestors 'none'");
  expect(body.toString()).toContain('HTTPS is needed');
  expect((await server.http.send('GET', '/sign-in.js')).status).toBe(200);
});

/** The member of an error that is different in each. */
function requestOf({ error }: { error: object }) {
  return 'requestId' in error ? { requestId: error.requestId } : {};
}
