import { describe, expect, it } from 'vitest';
import { staveJson, temporaryFolder } from '../harness/cli.ts';
import { ConsoleClient, loggedIn, PASSWORD, serveConsole } from './console-client.ts';

const NEXT = 'another long password';

describe('the page of the own password', () => {
  it('changes it for every role, keeps this session, and ends the others', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const client = await loggedIn(console_.client, folder.path, 'vera', 'viewer');
    const other = new ConsoleClient(client.url);
    await other.login(PASSWORD, '/', 'vera');
    expect((await client.get('/')).text).toContain('<a href="/password">');
    const page = await client.get('/password');
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);

    const { link } = await staveJson(folder.path, ['operators', 'reset', 'vera']);
    const fields = { current: PASSWORD, password: NEXT, again: NEXT };
    const changed = await client.post('/password', fields);
    expect([changed.status, changed.headers.get('location')]).toEqual([303, '/']);
    expect((await client.get('/')).status).toBe(303);
    client.cookie = changed.headers.getSetCookie()[0]!.split(';')[0]!;
    expect((await client.get('/')).text).toContain('Your password is changed.');
    expect((await other.get('/')).status).toBe(303);
    expect((await other.login(PASSWORD, '/', 'vera')).status).toBe(401);
    expect((await other.login(NEXT, '/', 'vera')).status).toBe(303);
    // The link to set a password has ended with it.
    const [, token] = link.split('#');
    const byLink = await other.post('/set-password', {
      token,
      password: PASSWORD,
      again: PASSWORD,
    });
    expect(byLink.status).toBe(404);
    const logged = await staveJson(folder.path, ['log', '--actor', 'console:vera']);
    const set = logged.filter(({ what }: { what: string }) => what === 'console.password_set');
    expect(set).toHaveLength(2);
    expect(console_.service.output()).not.toContain(NEXT);
  });

  it('refuses what is wrong, says why, and keeps the password', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    await client.login();
    for (const [current, password, again, status, problem] of [
      [PASSWORD, NEXT, `${NEXT}!`, 400, 'The two new passwords differ'],
      [PASSWORD, PASSWORD, PASSWORD, 400, 'The new password is the current one'],
      [PASSWORD, 'too short', 'too short', 400, 'must have 15 to 256 characters'],
      [PASSWORD, 'abcabcabcabcabcabc', 'abcabcabcabcabcabc', 400, 'must not repeat itself'],
      ['wrong', NEXT, NEXT, 403, 'The current password is wrong'],
    ] as const) {
      const refused = await client.post('/password', { current, password, again });
      expect([problem, refused.status]).toEqual([problem, status]);
      expect(refused.text).toContain(problem);
      expect(refused.text).not.toContain(NEXT);
    }
    const forged = { csrf: 'x', version: '0', current: PASSWORD, password: NEXT, again: NEXT };
    expect((await client.post('/password', forged)).status).toBe(403);
    const elsewhere = { headers: { origin: 'https://evil.example' } };
    expect((await client.post('/password', {}, elsewhere)).status).toBe(403);
    expect((await client.login()).status).toBe(303);
  });

  it('checks no password after ten wrong ones, together with the login', async () => {
    using folder = temporaryFolder();
    await using console_ = await serveConsole(folder);
    const { client } = console_;
    await client.login();
    const hidden = await client.hidden();
    const fields = { ...hidden, current: PASSWORD, password: NEXT, again: NEXT };
    const guess = (i: number) => client.post('/password', { ...fields, current: `wrong ${i}` });
    await Promise.all(Array.from({ length: 10 }, (_, i) => guess(i)));
    // A slow machine does not check ten passwords within 10 s.
    while ((await guess(10)).status !== 429);
    const right = await client.post('/password', fields);
    expect([right.status, right.text]).toEqual([429, expect.stringContaining('Too many wrong')]);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await new ConsoleClient(client.url).login()).status).toBe(429);
    // The session goes on.
    expect((await client.get('/')).status).toBe(200);
  });

  it.each<Record<string, string>>([{}, { STAVE_CONSOLE_PASSWORDS: 'off' }])(
    'is not there for whom a proxy has signed in, with %j',
    async (env) => {
      using folder = temporaryFolder();
      const proxied = {
        STAVE_CONSOLE_USER_HEADER: 'X-Forwarded-User',
        STAVE_TRUST_PROXY: 'loopback',
      };
      await using console_ = await serveConsole(folder, { env: { ...proxied, ...env } });
      const { client } = console_;
      const headers = { 'x-forwarded-user': 'console' };
      const page = await client.get('/', headers);
      expect([page.status, page.text.includes('/password')]).toEqual([200, false]);
      client.cookie = page.headers.getSetCookie()[0]!.split(';')[0]!;
      const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      expect((await client.get('/password', headers)).status).toBe(404);
      const fields = { csrf, version: '0', current: PASSWORD, password: NEXT, again: NEXT };
      expect((await client.post('/password', fields, { headers })).status).toBe(404);
    },
  );
});
