import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { serve, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { isThere, PROXIES } from '../harness/proxies.ts';
import { until } from '../harness/until.ts';
import { ConsoleClient, serveConsole } from './console-client.ts';

const [, nginx] = PROXIES;
const HEADER = { STAVE_CONSOLE_USER_HEADER: 'X-Forwarded-User' };

describe('a header of a proxy', () => {
  it('signs the operator in whom it names, and nobody else', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder, {
      env: { ...HEADER, STAVE_TRUST_PROXY: 'loopback' },
    });
    const { client } = console_;
    await stave(folder.path, ['operators', 'add', 'änne', '--role', 'viewer']);
    const as = (name: string) => ({ 'x-forwarded-user': Buffer.from(name).toString('latin1') });
    const first = await client.get('/tracks', as('ÄNNE'));
    expect([first.status, first.text]).toEqual([200, expect.stringContaining('änne <span')]);
    expect(first.text).not.toContain('/logout');
    const [set] = first.headers.getSetCookie();
    expect(set).toMatch(/^__Host-stave-console=[\w-]{43}; .*Secure$/);
    client.cookie = set!.split(';')[0]!;
    const second = await client.get('/', as('änne'));
    expect([second.status, second.headers.getSetCookie()]).toEqual([200, []]);
    expect((await client.get('/login?next=/log', as('änne'))).headers.get('location')).toBe('/log');

    // Another name, two names, and none: the session of the first is not theirs.
    for (const [name, status] of [
      ['mallory', 403],
      ['änne, console', 403],
      ['', 303],
    ] as const) {
      client.cookie = set!.split(';')[0]!;
      const other = await client.get('/', as(name));
      expect([name, other.status]).toEqual([name, status]);
      if (status === 403) expect(other.text).toContain('is not an operator of this console');
    }
    expect((await client.get('/', as('<b>x'))).text).toContain('&lt;b&gt;x');
    await until(() => console_.service.output().includes('"error":"unknown_operator"'), 'the line');
    // The session has ended with the name.
    client.cookie = set!.split(';')[0]!;
    expect((await client.get('/')).status).toBe(303);
    const logins = await staveJson(folder.path, ['log', '--actor', 'console:änne']);
    expect(logins).toMatchObject([{ what: 'console.logged_in', entityId: 'änne' }]);
    await stave(folder.path, ['operators', 'disable', 'änne']);
    expect((await client.get('/', as('änne'))).status).toBe(403);
    // A login with a password is a session beside it, which ends where the proxy names somebody.
    client.cookie = '';
    expect((await client.login()).status).toBe(303);
    expect((await client.get('/')).text).toContain('console <span');
  });

  it('of another address is not believed', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder, {
      env: { ...HEADER, STAVE_TRUST_PROXY: '192.0.2.7' },
    });
    const headers = { 'x-forwarded-user': 'console', 'x-forwarded-for': '192.0.2.7' };
    const page = await console_.client.get('/', headers);
    expect([page.status, page.headers.get('location')]).toEqual([303, '/login']);
  });

  it('is not read without the setting', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder, { env: { STAVE_TRUST_PROXY: 'loopback' } });
    expect((await console_.client.get('/', { 'x-forwarded-user': 'console' })).status).toBe(303);
  });

  it('is the only way if passwords are off', async () => {
    using folder = temporaryFolder();
    const env = { ...HEADER, STAVE_TRUST_PROXY: 'loopback', STAVE_CONSOLE_PASSWORDS: 'off' };
    await using console_ = await serveConsole(folder, { env });
    const { client } = console_;
    for (const answer of [
      await client.get('/login'),
      await client.login(),
      await client.get('/set-password'),
      await client.post('/set-password', { token: 'x', password: 'x', again: 'x' }),
    ]) {
      expect([answer.status, answer.text]).toEqual([
        ...[403, expect.stringContaining('Passwords are off')],
      ]);
    }
    const page = await client.get('/operators', { 'x-forwarded-user': 'console' });
    expect(page.status).toBe(200);
    client.cookie = page.headers.getSetCookie()[0]!.split(';')[0]!;
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)![1]!;
    const added = await client.post(
      '/operators',
      { csrf, version: '0', name: 'ben', role: 'viewer' },
      { headers: { 'x-forwarded-user': 'console' } },
    );
    expect(added.headers.get('location')).toBe('/operators/ben');
    const shown = await client.get('/operators/ben', { 'x-forwarded-user': 'console' });
    expect(shown.text).not.toContain('set-password');
    // A form without a session is not saved, and the next page says so.
    client.cookie = '';
    const lost = await client.post(
      '/operators',
      { csrf, version: '0', name: 'carl', role: 'viewer' },
      { headers: { 'x-forwarded-user': 'console' }, from: '/operators' },
    );
    expect([lost.status, lost.headers.get('location')]).toEqual([
      ...[303, '/login?next=%2Foperators&unsaved=1'],
    ]);
  });

  it.each([
    [{ STAVE_CONSOLE_PASSWORDS: 'off' }, 'STAVE_CONSOLE_USER_HEADER is missing'],
    [HEADER, 'STAVE_TRUST_PROXY is missing'],
  ])('stops a start with %j', async (env, problem) => {
    using folder = temporaryFolder();
    const ran = await stave(folder.path, ['serve'], { env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
    expect(ran.stderr).toContain(problem);
  });
});

/** The configurations of the guide, with the header in which the program that signs in answers. */
const [OAUTH2_PROXY, AUTHELIA] = [
  ...readFileSync(new URL('../../docs/single-sign-on.md', import.meta.url), 'utf8').matchAll(
    /```nginx\n(.*?)```/gs,
  ),
].map(([, text]) => text!);

describe.skipIf(!isThere(nginx)).each([
  ['oauth2-proxy', OAUTH2_PROXY!, '127.0.0.1:4180', 'X-Auth-Request-Email', '/oauth2/sign_in'],
  ['Authelia', AUTHELIA!, '127.0.0.1:9091', 'Remote-User', 'https://auth.example.com/'],
])('nginx with %s, as in the guide', (_, configuration, place, answerHeader, signIn) => {
  it('signs operators in, and clears a header that a browser sends', async () => {
    using folder = temporaryFolder();
    // Answers as the program does: by its own cookie.
    const signer = createServer(({ headers }, response) => {
      const name = /sso=([^;]+)/.exec(headers.cookie ?? '')?.[1];
      if (name === undefined) response.writeHead(401, { location: signIn }).end();
      else if (name === 'nobody') response.writeHead(202).end();
      else response.writeHead(202, { [answerHeader]: name }).end();
    }).listen(0, '127.0.0.1');
    await once(signer, 'listening');
    const [port, consolePort] = [await freePort(), await freePort()];
    await stave(folder.path, ['operators', 'add', 'anna@example.com', '--role', 'owner']);
    await using service = await serve(folder.path, {
      ...HEADER,
      STAVE_CONSOLE_PORT: String(consolePort),
      STAVE_CONSOLE_PASSWORDS: 'off',
      STAVE_TRUST_PROXY: '127.0.0.1',
    });
    const server = configuration
      .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
      .replace(/ *ssl_certificate.*\n/g, '')
      .replaceAll(place, `127.0.0.1:${(signer.address() as AddressInfo).port}`)
      .replace('127.0.0.1:9465', `127.0.0.1:${consolePort}`);
    const path = folder.at('proxy.conf');
    writeFileSync(
      path,
      `daemon off; pid ${folder.at('nginx.pid')}; error_log ${folder.at('error.log')}; events {}
      http { access_log off; client_body_temp_path ${folder.path}; proxy_temp_path ${folder.path};
        fastcgi_temp_path ${folder.path}; uwsgi_temp_path ${folder.path}; scgi_temp_path ${folder.path};
        ${server} }`,
    );
    const running = spawn(nginx.program, nginx.words(path), { stdio: 'ignore' });
    try {
      const client = new ConsoleClient(`http://127.0.0.1:${port}`);
      await until(async () => (await client.get('/').catch(() => undefined)) !== undefined);
      const sso = (name: string) => ({ cookie: `sso=${name}` });
      const forged = { 'x-forwarded-user': 'anna@example.com' };
      const open = await client.get('/', forged);
      expect([open.status, open.headers.get('location')]).toEqual([
        ...[302, expect.stringContaining(signIn)],
      ]);
      // Signed in as somebody else, or as nobody: the header of the browser is replaced, or removed.
      const other = await client.get('/', { ...sso('mallory@example.com'), ...forged });
      expect([other.status, other.text]).toEqual([403, expect.stringContaining('mallory@')]);
      const nobody = await client.get('/', { ...sso('nobody'), ...forged });
      expect([nobody.status, nobody.headers.get('location')]).toEqual([
        ...[303, expect.stringMatching(/\/login$/)],
      ]);
      const page = await client.get('/operators', sso('anna@example.com'));
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('anna@example.com')]);
      // A form with the cookie of the session, through the proxy.
      const cookie = page.headers.getSetCookie()[0]!.split(';')[0]!;
      const hidden = (name: string) =>
        new RegExp(`name="${name}" value="([^"]+)"`).exec(page.text)![1]!;
      const fields = { csrf: hidden('csrf'), version: hidden('version'), name: 'ben' };
      const headers = { cookie: `${cookie}; ${sso('anna@example.com').cookie}` };
      const added = await client.post('/operators', { ...fields, role: 'viewer' }, { headers });
      expect(added.status).toBe(303);
      const [change] = await staveJson(folder.path, ['log', '--entity', 'operator']);
      expect(change).toMatchObject({ by: 'console:anna@example.com', entityId: 'ben' });
      expect(service.output()).toContain('"error":"unknown_operator"');
    } finally {
      running.kill();
      await once(running, 'exit');
      signer.close();
    }
  });
});
