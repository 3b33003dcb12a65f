import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
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
    expect(stdout).toMatch(/^name {6}Track 2$/m);
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
