import { describe, expect, it } from 'vitest';
import { serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';
import {
  addOperator,
  ConsoleClient,
  PASSWORD,
  serveConsole,
  setPassword,
} from './console-client.ts';

describe('the console', () => {
  it('needs a login, and ends its sessions with a logout and with a new password', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    const before = await client.get('/clients');
    expect(before.status).toBe(303);
    expect(before.headers.get('location')).toBe('/login?next=%2Fclients');
    expect((await client.login('wrong password')).status).toBe(401);

    const login = await client.login();
    expect(login.status).toBe(303);
    expect(login.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-stave-console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
      ),
    ]);
    expect((await client.get('/')).status).toBe(200);

    const other = new ConsoleClient(client.url);
    other.cookie = client.cookie;
    expect((await client.post('/logout')).headers.get('location')).toBe('/login');
    // The session is gone on the server, not only in the browser.
    expect((await other.get('/')).status).toBe(303);

    await client.login();
    expect((await client.get('/')).status).toBe(200);
    await setPassword(folder.path, 'another long password');
    expect((await client.get('/')).status).toBe(303);
    expect((await client.login()).status).toBe(401);
    expect((await client.login('another long password')).status).toBe(303);
    expect((await client.get('/')).status).toBe(200);
    const { output } = console_.service;
    expect(output()).not.toMatch(new RegExp(`${PASSWORD}|another long`));
    const line = (fields: string) =>
      `"method":"POST","path":"/login",${fields}"caller":"127.0.0.1","msg":"login to the console"`;
    const wrong =
      '"status":401,"error":"wrong_password","problem":"The name or the password is wrong.","operator":"console",';
    await until(() => output().split(line(wrong)).length === 3, 'both failed logins');
    expect(output().split(line('"status":303,"operator":"console",'))).toHaveLength(4);
    const logged = async (by: string) =>
      (await staveJson(folder.path, ['log', '--actor', by])).map(
        ({ what, entityId }: Record<string, string>) => [what, entityId],
      );
    const failed = ['console.login_failed', 'console'];
    await until(
      async () => (await logged('system:console')).length === 2,
      'the change log to have the failed logins',
    );
    expect(await logged('system:console')).toEqual([failed, failed]);
    const succeeded = ['console.logged_in', 'console'];
    expect(await logged('console:console')).toEqual([succeeded, succeeded, succeeded]);
  });

  it('has one answer for names that do not exist, and logs none of them', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    await addOperator(folder.path, 'anna', 'viewer');
    const body = async (name: string) => {
      const { status, text } = await client.login(PASSWORD, '/', name);
      return [status, text.replaceAll(`value="${name}"`, '')];
    };
    const [unknown, unset] = [await body('my secret'), await body('anna')];
    expect(unknown).toEqual(unset);
    expect(unknown[0]).toBe(401);
    await client.login(PASSWORD, '/', 'console');
    const { output } = console_.service;
    await until(() => output().includes('"status":303'), 'the line of the login');
    expect(output()).not.toContain('my secret');
  });

  it('leads to the page that was requested, or whose form was sent, and to no other site', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    const { headers } = await client.get('/log?actor=cli');
    const { text } = await client.get(headers.get('location')!);
    expect(text).toContain('name="next" value="/log?actor=cli"');
    const unsaved = await client.post('/clients', {}, { from: '/clients/new' });
    const page = await client.get(unsaved.headers.get('location')!);
    expect(page.text).toContain('name="next" value="/clients/new"');
    expect(page.text).toContain('Your session has ended, so the form was not saved.');
    const wrong = await client.login('wrong password', '/clients/new');
    expect(wrong.text).toContain('name="next" value="/clients/new"');
    const elsewhere = await client.login(PASSWORD, 'https://evil.example/');
    expect(elsewhere.headers.get('location')).toBe('/');
    const login = await client.login(PASSWORD, '/clients/new');
    expect(login.headers.get('location')).toBe('/clients/new');
    expect((await client.get('/login?next=//evil.example')).text).toContain(
      'name="next" value="/"',
    );
  });

  it('refuses cookies that it did not make', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    await client.login();
    const value = client.cookie.split('=')[1]!;
    const flipped = (value[0] === 'A' ? 'B' : 'A') + value.slice(1);
    for (const other of ['', flipped, `${value}.`, value.slice(1)]) {
      client.cookie = `__Host-stave-console=${other}`;
      expect((await client.get('/')).status, other).toBe(303);
    }
    client.cookie = `stave-console=${value}`;
    expect((await client.get('/')).status).toBe(303);
    client.cookie = `other=1; __Host-stave-console=${value}`;
    expect((await client.get('/')).status).toBe(200);
  });

  it('checks no password after ten wrong ones, also not the right one, until a reset', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, i) => client.login(`wrong password ${i}`)),
    );
    const refused = guesses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(2);
    // A slow machine does not check ten passwords within 10 s.
    while ((await client.login('wrong password')).status !== 429);
    const right = await client.login();
    expect(right.status).toBe(429);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(right.text).toContain('Too many wrong passwords');
    // The names of others do not wait, and neither does a link.
    expect((await client.login(PASSWORD, '/', 'ben')).status).toBe(401);
    const { link } = await staveJson(folder.path, ['operators', 'reset', 'console']);
    expect((await client.login()).status).toBe(303);
    const [, token] = link.split('#');
    const fields = { token, password: 'another long password', again: 'another long password' };
    expect((await client.post('/set-password', fields)).status).toBe(200);
    expect((await client.get('/')).status).toBe(303);
    expect((await client.login('another long password')).status).toBe(303);
  });

  it('explains a login whose cookies the browser has refused', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    const from = { referer: `${client.url}/login?next=%2Flog` };
    const refused = await client.get('/log', from);
    expect(refused.headers.get('location')).toBe('/login?next=%2Flog&unkept=1');
    const { text } = await client.get(refused.headers.get('location')!);
    expect(text).toContain('this browser does not keep the cookies of the console');
    // A session that has ended is no reason for this: the browser still has its cookie.
    await client.login();
    await setPassword(folder.path);
    const ended = await client.get('/log', from);
    expect(ended.headers.get('location')).toBe('/login?next=%2Flog');
  });

  it('says which command sets the password, while there is none', async () => {
    using folder = temporaryFolder();
    const port = await freePort();
    await using _service = await serve(folder.path, { STAVE_CONSOLE_PORT: String(port) });
    const client = new ConsoleClient(`http://127.0.0.1:${port}`);
    expect((await client.get('/login')).text).toContain('stave operators add');
    const refused = await client.login();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    await setPassword(folder.path);
    expect((await client.login()).status).toBe(303);
  });
});
