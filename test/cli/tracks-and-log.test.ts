import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openStoreOf,
  someTracks,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = temporaryFolder();
  writeFileSync(folder.at('tracks.ndjson'), someTracks(3));
  await staveJson(folder.path, ['import', folder.at('tracks.ndjson')]);
});
afterAll(() => folder[Symbol.dispose]());

describe('stave tracks', () => {
  it('shows a track by slug and by id', async () => {
    const bySlug = await staveJson(folder.path, ['tracks', 'show', 'track-2']);
    expect(bySlug).toMatchObject({
      slug: 'track-2',
      name: 'Track 2',
      state: 'live',
      externalId: 't2',
      durationSeconds: 61,
    });
    expect(await staveJson(folder.path, ['tracks', 'show', bySlug.id.toUpperCase()])).toEqual(
      bySlug,
    );
    const { stdout } = await stave(folder.path, ['tracks', 'show', 'track-2']);
    expect(stdout).toMatch(/^name +Track 2$/m);
  });

  it('shows the availability of a track, and restores it only within its periods', async () => {
    const availability = [{ territories: ['DE'], from: '2099-01-01' }];
    const line = { externalId: 'late', name: 'Late', type: 'music', availability };
    writeFileSync(folder.at('late.ndjson'), JSON.stringify(line));
    await staveJson(folder.path, ['import', folder.at('late.ndjson')]);
    expect(await staveJson(folder.path, ['tracks', 'show', 'late'])).toMatchObject({
      state: 'unavailable',
      availability: [{ territories: ['DE'], from: '2099-01-01T00:00:00.000Z' }],
      availableIn: [],
      nextSwitchAt: '2099-01-01T00:00:00.000Z',
    });
    const { stdout } = await stave(folder.path, ['tracks', 'show', 'late']);
    expect(stdout).toMatch(/^period 1 +from 2099-01-01 00:00:00Z in DE$/m);
    expect(stdout).toMatch(/^available +not now$/m);
    expect(stdout).toMatch(/^next switch +2099-01-01 00:00:00Z$/m);
    await stave(folder.path, ['tracks', 'takedown', 'late']);
    const restored = await stave(folder.path, ['tracks', 'restore', 'late']);
    expect(restored.stdout).toContain('late is unavailable (outside of its periods');
  });

  it('takes down and restores, and reports if nothing changes', async () => {
    const run = (verb: string) => staveJson(folder.path, ['tracks', verb, 'track-1']);
    expect(await run('takedown')).toMatchObject({
      slug: 'track-1',
      state: 'taken_down',
      changed: true,
    });
    expect(await run('takedown')).toMatchObject({ changed: false });
    expect(await staveJson(folder.path, ['tracks', 'show', 'track-1'])).toMatchObject({
      state: 'taken_down',
    });
    expect(await run('restore')).toMatchObject({ state: 'live', changed: true });
    expect(await run('restore')).toMatchObject({ changed: false });
  });

  it('ends the downloads of licenses of tracks that are taken down, and of those that were', async () => {
    const run = (...args: string[]) => staveJson(folder.path, ['tracks', ...args]);
    const { id } = await run('show', 'track-2');
    const isWithheld = async () => {
      const store = await openStoreOf(folder.path);
      const work = await store.licenseDownloads.work(id);
      await store.close();
      return work?.isWithheld;
    };
    await run('takedown', 'track-2');
    expect(await isWithheld()).toBe(false);
    await run('takedown', 'track-2', '--also-licensed', '--dry-run');
    expect(await isWithheld()).toBe(false);
    expect(await run('takedown', 'track-2', '--also-licensed')).toMatchObject({ changed: false });
    expect(await isWithheld()).toBe(true);
    await run('restore', 'track-2');
    expect(await isWithheld()).toBe(false);
    const { code, stderr } = await stave(folder.path, [
      ...['tracks', 'restore', 'track-2', '--also-licensed'],
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('--also-licensed')]);
  });

  it('takes down several tracks, and prints the playlists and clients that are affected', async () => {
    const clientId: string = (
      await staveJson(folder.path, ['clients', 'create', '--name', 'Acme', '--scopes', 'tracks'])
    ).clientId;
    const playlist = await staveJson(folder.path, [
      ...['playlists', 'create', '--name', 'Two', '--tracks', 'track-1,track-3'],
    ]);
    await staveJson(folder.path, ['playlists', 'create', '--name', 'One', '--tracks', 'track-2']);
    await staveJson(folder.path, ['playlists', 'grant', 'two', '--client', clientId]);
    const { id } = await staveJson(folder.path, ['tracks', 'show', 'track-3']);
    const affected = { playlists: [playlist], clients: [{ clientId, name: 'Acme' }] };

    const down = ['tracks', 'takedown', 'track-1', id.toUpperCase(), 'track-1'];
    const result = await staveJson(folder.path, down);
    expect(result).toMatchObject({ state: 'taken_down', ...affected });
    expect(result.tracks).toMatchObject([
      { slug: 'track-1', changed: true },
      { slug: 'track-3', changed: true },
    ]);
    writeFileSync(folder.at('list.txt'), `track-3\r\n\n${result.tracks[0].id}`);
    const { stdout } = await stave(folder.path, [
      ...['tracks', 'restore', '--file', folder.at('list.txt')],
    ]);
    expect(stdout).toBe(
      `track-3 is live\ntrack-1 is live\nin the playlists two\nwhich these clients see: Acme (${clientId})\n`,
    );
    const missing = ['tracks', 'takedown', 'nope', 'track-1', 'neither'];
    expect(await stave(folder.path, missing)).toMatchObject({
      code: 1,
      stderr: 'stave: There is no track nope, neither.\n',
    });
    expect(await staveJson(folder.path, ['tracks', 'show', 'track-1'])).toMatchObject({
      state: 'live',
    });
    for (const arguments_ of [[], ['--file', folder.at('none.txt')]]) {
      const ran = await stave(folder.path, ['tracks', 'takedown', ...arguments_]);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/^stave: [^\n]*\n$/);
    }
  });

  it('names a track that does not exist', async () => {
    for (const verb of ['show', 'takedown', 'restore']) {
      const ran = await stave(folder.path, ['tracks', verb, 'nope']);
      expect(ran).toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'stave: There is no track nope.\n',
      });
    }
  });
});

describe('stave log', () => {
  it('shows time, change, object and actor, newest first', async () => {
    await staveJson(folder.path, ['tracks', 'takedown', 'track-3']);
    const [newest, ...older] = await staveJson(folder.path, ['log']);
    expect(newest).toMatchObject({
      what: 'track.taken_down',
      name: 'track-3',
      by: `cli:${userInfo().username}`,
      batchId: null,
    });
    expect(newest.at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const seqs = [newest, ...older].map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => b - a));
    const { stdout } = await stave(folder.path, ['log', '--limit', '1']);
    const [heading, line, ...rest] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^# +WHEN +WHAT +WHICH +BY$/);
    expect(line).toMatch(/track\.taken_down +track-3 +cli:/);
    expect(rest).toEqual([]);
  });

  it('pages backwards', async () => {
    const [first, second, third] = await staveJson(folder.path, ['log', '--limit', '3']);
    expect(
      await staveJson(folder.path, ['log', '--limit', '2', '--before', String(first.seq)]),
    ).toEqual([second, third]);
  });

  it('filters by track, client, actor, kind and time', async () => {
    const { clientId } = await staveJson(folder.path, [
      ...['clients', 'create', '--name', 'Other', '--scopes', 'tracks'],
    ]);
    const { id } = await staveJson(folder.path, ['tracks', 'show', 'track-3']);
    const log = async (...options: string[]) =>
      (await staveJson(folder.path, ['log', ...options])).map(
        ({ what, entityId }: { what: string; entityId: string }) => [what, entityId],
      );
    const ofTrack = [
      ['track.taken_down', id],
      ['track.restored', id],
      ['track.taken_down', id],
      ['track.created', id],
    ];
    expect(await log('--track', 'track-3')).toEqual(ofTrack);
    expect(await log('--track', id.toUpperCase())).toEqual(ofTrack);
    expect(await log('--client', clientId)).toEqual([['client.created', clientId]]);
    expect(await log('--kind', 'restored', '--track', 'track-3')).toEqual([ofTrack[1]]);
    expect((await log('--kind', 'client.created'))[0]).toEqual(['client.created', clientId]);
    const everything = await log();
    expect(await log('--actor', `cli:${userInfo().username}`)).toEqual(everything);
    expect(await log('--actor', 'cli:nobody')).toEqual([]);
    expect(await log('--since', '2020-01-01', '--until', '9999-12-31')).toEqual(everything);
    expect(await log('--until', '2020-01-01T00:00:00Z')).toEqual([]);
    expect(await log('--track', '00000000-0000-4000-8000-000000000000')).toEqual([]);
  });

  it.each([
    ['no track nope', '--track', 'nope'],
    ['cannot be used with', '--track', 'track-1', '--client', 'x'],
    ['kinds are track.created, ', '--kind', 'bogus'],
    ['kinds are track.created, ', '--kind', 'key.taken_down'],
    ['not one of a track', '--track', 'track-1', '--kind', 'key.rotated'],
    ['day such as', '--since', 'yesterday'],
    ['There is no 2026-02-30.', '--until', '2026-02-30'],
  ])('refuses with "%s": %j %j', async (message, ...options) => {
    const ran = await stave(folder.path, ['log', ...options]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^stave: [^\n]*\n$/);
    expect(ran.stderr).toContain(message);
  });

  it('reports an empty log', async () => {
    using empty = temporaryFolder();
    expect((await stave(empty.path, ['log'])).stdout).toBe('nothing has happened yet\n');
  });

  it.each(['0', '-1', 'x', '1e3'])('refuses a limit of %s', async (limit) => {
    const ran = await stave(folder.path, ['log', `--limit=${limit}`]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^stave: [^\n]*whole number from 1 to 100000\.\n$/);
  });
});

describe('stave keys rotate', () => {
  it('prints the new keys and writes the log', async () => {
    const { tokenKeyId, urlKeyId } = await staveJson(folder.path, ['keys', 'rotate']);
    expect(tokenKeyId).not.toBe(urlKeyId);
    const log = await staveJson(folder.path, ['log', '--limit', '5']);
    expect(log.map((one: { entity: string }) => one.entity)).toContain('key');
  });
});

describe('the actor of a change', () => {
  it.each([
    ['anna', 'cli:anna'],
    ['anna@example.com', 'cli:anna@example.com'],
    // What is no name of a user, and no sudo at all.
    ['anna\nmallory', `cli:${userInfo().username}`],
    ['', `cli:${userInfo().username}`],
  ])('is who has called sudo: SUDO_USER=%j', async (SUDO_USER, by) => {
    const create = ['clients', 'create', '-n', by, '-s', 'tracks', '--allow-duplicate'];
    expect(await stave(folder.path, create, { env: { SUDO_USER } })).toMatchObject({ code: 0 });
    const [last] = await staveJson(folder.path, ['log', '--limit', '1']);
    expect(last).toMatchObject({ what: 'client.created', by });
  });
});
