import { expect, it } from 'vitest';
import { openStoreOf, stave, staveJson, storedText, temporaryFolder } from '../harness/cli.ts';

it('stave operators adds, lists, changes and removes operators, and logs who did', async () => {
  using folder = temporaryFolder();
  const run = (...args: string[]) => staveJson(folder.path, ['operators', ...args]);
  const added = await run('add', 'Anna', '--role', 'owner');
  expect(added).toEqual({
    ...{ name: 'anna', role: 'owner', enabled: true, hasPassword: false, lastLoginAt: null },
    createdAt: expect.stringMatching(/Z$/),
    linkExpiresAt: expect.stringMatching(/Z$/),
    link: expect.stringMatching(/^\/set-password#[0-9A-Za-z]{22}$/),
  });
  const weeks = Date.parse(added.linkExpiresAt) - Date.parse(added.createdAt);
  expect(Math.round(weeks / 3_600_000)).toBe(7 * 24);
  expect(await storedText(folder.path)).not.toContain(added.link.split('#')[1]);
  await run('add', 'ben', '--role', 'viewer');
  expect(await run('update', 'ben', '--role', 'operator')).toMatchObject({ role: 'operator' });
  expect(await run('disable', 'ben')).toMatchObject({ enabled: false, linkExpiresAt: null });
  expect(await run('enable', 'ben')).toMatchObject({ enabled: true });
  expect((await run('reset', 'ben')).link).toMatch(/^\/set-password#/);
  expect(await run('list')).toMatchObject([{ name: 'anna' }, { name: 'ben', role: 'operator' }]);
  expect(await run('remove', 'ben')).toEqual({ name: 'ben', removed: true });
  const log = await staveJson(folder.path, ['log', '--entity', 'operator']);
  expect(log.map(({ what, entityId }: Record<string, string>) => `${what} ${entityId}`)).toEqual([
    'operator.removed ben',
    'operator.reset ben',
    'operator.enabled ben',
    'operator.disabled ben',
    'operator.updated ben',
    'operator.added ben',
    'operator.added anna',
  ]);
  expect(log[0].by).toMatch(/^cli:/);
});

it('prints the link with the address of the console', async () => {
  using folder = temporaryFolder();
  const linkWith = async (env: Record<string, string>) => {
    const args = ['operators', 'add', `anna${Object.keys(env).length}`, '--role', 'viewer'];
    const ran = await stave(folder.path, args, { env });
    expect(ran.code).toBe(0);
    return { link: /link +(\S+)#\w{22}\n/.exec(ran.stdout)?.[1], stderr: ran.stderr };
  };
  const bare = await linkWith({});
  expect(bare.link).toBe('/set-password');
  expect(bare.stderr).toContain('works once, within seven days');
  expect(bare.stderr).toContain('set STAVE_CONSOLE_URL or STAVE_CONSOLE_PORT');
  const store = await openStoreOf(folder.path);
  await store.settings.set('console_address', 'http://127.0.0.1:1234');
  await store.close();
  const args = ['operators', 'reset', 'anna0', '--json'];
  const { link } = JSON.parse((await stave(folder.path, args)).stdout);
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:1234\/set-password#/);
  const port = { STAVE_CONSOLE_PORT: '9465' };
  expect((await linkWith(port)).link).toBe('http://127.0.0.1:9465/set-password');
  const url = { ...port, STAVE_CONSOLE_URL: 'https://console.example.com' };
  expect((await linkWith(url)).link).toBe('https://console.example.com/set-password');
});

it('prints no link if passwords are off', async () => {
  using folder = temporaryFolder();
  const env = {
    STAVE_CONSOLE_PASSWORDS: 'off',
    STAVE_CONSOLE_USER_HEADER: 'X-Forwarded-User',
    STAVE_TRUST_PROXY: 'loopback',
  };
  const args = ['operators', 'add', 'anna', '--role', 'owner'];
  const ran = await stave(folder.path, args, { env });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).not.toContain('link');
  const reset = await stave(folder.path, ['operators', 'reset', 'anna'], { env });
  expect(reset.stderr).toBe('stave: passwords are off (STAVE_CONSOLE_PASSWORDS)\n');
});

it.each([
  [['add', 'a/b', '--role', 'owner'], 'the name of an operator must have'],
  [['add', 'anna'], "required option '--role <role>' not specified"],
  [['add', 'anna', '--role', 'admin'], 'Allowed choices are viewer, operator, owner'],
  [['add', 'boss', '--role', 'viewer'], 'There is an operator "boss" already.'],
  [['update', 'boss', '--role', 'operator'], '"boss" is the last owner'],
  [['disable', 'boss'], '"boss" is the last owner'],
  [['remove', 'boss'], '"boss" is the last owner'],
  [['remove', 'nobody'], 'There is no operator "nobody".'],
  [['reset', 'nobody'], 'There is no operator "nobody".'],
])('refuses %j in one line', async (args, message) => {
  using folder = temporaryFolder();
  await stave(folder.path, ['operators', 'add', 'boss', '--role', 'owner']);
  const ran = await stave(folder.path, ['operators', ...args]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
  expect(ran.stderr).toContain(message);
});
