import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stave, staveJson, type TemporaryFolder, temporaryFolder } from '../harness/cli.ts';

let folder: TemporaryFolder;
const provenance = (...args: string[]) => stave(folder.path, ['tracks', 'provenance', ...args]);

beforeAll(async () => {
  folder = temporaryFolder();
  const file = folder.at('tracks.ndjson');
  writeFileSync(file, JSON.stringify({ externalId: '1', name: 'Night', type: 'music' }));
  await stave(folder.path, ['import', file, '--source', 'label-a']);
});
afterAll(() => folder[Symbol.dispose]());

describe('stave tracks provenance', () => {
  it('sets, lists and unsets the default of a source, which tracks show', async () => {
    expect((await provenance()).stdout).toBe('no defaults\n');
    const set = await provenance('--source', 'label-a', '--training', 'no', '--ai', 'none');
    expect(set.stdout).toBe('1 live track updated\n');
    expect((await provenance('--source', 'label-a', '--ai', 'none')).stdout).toMatch(/^0 live/);
    const { stdout } = await stave(folder.path, ['tracks', 'show', 'night']);
    expect(stdout).toMatch(/^made by AI +none\nAI training +not allowed$/m);
    expect((await provenance()).stdout).toMatch(/^SOURCE +TRAINING +AI\nlabel-a +no +none\n$/);
    expect(await staveJson(folder.path, ['tracks', 'provenance'])).toEqual({
      items: [{ source: 'label-a', ai: 'none', trainingAllowed: false }],
    });
    expect(await staveJson(folder.path, ['log', '--limit', '2'])).toMatchObject([
      { entity: 'track', kind: 'updated', changed: ['provenance'] },
      { entity: 'source', kind: 'updated', entityId: 'label-a' },
    ]);
    const unset = ['tracks', 'provenance', '--source', 'label-a', '--training', 'unset'];
    expect(await staveJson(folder.path, unset)).toEqual({
      ...{ source: 'label-a', updated: 1, hasTracks: true },
    });
    expect((await staveJson(folder.path, ['tracks', 'show', 'night'])).provenance).toMatchObject({
      ...{ ai: 'none', trainingAllowed: null },
    });
  });

  it('may be set before the first import, and says so', async () => {
    const { stdout } = await provenance('--source', 'lable-a', '--training', 'yes');
    expect(stdout).toBe('no track has the source lable-a yet\n');
    await provenance('--source', 'lable-a', '--training', 'unset');
  });

  it.each([
    [['--source', 'label-a'], 'give --source with --training, --ai or both'],
    [['--training', 'no'], 'give --source with --training, --ai or both'],
    [['--source', 'label-a', '--training', 'maybe'], 'Allowed choices are yes, no, unset'],
    [['--source', 'label-a', '--ai', 'unknown'], 'Allowed choices are none, assisted'],
    [['--source', ' ', '--ai', 'none'], 'must not be empty'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await provenance(...args);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });
});
