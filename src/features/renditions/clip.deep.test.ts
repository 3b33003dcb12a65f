import { describe, expect, it } from 'vitest';
import { decodeByFfmpeg, FFMPEG } from '../../../test/harness/ffmpeg.ts';
import { audioFolder, decodeAll, tone, wavFile } from './audio-files.test-support.ts';
import { makeRenditions, type RenditionRequest } from './make-renditions.ts';

const folder = audioFolder();

async function clipOf(
  bytes: Uint8Array,
  request: Omit<RenditionRequest, 'path'> = {},
): Promise<{
  clip: Uint8Array;
  start: number;
  channels: readonly Float32Array[];
  sampleRate: number;
}> {
  const path = folder.write('source.wav', bytes);
  const { clip, clipStartSeconds } = await makeRenditions(
    { path, ...request },
    undefined,
    () => {},
  );
  const mp3 = folder.write('clip.mp3', clip);
  // By another decoder, where there is one. Both cut nothing, because the clip names no delay.
  const decoded = FFMPEG === undefined ? await decodeAll(mp3) : decodeByFfmpeg(mp3);
  return { clip, start: clipStartSeconds, ...decoded };
}

/** The bit rates in kbit/s that the headers of the frames name, for MPEG 1 layer 3. */
function bitRates(clip: Uint8Array): Set<number> {
  const found = new Set<number>();
  const rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
  const sampleRates = [44_100, 48_000, 32_000];
  for (let at = 0; at < clip.length; ) {
    expect([clip[at], clip[at + 1]! & 0xfe]).toEqual([0xff, 0xfa]);
    const rate = rates[clip[at + 2]! >> 4]!;
    const sampleRate = sampleRates[(clip[at + 2]! >> 2) & 3]!;
    found.add(rate);
    at += Math.floor((144_000 * rate) / sampleRate) + ((clip[at + 2]! >> 1) & 1);
  }
  return found;
}

/** The part of the amplitude that the encoder keeps, so that peaks are not clipped. */
const KEPT = 0.95;

const rms = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

describe('a preview clip', () => {
  it.each([8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000])(
    'of a source with %i Hz has 30 s, 44.1 or 48 kHz, and 128 kbit/s throughout',
    async (rate) => {
      const { clip, sampleRate, channels } = await clipOf(
        wavFile([tone(32, rate)], { sampleRate: rate }),
      );
      expect(sampleRate).toBe(rate % 11_025 === 0 ? 44_100 : 48_000);
      expect(channels).toHaveLength(1);
      expect(Math.abs(channels[0]!.length / sampleRate - 30)).toBeLessThan(0.06);
      expect([...bitRates(clip)]).toEqual([128]);
      expect(rms(channels[0]!.subarray(sampleRate, 2 * sampleRate))).toBeCloseTo(
        (KEPT * 0.5) / Math.SQRT2,
        2,
      );
    },
  );

  it('is stereo as its source, with the channels in order', async () => {
    const { channels } = await clipOf(
      wavFile([tone(2, 44_100, () => 0.8), tone(2, 44_100, () => 0.2)]),
    );
    expect(
      channels.map((samples) => Math.round(rms(samples.subarray(10_000, 40_000)) * 100)),
    ).toEqual([54, 13]);
  });

  it('is the mean of more than two channels', async () => {
    const silence = new Float32Array(2 * 44_100);
    const channels = [0.6, 0, 0, 0, 0.6, 0].map((level) =>
      level === 0 ? silence : tone(2, 44_100, () => level),
    );
    const clip = await clipOf(wavFile(channels));
    expect(clip.channels).toHaveLength(1);
    expect(rms(clip.channels[0]!.subarray(10_000, 40_000))).toBeCloseTo(
      (KEPT * 0.2) / Math.SQRT2,
      2,
    );
  });

  it('fades in during 50 ms, and out during the last second', async () => {
    const { channels, sampleRate } = await clipOf(wavFile([tone(40, 44_100)]));
    const at = (seconds: number) => {
      const from = Math.round(seconds * sampleRate);
      return rms(channels[0]!.subarray(from, from + 0.02 * sampleRate)) * Math.SQRT2;
    };
    expect(at(0)).toBeLessThan(0.15);
    expect(at(0.1)).toBeCloseTo(0.5, 1);
    expect(at(28.9)).toBeCloseTo(0.5, 1);
    expect(at(29.5)).toBeGreaterThan(0.2);
    expect(at(29.5)).toBeLessThan(0.3);
    expect(at(29.97)).toBeLessThan(0.05);
  });

  it('is the loud passage', async () => {
    const loud = (second: number) => (second >= 41 && second < 71 ? 0.7 : 0.1);
    const clip = await clipOf(wavFile([tone(80, 8000, loud)], { sampleRate: 8000 }));
    expect(clip.start).toBe(41);
    expect(rms(clip.channels[0]!)).toBeGreaterThan(0.4);
  });

  it.each([
    [5, 5],
    [0, 0],
    [86_400, 10.5],
  ])('begins at the second %i if that is given, so that 30 s fit', async (given, start) => {
    const bytes = wavFile([tone(40.5, 8000, (second) => second / 50)], { sampleRate: 8000 });
    expect((await clipOf(bytes, { previewStartSeconds: given })).start).toBe(start);
  });

  it.each([0.001, 0.3, 1, 29.9, 30])('is the whole of a track of %d s', async (seconds) => {
    const bytes = wavFile([tone(seconds, 44_100)]);
    for (const request of [{}, { previewStartSeconds: 3 }]) {
      const { start, channels, sampleRate } = await clipOf(bytes, request);
      expect(start).toBe(0);
      // The encoder adds its delay, and fills the last frame.
      expect(channels[0]!.length / sampleRate).toBeGreaterThanOrEqual(seconds);
      expect(channels[0]!.length / sampleRate).toBeLessThan(seconds + 0.06);
    }
  });

  it('of silence is silence', async () => {
    const { start, channels } = await clipOf(
      wavFile([new Float32Array(40 * 8000)], { sampleRate: 8000 }),
    );
    expect(start).toBe(0);
    expect(rms(channels[0]!)).toBeLessThan(1e-4);
  });
});
