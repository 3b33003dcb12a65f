import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Json,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { ndjson, record } from '../harness/import-bench.ts';
import { wav } from '../harness/wav.ts';

let folder: TemporaryFolder;
let data: string;
beforeAll(async () => {
  folder = temporaryFolder();
  data = folder.at('data');
  writeFileSync(folder.at('song.wav'), wav());
  writeFileSync(folder.at('drums.wav'), wav(16_000));
  writeFileSync(folder.at('short.wav'), wav(4_000));
  const parts = {
    stems: [{ kind: 'drums', name: 'Kit', audio: 'drums.wav' }],
    versions: [{ kind: 'cutdown', audio: 'short.wav' }],
  };
  writeFileSync(
    folder.at('a.ndjson'),
    ndjson(record('1', { audio: 'song.wav', ...parts }), record('2')),
  );
  expect(await staveJson(data, ['import', folder.at('a.ndjson')])).toMatchObject({ created: 2 });
});
afterAll(() => folder[Symbol.dispose]());

const shownIn = (of: string) => staveJson(of, ['tracks', 'show', 'track-1']);

/** What `stave doctor` says about the media. */
async function media(of: string): Promise<Json> {
  const { findings } = (await stave(of, ['doctor', '--json'])).json;
  return findings.find(({ check }: Json) => check === 'media');
}

/** Removes a file from the media store of a data folder. */
function lose(of: string, key: string): void {
  const [found] = readdirSync(`${of}/media`, { recursive: true, withFileTypes: true }).filter(
    ({ name }) => name === key,
  );
  rmSync(`${found!.parentPath}/${key}`);
}

describe('parts on the command line', () => {
  it('are shown with the track', async () => {
    const key = expect.stringMatching(/^[0-9a-f]{64}\.wav$/);
    expect(await shownIn(data)).toMatchObject({
      stems: [{ kind: 'drums', name: 'Kit', durationSeconds: 2, audioKey: key, sizeBytes: 32_044 }],
      versions: [{ kind: 'cutdown', name: null, durationSeconds: 1, audioKey: key }],
    });
    const { stdout } = await stave(data, ['tracks', 'show', 'track-1']);
    expect(stdout).toMatch(/stem 1 +drums "Kit", 2 s, 32044 bytes, [0-9a-f]{64}\.wav\n/);
    expect(stdout).toMatch(/version 1 +cutdown, 1 s, 8044 bytes, /);
    const without = await staveJson(data, ['tracks', 'show', 'track-2']);
    expect(without).toMatchObject({ stems: [], versions: [] });
  });

  it('are in a backup, and missing ones are reported', async () => {
    const shown = await shownIn(data);
    const backup = await staveJson(data, ['backup', folder.at('backup')]);
    expect(backup).toMatchObject({ counts: { media: 3 }, lostMedia: [] });
    const restored = folder.at('restored');
    await staveJson(restored, ['restore', folder.at('backup')]);
    expect(await shownIn(restored)).toEqual(shown);
    expect(await media(restored)).toMatchObject({ detail: expect.stringContaining('3 files') });
    const { audioKey } = shown.stems[0];
    lose(restored, audioKey);
    expect(await media(restored)).toMatchObject({
      detail: expect.stringContaining('1 file is missing'),
    });
    const again = await stave(restored, ['backup', folder.at('again'), '--json']);
    expect(again.json.lostMedia).toEqual([audioKey]);
  });

  it('come back with the undo of an import', async () => {
    const before = await shownIn(data);
    writeFileSync(folder.at('b.ndjson'), ndjson(record('1', { stems: [], versions: [] })));
    await staveJson(data, ['import', folder.at('b.ndjson')]);
    expect(await shownIn(data)).toMatchObject({ stems: [], versions: [] });
    const [batch] = await staveJson(data, ['import', 'list']);
    await staveJson(data, ['import', 'undo', batch.id]);
    const { updatedAt: _, ...after } = await shownIn(data);
    expect(before).toMatchObject(after);
  });
});
