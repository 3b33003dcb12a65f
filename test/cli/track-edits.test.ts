import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stave, staveJson, type TemporaryFolder, temporaryFolder } from '../harness/cli.ts';

const RECORD = {
  ...{ externalId: '1', name: 'Nihgt Drive', type: 'music', tags: ['piano'] },
  ...{ filters: ['genre:Ambient'], artists: [{ name: 'Mara Lindt', externalId: 'ml' }] },
};

let folder: TemporaryFolder;
const run = (...args: string[]) => stave(folder.path, args);
const edit = (...args: string[]) => run('tracks', 'edit', 'nihgt-drive', ...args);
const shown = () => staveJson(folder.path, ['tracks', 'show', 'nihgt-drive']);
async function deliver(changes: object, ...options: string[]) {
  const file = folder.at('tracks.ndjson');
  writeFileSync(file, JSON.stringify({ ...RECORD, ...changes }));
  return run('import', file, '--source', 'label-a', ...options);
}

beforeAll(async () => {
  folder = temporaryFolder();
  await deliver({});
});
afterAll(() => folder[Symbol.dispose]());

describe('stave tracks edit', () => {
  it('corrects a track until it is reverted, whatever is delivered', async () => {
    const { stdout } = await edit('--name', 'Night Drive', '--tags', 'piano|slow');
    expect(stdout).toMatch(
      /^nihgt-drive now has these edits:\nedited name {2}"Night Drive", deliv/,
    );
    expect((await edit('--name', 'Night Drive')).stdout).toMatch(/^nihgt-drive still has these/);
    expect((await deliver({})).stdout).toContain('0 updated, 1 unchanged');

    const note =
      'nihgt-drive: the delivered name changes from "Nihgt Drive" to "Night"; its edit stays';
    const dry = await deliver({ name: 'Night' }, '--dry-run');
    expect(dry.stderr).toContain(note);
    const { stderr, stdout: result } = await deliver({ name: 'Night' }, '--strict');
    expect(stderr.split(note)).toHaveLength(2);
    expect(result).toContain('1 updated, 0 unchanged');
    expect(await shown()).toMatchObject({
      name: 'Night Drive',
      tags: ['piano', 'slow'],
      edits: {
        name: {
          ...{ value: 'Night Drive', delivered: 'Night', by: `cli:${userInfo().username}` },
          ...{ at: expect.stringMatching(/Z$/), deliveredAt: expect.stringMatching(/Z$/) },
        },
        tags: { value: 'piano|slow', delivered: 'piano', deliveredAt: null },
      },
    });
    const { stdout: text } = await run('tracks', 'show', 'nihgt-drive');
    expect(text).toMatch(/^edited name +"Night Drive", delivered as "Night" since 20.*Z; by cli:/m);
    const agreed = await deliver({ name: 'Night Drive' });
    expect(agreed.stderr).toContain('its edit has the same value, and stays');
    await deliver({ name: 'Night' });

    expect((await edit('--revert', 'name')).stdout).toContain('nihgt-drive now has these edits');
    expect(await shown()).toMatchObject({ name: 'Night', tags: ['piano', 'slow'] });
    const reverted = 'nihgt-drive now has no edits: it is as delivered';
    expect((await edit('--revert')).stdout.trim()).toBe(reverted);
    expect((await edit('--revert')).stdout).toMatch(/^nihgt-drive still has no edits/);
    expect(await shown()).toMatchObject({ name: 'Night', tags: ['piano'], edits: {} });
  });

  it('takes several fields and reverts at once, and prints JSON', async () => {
    await edit('--bpm', '90');
    const args = ['tracks', 'edit', 'nihgt-drive', '--revert', 'bpm', '--song-key', 'A minor|C'];
    expect(await staveJson(folder.path, [...args, '--is-pro', 'yes'])).toMatchObject({
      ...{ slug: 'nihgt-drive', isChanged: true },
      edits: { songKey: { value: 'A minor|C', delivered: '' }, isPRO: { value: 'yes' } },
    });
    await edit('--revert', 'song-key,isPRO');
    expect(await shown()).toMatchObject({ bpm: '', songKey: [], isPRO: false, edits: {} });
  });

  it.each([
    [[], 'nothing to edit: give a field such as --name, or --revert'],
    [['--isrc', 'XX'], 'isrc must be an ISRC such as USUAN1100001; it is "XX"'],
    [['--type', 'song'], "argument 'song' is invalid. Allowed choices are music, sfx"],
    [['--filters', 'genre:Ambinet'], 'no filter genre:Ambinet (did you mean genre:Ambient?)'],
    [['--revert', 'nam'], 'there is no field nam (did you mean name?)'],
    [['--revert', 'name,'], 'An element is empty'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await edit(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect((await shown()).edits).toEqual({});
  });

  it('refuses an unknown track with the nearest one', async () => {
    const { code, stderr } = await run('tracks', 'edit', 'nihgt-driv', '--name', 'X');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no track nihgt-driv (did you mean nihgt-drive?).');
  });

  it('creates a filter only if that is allowed', async () => {
    await edit('--filters', 'genre:Ambient|mood:Calm', '--allow-missing');
    const { filters } = await shown();
    expect(filters).toMatchObject([{ slug: 'ambient' }, { name: 'Calm', slug: 'calm' }]);
    await edit('--revert');
  });
});
