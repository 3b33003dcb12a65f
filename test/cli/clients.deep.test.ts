import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEATURES } from '../../src/common/caller.ts';
import {
  stave,
  staveJson,
  staveProcess,
  storedText,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';

let folder: TemporaryFolder;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => folder[Symbol.dispose]());

const create = (...args: string[]) =>
  staveJson(folder.path, [
    ...['clients', 'create', '--name', 'Acme', '--scopes', 'search', '--allow-duplicate'],
    ...args,
  ]);

describe('stave clients create', () => {
  it('prints exactly id and secrets as JSON', async () => {
    const created = await create();
    expect(Object.keys(created)).toEqual(['clientId', 'testSecret', 'liveSecret']);
    expect(created.testSecret).toMatch(/^stave_test_/);
    expect(created.liveSecret).toMatch(/^stave_live_/);
  });

  it('asks the operator to keep the secrets', async () => {
    const ran = await stave(folder.path, [
      'clients',
      'create',
      '-n',
      'Other',
      '-s',
      'search,tracks',
    ]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^client id {4}\S+\ntest secret {2}stave_test_\S+\nlive secret {2}/);
    expect(ran.stderr).toContain('Shown once');
  });

  it('keeps scopes, features and limit', async () => {
    const { clientId } = await create('--features', 'usage,changes', '--rate-limit', '1200');
    expect(await staveJson(folder.path, ['clients', 'show', clientId])).toMatchObject({
      clientId,
      name: 'Acme',
      scopes: ['search', 'changes', 'usage'],
      features: ['changes', 'usage'],
      rateLimit: 1200,
      enabled: true,
      secrets: [
        { mode: 'test', revokedAt: null },
        { mode: 'live', revokedAt: null },
      ],
    });
  });

  it.each([
    [['--scopes', 'serch'], 'did you mean search?'],
    [['--scopes', ''], 'An element is empty; write a,b,c.'],
    [['--scopes', 'none'], 'none'],
    [['--scopes', 'search,,tracks'], 'empty'],
    [['--features', 'webhook'], 'did you mean webhooks?'],
    [['--rate-limit', '0'], 'whole number'],
    [['--name', '  '], 'name'],
  ])('refuses %j in one line', async (args, hint) => {
    const ran = await stave(folder.path, [
      'clients',
      'create',
      '--name',
      'Acme',
      '--scopes',
      'search',
      ...args,
    ]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
    expect(ran.stderr).toContain(hint);
  });

  it('requires name and scopes', async () => {
    const ran = await stave(folder.path, ['clients', 'create', '--scopes', 'search']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe("stave: required option '-n, --name <name>' not specified\n");
  });
});

describe('stave clients list and show', () => {
  it('never show a secret or its hash', async () => {
    const { clientId, liveSecret, testSecret } = await create();
    for (const args of [
      ['list'],
      ['list', '--json'],
      ['show', clientId],
      ['show', clientId, '--json'],
    ]) {
      const { stdout, stderr, code } = await stave(folder.path, ['clients', ...args]);
      expect(code).toBe(0);
      expect(stdout).toContain(clientId);
      expect(stdout + stderr).not.toContain(liveSecret);
      expect(stdout + stderr).not.toContain(testSecret);
      expect(stdout + stderr).not.toMatch(/hash|[0-9a-f]{64}/);
    }
  });

  it('report that there are no clients', async () => {
    using empty = temporaryFolder();
    expect((await stave(empty.path, ['clients', 'list'])).stdout).toBe('no clients\n');
    expect(await staveJson(empty.path, ['clients', 'list'])).toEqual([]);
    const ran = await stave(empty.path, ['clients', 'show', 'nobody']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('no client');
  });
});

describe('stave clients update', () => {
  it('changes only the given options', async () => {
    const { clientId } = await create('--rate-limit', '10');
    await staveJson(folder.path, ['clients', 'update', clientId, '--name', 'Acme Video']);
    const after = await staveJson(folder.path, [
      'clients',
      'update',
      clientId,
      '--scopes',
      'tracks,filters',
    ]);
    expect(after).toMatchObject({
      name: 'Acme Video',
      scopes: ['tracks', 'filters'],
      rateLimit: 10,
    });
    expect(
      await staveJson(folder.path, ['clients', 'update', clientId, '--rate-limit', 'default']),
    ).toMatchObject({ rateLimit: null });
  });

  it('sets the spending limit, and removes it', async () => {
    const { clientId } = await create('--spending-limit', '5000');
    const update = (...args: string[]) =>
      staveJson(folder.path, ['clients', 'update', clientId, ...args]);
    expect(await staveJson(folder.path, ['clients', 'show', clientId])).toMatchObject({
      spendingLimit: 5_000,
    });
    expect(await update('--spending-limit', '0')).toMatchObject({ spendingLimit: 0 });
    const { stdout } = await stave(folder.path, ['clients', 'show', clientId]);
    expect(stdout).toMatch(/spending limit +0 a month/);
    expect(await update('--name', 'Other')).toMatchObject({ spendingLimit: 0 });
    expect(await update('--spending-limit', 'none')).toMatchObject({ spendingLimit: null });
    for (const wrong of ['', '-1', '1.5', '1000000001', 'all']) {
      const args = ['clients', 'update', clientId, '--spending-limit', wrong];
      const { code, stderr } = await stave(folder.path, args);
      expect([code, stderr]).toEqual([1, expect.stringContaining('--spending-limit')]);
    }
  });

  it('sets the account and the rate card, and sets them back', async () => {
    const card = ['--rate-card', 'games', '--allow-missing'];
    const { clientId } = await create('--account', 'Acme Group', ...card);
    const update = (...terms: string[]) =>
      staveJson(folder.path, ['clients', 'update', clientId, ...terms]);
    expect(await update('--name', 'Acme')).toMatchObject({
      account: 'Acme Group',
      rateCard: 'games',
    });
    expect(await update('--account', 'none')).toMatchObject({ account: null, rateCard: 'games' });
    expect(await update('--rate-card', 'standard')).toMatchObject({ rateCard: null });
    const { stdout } = await stave(folder.path, ['clients', 'show', clientId]);
    expect(stdout).toMatch(/account +its own/);
    expect(stdout).toMatch(/rate card +standard/);
  });

  it('switches features on and off', async () => {
    const { clientId } = await create('--features', 'stems');
    const update = async (...terms: string[]) =>
      (await staveJson(folder.path, ['clients', 'update', clientId, ...terms])).features;
    const all = await update('--enable-features', 'all');
    expect(all).toEqual(FEATURES);
    expect(await update('--disable-features', 'all')).toEqual([]);
    expect(await update('--enable-features', 'usage,changes')).toEqual(['changes', 'usage']);
    expect(await update('--enable-features', 'similar', '--disable-features', 'usage')).toEqual([
      'changes',
      'similar',
    ]);
    expect(await update('--enable-features', 'none')).toEqual(['changes', 'similar']);
    expect(await update('--features', 'all')).toEqual(FEATURES);
    expect(await update('--features', 'stems')).toEqual(['stems']);
    expect(await update('--features', 'none')).toEqual([]);
  });

  it.each([
    [['--enable-features', 'change'], 'enableFeatures: "change" is not known (did you mean'],
    [['--disable-features', 'all,usage'], 'is invalid. all must stand alone.'],
    [['--features', 'none,usage'], 'is invalid. none must stand alone.'],
    [['--enable-features', 'usage,'], 'An element is empty; write a,b,c.'],
    [['--enable-features', 'usage', '--disable-features', 'usage'], 'names usage, and so does'],
    [['--features', 'usage', '--enable-features', 'stems'], 'cannot be used with option'],
    [['--disable-features', 'usage', '--features', 'none'], 'cannot be used with option'],
    [['--enable-features'], 'argument missing'],
  ])('refuses %j', async (terms, hint) => {
    const { clientId } = await create();
    const ran = await stave(folder.path, ['clients', 'update', clientId, ...terms]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
    expect(ran.stderr).toContain(hint);
  });

  it('refuses a change without options', async () => {
    const ran = await stave(folder.path, ['clients', 'update', 'x']);
    expect(ran.stderr).toMatch(/^stave: nothing to change[^\n]+\n$/);
  });
});

describe('stave clients disable and enable', () => {
  it('report whether anything changed', async () => {
    const { clientId } = await create();
    const run = (verb: string) => staveJson(folder.path, ['clients', verb, clientId]);
    expect(await run('disable')).toEqual({ clientId, enabled: false, changed: true });
    expect(await run('disable')).toEqual({ clientId, enabled: false, changed: false });
    expect(await run('enable')).toEqual({ clientId, enabled: true, changed: true });
  });
});

describe('stave clients rotate-secret and revoke-secret', () => {
  it('allow two live secrets per mode', async () => {
    const { clientId, liveSecret } = await create();
    const rotate = ['clients', 'rotate-secret', clientId, '--mode', 'live'];
    const rotated = await staveJson(folder.path, rotate);
    expect(Object.keys(rotated)).toEqual(['secretId', 'secret']);
    expect(rotated.secret).toMatch(/^stave_live_/);
    expect(rotated.secret).not.toBe(liveSecret);
    const third = await stave(folder.path, rotate);
    expect(third.code).toBe(1);
    expect(third.stderr).toContain('revoke one first');
    const revoke = ['clients', 'revoke-secret', clientId, rotated.secretId];
    expect(await staveJson(folder.path, revoke)).toMatchObject({ changed: true });
    expect(await staveJson(folder.path, revoke)).toMatchObject({ changed: false });
    expect((await stave(folder.path, rotate)).code).toBe(0);
  });

  it('require an existing mode', async () => {
    const ran = await stave(folder.path, ['clients', 'rotate-secret', 'x', '--mode', 'prod']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^stave: [^\n]*Allowed choices are test, live\.\n$/);
  });
});

describe('the data folder', () => {
  it('contains no secret in plain text', async () => {
    const { liveSecret, testSecret } = await create();
    const bytes = await storedText(folder.path);
    expect(bytes).not.toContain(liveSecret);
    expect(bytes).not.toContain(testSecret);
  });
});

describe('two concurrent commands', () => {
  it('both take effect', async () => {
    using shared = temporaryFolder();
    const created = await Promise.all(
      Array.from({ length: 4 }, (_, i) =>
        staveProcess(shared.path, ['clients', 'create', '-n', `C${i}`, '-s', 'search', '--json']),
      ),
    );
    const listed = await staveJson(shared.path, ['clients', 'list']);
    expect(listed.map((one: { clientId: string }) => one.clientId).sort()).toEqual(
      created.map(({ json }) => json.clientId).sort(),
    );
  });
});
