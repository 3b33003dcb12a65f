import { describe, expect, it } from 'vitest';
import { serve, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';
import { ConsoleClient, PASSWORD, serveConsole, setPassword } from './console-client.ts';

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
        /^__Host-stave_console=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
      ),
      expect.stringMatching(
        /^__Host-stave_device=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=34560000; Secure$/,
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
    const wrong = '"status":401,"error":"wrong_password","problem":"That is not the password.",';
    await until(() => output().split(line(wrong)).length === 3, 'both failed logins');
    expect(output().split(line('"status":303,'))).toHaveLength(4);
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
    const [id = '', signed = ''] = client.cookie.split('=')[1]!.split('.');
    const flipped = signed[0] === 'A' ? 'B' : 'A';
    for (const value of ['', id, `${id}.`, `${id}.${flipped}${signed.slice(1)}`, `x.${signed}`]) {
      client.cookie = `__Host-stave_console=${value}`;
      expect((await client.get('/')).status, value).toBe(303);
    }
    client.cookie = `stave_console=${id}.${signed}`;
    expect((await client.get('/')).status).toBe(303);
    client.cookie = `__Host-stave_console=${client.device.split('=')[1]}`;
    expect((await client.get('/')).status).toBe(303);
    client.cookie = `other=1; __Host-stave_console=${id}.${signed}`;
    expect((await client.get('/')).status).toBe(200);
  });

  it('slows down guesses, also for the right password, until some time has passed', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    const guesses = await Promise.all(
      Array.from({ length: 8 }, (_, i) => client.login(`wrong password ${i}`)),
    );
    const { false: checked, true: refused } = Object.groupBy(
      guesses,
      ({ status }) => `${status === 429}`,
    );
    expect(refused).toHaveLength(3);
    // A slow machine does not check five passwords within 10 s.
    for (const { status, headers } of checked!) {
      expect([401, 503]).toContain(status);
      expect(headers.has('retry-after')).toBe(status === 503);
    }
    const right = await client.login();
    expect(right.status).toBe(429);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(right.text).toContain('Too many wrong passwords');
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
    // A session that has ended is no reason for this: the browser still has the cookie of the login.
    await client.login();
    client.cookie = '';
    const ended = await client.get('/log', from);
    expect(ended.headers.get('location')).toBe('/login?next=%2Flog');
  });

  it('says which command sets the password, while there is none', async () => {
    using folder = temporaryFolder();
    const port = await freePort();
    await using _service = await serve(folder.path, { STAVE_CONSOLE_PORT: String(port) });
    const client = new ConsoleClient(`http://127.0.0.1:${port}`);
    expect((await client.get('/login')).text).toContain('stave console password');
    const refused = await client.login();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    await setPassword(folder.path);
    expect((await client.login()).status).toBe(303);
  });
});
