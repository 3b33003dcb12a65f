import { describe, expect, it } from 'vitest';
import { serve, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { ConsoleClient, PASSWORD, serveConsole, setPassword } from './console-client.ts';

describe('the console', () => {
  it('needs a login, and ends its sessions with a logout and with a new password', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    const before = await client.get('/clients');
    expect(before.status).toBe(303);
    expect(before.headers.get('location')).toBe('/login');
    expect((await client.login('wrong password')).status).toBe(401);

    const login = await client.login();
    expect(login.status).toBe(303);
    expect(login.headers.get('set-cookie')).toMatch(
      /^stave_console=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
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
    expect(console_.service.output()).not.toMatch(new RegExp(`${PASSWORD}|another long`));
  });

  it('refuses cookies that it did not make', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    await client.login();
    const [id = '', signed = ''] = client.cookie.split('=')[1]!.split('.');
    const flipped = signed[0] === 'A' ? 'B' : 'A';
    for (const value of ['', id, `${id}.`, `${id}.${flipped}${signed.slice(1)}`, `x.${signed}`]) {
      client.cookie = `stave_console=${value}`;
      expect((await client.get('/')).status, value).toBe(303);
    }
    client.cookie = `other=1; stave_console=${id}.${signed}`;
    expect((await client.get('/')).status).toBe(200);
  });

  it('slows down guesses, also for the right password, until some time has passed', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    const guesses = await Promise.all(
      Array.from({ length: 8 }, (_, i) => client.login(`wrong password ${i}`)),
    );
    const counts = Object.groupBy(guesses, ({ status }) => status);
    expect(counts[401]).toHaveLength(5);
    expect(counts[429]).toHaveLength(3);
    const right = await client.login();
    expect(right.status).toBe(429);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(right.text).toContain('Too many wrong passwords');
  });

  it('says which command sets the password, while there is none', async () => {
    using folder = temporaryFolder();
    const port = await freePort();
    await using _service = await serve(folder.path, { STAVE_CONSOLE_PORT: String(port) });
    const client = new ConsoleClient(`http://127.0.0.1:${port}`);
    expect((await client.get('/login')).text).toContain('stave console password');
    expect((await client.login()).status).toBe(503);
    await setPassword(folder.path);
    expect((await client.login()).status).toBe(303);
  });
});
