import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { ConsoleClient, serveConsole } from './console-client.ts';

const folder = temporaryFolder();
let running: Awaited<ReturnType<typeof serveConsole>>;
let client: ConsoleClient;

beforeAll(async () => {
  running = await serveConsole(folder, {
    env: { STAVE_CONSOLE_URL: 'https://console.example.com' },
  });
  client = running.client;
  await client.login();
});
afterAll(async () => {
  await running[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const PAGES =
  '/ /log /search /doctor /catalog /statements /tracks /tracks/x /tracks/x/audio /tracks/x/artwork /playlists /playlists/x /imports /imports/new /jobs/x /jobs/x/rejections.csv /clients /clients/new /clients/x /clients/x/statement /clients/x/statement.csv /usage /webhooks /webhooks/x /rate-cards /quotes /licenses /keys /backups /nonsense';
const FORMS =
  '/clients/new /clients/x /clients/x/disable /clients/x/playlists /clients/x/playlists/revoke /clients/x/secrets /tracks/x/takedown /tracks/x/restore /playlists /playlists/x/move /imports/new /imports/undo /rate-cards /licenses/x/revoke /keys/rotate /backups /doctor /catalog /webhooks/x/ping /logout';

/** Requests a path with headers that fetch does not send. */
function rawStatus(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(client.url + path, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.once('error', reject).end();
  });
}

describe('without a session', () => {
  it.each([...PAGES.split(' ')])('%s leads to the login', async (path) => {
    const answer = await new ConsoleClient(client.url).get(path);
    expect(answer.status).toBe(303);
    const query = path === '/' ? '' : `?next=${encodeURIComponent(path)}`;
    expect(answer.headers.get('location')).toBe(`/login${query}`);
  });

  it.each([...FORMS.split(' ')])('POST %s does nothing', async (path) => {
    const answer = await new ConsoleClient(client.url).post(path, { csrf: 'x' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/login?next=%2Fclients&unsaved=1');
  });
});

describe('forged forms', () => {
  it.each([
    ['no token', {}, { csrf: '' }],
    ['a wrong token', {}, { csrf: 'x'.repeat(43) }],
    ['a foreign origin', { origin: 'https://evil.example' }, {}],
    ['an opaque origin', { origin: 'null' }, {}],
    ['a foreign page', { 'sec-fetch-site': 'cross-site' }, {}],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }, {}],
  ])('with %s are refused', async (_, headers, fields) => {
    const answer = await client.post('/keys/rotate', fields, { headers });
    expect(answer.status).toBe(403);
  });

  it('without an origin are refused, and so are logins from elsewhere', async () => {
    const csrf = await client.token('/clients');
    const body = new URLSearchParams({ csrf });
    const bare = await fetch(`${client.url}/keys/rotate`, {
      method: 'POST',
      body,
      headers: { cookie: client.cookie },
    });
    expect(bare.status).toBe(403);
    const login = await new ConsoleClient(client.url).post(
      '/login',
      { password: 'x' },
      { headers: { origin: 'https://evil.example' } },
    );
    expect(login.status).toBe(403);
  });

  it('with files are refused before a file is read', async () => {
    const body = new FormData();
    body.append('file', new Blob(['{}']), 'a.json');
    body.append('csrf', await client.token('/clients'));
    const headers = { cookie: client.cookie, origin: client.url };
    const sent = await fetch(`${client.url}/imports/new`, { method: 'POST', body, headers });
    expect(sent.status).toBe(403);
  });

  it('have changed nothing', async () => {
    expect((await client.get('/log?by=console')).text).toContain('No such change.');
  });
});

describe('the host', () => {
  it.each([
    ['127.0.0.1:1', 303],
    ['localhost', 303],
    ['[::1]:8080', 303],
    ['console.example.com', 303],
    ['evil.example', 421],
    ['127.0.0.1.evil.example', 421],
    ['console.example.com.evil.example', 421],
    ['localhost.evil.example', 421],
    ['a b', 400],
  ])('%s is answered with %i', async (host, status) => {
    expect(await rawStatus('/clients', { host })).toBe(status);
  });

  it('is checked for addresses that cannot be decoded, too', async () => {
    expect(await rawStatus('/%E0%A4%A', { host: 'evil.example' })).toBe(421);
    expect(await rawStatus('/%E0%A4%A', { host: 'localhost' })).toBe(400);
  });
});

describe('sizes', () => {
  it('of addresses, heads and bodies are bounded', async () => {
    expect((await client.get(`/tracks?q=${'x'.repeat(5_000)}`)).status).toBe(414);
    expect((await client.get('/', { 'x-long': 'x'.repeat(20_000) })).status).toBe(431);
    const login = await new ConsoleClient(client.url).post('/login', {
      password: 'x'.repeat(10_000),
    });
    expect(login.status).toBe(413);
    const form = await client.post('/clients/new', { name: 'x'.repeat(300_000) });
    expect(form.status).toBe(413);
    const headers = { cookie: client.cookie, origin: client.url, 'content-type': 'text/plain' };
    const other = await fetch(`${client.url}/keys/rotate`, { method: 'POST', body: 'x', headers });
    expect(other.status).toBe(415);
  });

  it.each([
    ['a login', '/login'],
    ['a refused form, which has its response already,', '/keys/rotate'],
    ['a refused upload', '/imports/new'],
  ])('ends the connection of %s whose body does not arrive', async (_, path) => {
    const { port } = new URL(client.url);
    const socket = connect(Number(port), '127.0.0.1');
    let isClosed = false;
    socket.once('close', () => {
      isClosed = true;
    });
    // A server that has ended its side is seen only by those who read.
    socket.on('error', () => {}).resume();
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\npass`,
    );
    // Bytes that arrive slowly must not renew the time.
    const drip = setInterval(() => socket.write('x'), 1_000);
    await until(() => isClosed, 'the connection to end', 60_000).finally(() => clearInterval(drip));
  });
});

it('answers what is no request with a page, without the header for HTTPS', async () => {
  const { port } = new URL(client.url);
  const socket = connect(Number(port), '127.0.0.1');
  const answer = await text(socket.once('connect', () => socket.write('garbage\r\n\r\n')));
  expect(answer).toMatch(
    /^HTTP\/1\.1 400 Bad Request\r\nContent-Security-Policy: default-src 'none'/,
  );
  expect(answer).toContain('<h1>Error 400</h1>');
  expect(answer).not.toContain('Strict-Transport-Security');
  expect((await client.get('/login')).headers.get('strict-transport-security')).toBe(null);
});

it('answers an address that cannot be decoded with a page', async () => {
  const answer = await client.get('/tracks/%E0%A4%A');
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('The address is malformed.');
});

it('sends headers that forbid what a page does not need', async () => {
  for (const path of ['/', '/login', '/nonsense', '/%E0%A4%A']) {
    const { headers } = await client.get(path);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
  }
});

it('keeps a secret for a page that is shown when another one refreshes itself or is loaded early', async () => {
  const made = await client.post('/clients/new', { name: 'Video editor', scopes: 'tracks' });
  expect(made.status).toBe(303);
  const refreshed = await client.get('/doctor', { 'x-console-refresh': '1' });
  expect(refreshed.status).toBe(200);
  expect(refreshed.text).not.toContain('Shown once');
  const early = await client.get('/doctor', { 'sec-purpose': 'prefetch;prerender' });
  expect(early.text).not.toContain('Shown once');
  expect((await client.get('/doctor')).text).toContain('Shown once');
  expect((await client.get('/doctor')).text).not.toContain('Shown once');
});

it('marks the cookie as secure behind HTTPS', async () => {
  expect(client.cookie).toMatch(/^__Host-stave-console=/);
});
