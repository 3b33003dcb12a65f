import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waveformDat } from '../../src/features/renditions/rendition-files.ts';
import {
  type Json,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { mp3, waveformOf } from '../harness/clips.ts';
import { ndjson, record } from '../harness/import-bench.ts';
import { wav } from '../harness/wav.ts';

let folder: TemporaryFolder;
let data: string;
beforeAll(async () => {
  folder = temporaryFolder();
  data = folder.at('data');
  writeFileSync(folder.at('song.wav'), wav());
  writeFileSync(folder.at('clip.mp3'), await mp3(1));
  writeFileSync(folder.at('w.dat'), waveformDat(waveformOf(1)));
  const whole = { audio: 'song.wav', preview: 'clip.mp3', waveform: 'w.dat' };
  writeFileSync(
    folder.at('a.ndjson'),
    ndjson(record('1', whole), record('2', { audio: 'song.wav', previewStartSeconds: 7 })),
  );
  expect(await staveJson(data, ['import', folder.at('a.ndjson')])).toMatchObject({ created: 2 });
});
afterAll(() => folder[Symbol.dispose]());

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

describe('imported previews on the command line', () => {
  it('are shown with the track', async () => {
    const shown = await staveJson(data, ['tracks', 'show', 'track-1']);
    expect(shown).toMatchObject({
      previewStart: null,
      previewKey: expect.stringMatching(/^[0-9a-f]{64}\.mp3$/),
      waveformKey: expect.stringMatching(/^[0-9a-f]{64}\.dat$/),
    });
    const [first, second] = await Promise.all(
      ['track-1', 'track-2'].map((slug) => stave(data, ['tracks', 'show', slug])),
    );
    expect(first!.stdout).toMatch(new RegExp(`preview +${shown.previewKey}`));
    expect(second!.stdout).toMatch(/preview +made of the audio from 7 s on\n/);
    expect(second!.stdout).toMatch(/waveform +made of the audio\n/);
  });

  it('are in a backup, and missing ones are reported', async () => {
    const { previewKey, waveformKey } = await staveJson(data, ['tracks', 'show', 'track-1']);
    const backup = await staveJson(data, ['backup', folder.at('backup')]);
    expect(backup).toMatchObject({ counts: { media: 3 }, lostMedia: [] });
    const restored = folder.at('restored');
    await staveJson(restored, ['restore', folder.at('backup')]);
    expect(await media(restored)).toMatchObject({ detail: expect.stringContaining('3 files') });
    lose(restored, previewKey);
    lose(restored, waveformKey);
    expect(await media(restored)).toMatchObject({
      detail: expect.stringContaining('2 files are missing'),
    });
    const again = await stave(restored, ['backup', folder.at('again'), '--json']);
    expect(again.json.lostMedia.toSorted()).toEqual([previewKey, waveformKey].toSorted());
  });
});
