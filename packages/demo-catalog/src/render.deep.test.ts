import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RenderedTrack, renderTracks, renderWav } from './render.ts';
import { integratedLoudness, truePeaks } from './synth/loudness.ts';
import { SAMPLE_RATE, silence } from './synth/sound.ts';
import { TRACKS } from './tracks.ts';

const HEADER_BYTES = 44;

/** Hashes of released audio. Another processor may round differently. */
const KNOWN_HASHES = {
  'music-01': '2c7eb7f54ff9932b81402e3d1eb9b651b04c490275bcc2e32e13934092fee207',
  'sfx-06': '49d88f9816e2b9befe7d055183992cd03ec4f7cd2e16c7787caff3737778c8e8',
};

describe('the rendered tracks', () => {
  let folder: string;
  let rendered: RenderedTrack[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'demo-catalog-test-'));
    rendered = await renderTracks(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('are one file for each track, in the order of the catalog', async () => {
    expect(rendered.map(({ id, file }) => ({ id, file }))).toEqual(
      TRACKS.map(({ id, file }) => ({ id, file })),
    );
    const files = TRACKS.flatMap(({ file, parts }) => [file, ...parts.map((part) => part.file)]);
    expect((await readdir(folder)).sort()).toEqual(files.sort());
    expect(new Set(rendered.map(({ sha256 }) => sha256)).size).toBe(36);
    for (const { file, sha256, seconds } of rendered.flatMap((one) => [one, ...one.parts])) {
      const wav = await readFile(join(folder, file));
      expect(createHash('sha256').update(wav).digest('hex')).toBe(sha256);
      expect(wav.readUInt32LE(40) / wav.readUInt32LE(28)).toBe(seconds);
    }
  });

  it('have the same bytes each time', () => {
    const track = TRACKS.find(({ id }) => id === 'sfx-06')!;
    const sha256 = createHash('sha256').update(renderWav(track)).digest('hex');
    expect(rendered.find(({ id }) => id === track.id)!.sha256).toBe(sha256);
  });

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'have the bytes that they had before',
    () => {
      expect(Object.fromEntries(rendered.map(({ id, sha256 }) => [id, sha256]))).toMatchObject(
        KNOWN_HASHES,
      );
    },
  );

  it('sound: −16 LUFS, true peak below −1 dBTP, centered, quiet at the end, and no two alike', async () => {
    const spectra: string[] = [];
    for (const { file } of rendered) {
      const wav = await readFile(join(folder, file));
      const samples = new Int16Array(new Uint8Array(wav.subarray(HEADER_BYTES)).buffer);
      const frames = samples.length / 2;
      const left = silence(frames / SAMPLE_RATE).map((_, i) => samples[2 * i]! / 32_768);
      const right = left.map((_, i) => samples[2 * i + 1]! / 32_768);
      const truePeak = Math.max(
        ...[left, right].flatMap((side) => [...truePeaks(side, 160, 0.55)]),
      );
      expect(Math.abs(integratedLoudness({ left, right }) + 16), file).toBeLessThan(1);
      expect(20 * Math.log10(truePeak), file).toBeLessThan(-1);
      let square = 0;
      let sum = 0;
      let crossings = 0;
      for (let i = 0; i < samples.length; i++) {
        const value = samples[i]! / 32_768;
        square += value * value;
        sum += value;
        if (i > 1 && value < 0 !== samples[i - 2]! < 0) crossings++;
      }
      const decibels = 10 * Math.log10(square / samples.length);
      expect(Math.abs(sum / samples.length), file).toBeLessThan(0.005);
      for (const end of samples.subarray(-200)) expect(Math.abs(end), file).toBeLessThan(40);
      spectra.push(`${Math.round(decibels * 10)} ${Math.round((crossings * 1000) / frames)}`);
    }
    expect(new Set(spectra).size).toBeGreaterThan(33);
  });
});
