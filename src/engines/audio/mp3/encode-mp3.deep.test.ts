import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeByFfmpeg, FFMPEG } from '../../../../test/harness/ffmpeg.ts';
import { HAS_SHARED_DATA, SHARED_DATA } from '../../../../test/harness/import-bench.ts';
import { audioFolder, tone } from '../../../features/renditions/audio-files.test-support.ts';
import type { AudioBlock } from '../audio-block.ts';
import { decode } from '../decode.ts';
import { type AudioLength, encodeMp3 } from './encode-mp3.ts';
import { MP3_KBPS, type Mp3Kbps, mp3Bytes, mp3Rate, mp3Samples } from './mp3-layout.ts';

const folder = audioFolder();

/** The whole MP3 of blocks. */
async function mp3Of(
  blocks: AsyncIterable<AudioBlock>,
  kbps: Mp3Kbps,
  length?: AudioLength,
): Promise<Buffer> {
  const encoding = encodeMp3(blocks, kbps, length);
  const pieces: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await encoding.next();
    pieces.push(value.slice());
    if (!done) continue;
    const first = pieces.pop()!;
    return Buffer.concat([first, ...pieces.slice(1)]);
  }
}

async function* blocksOf(
  channels: readonly Float32Array[],
  sampleRate: number,
  most = 1152,
): AsyncGenerator<AudioBlock> {
  for (let at = 0; at < channels[0]!.length; at += most) {
    yield { sampleRate, channels: channels.map((samples) => samples.subarray(at, at + most)) };
  }
}

function decoded(mp3: Buffer) {
  writeFileSync(join(folder.path, 'made.mp3'), mp3);
  return decodeByFfmpeg(join(folder.path, 'made.mp3'));
}

/** Numbers from -1 to 1 that look random. */
const noise = (length: number, seed: number) =>
  Float32Array.from({ length }, (_, i) => Math.sin((i + 1) * (seed + 1) * 12.9898) % 1);

describe('encodeMp3', () => {
  const lengths = fc.record({
    samples: fc.oneof(fc.integer({ min: 1, max: 4_000 }), fc.integer({ min: 1, max: 200_000 })),
    sampleRate: fc.constantFrom(8_000, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000),
    kbps: fc.constantFrom(...MP3_KBPS),
    seed: fc.nat(1_000),
  });

  it('makes a file whose length follows from the number of samples, rate and bit rate', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, async ({ samples, sampleRate, kbps, seed }) => {
        const channels = [noise(samples, seed), noise(samples, seed + 1)];
        const mp3 = await mp3Of(blocksOf(channels, sampleRate), kbps, { samples, sampleRate });
        expect(mp3.length).toBe(mp3Bytes(samples, sampleRate, kbps));
      }),
      { numRuns: 60 },
    );
  });

  it('makes equal bytes with and without a known length, and of blocks of any size', async () => {
    const channels = [noise(100_000, 1), noise(100_000, 2)];
    const length = { samples: 100_000, sampleRate: 32_000 };
    const known = await mp3Of(blocksOf(channels, 32_000), 192, length);
    expect(known.equals(await mp3Of(blocksOf(channels, 32_000, 100_000), 192))).toBe(true);
    expect(known.equals(await mp3Of(blocksOf(channels, 32_000, 97), 192, length))).toBe(true);
  });

  describe.skipIf(FFMPEG === undefined)('decoded by ffmpeg', () => {
    it.each([
      [44_100, 1],
      [44_100, 1_151],
      [48_000, 50_000],
      [22_050, 33_333],
      [96_000, 96_001],
    ])('has all samples and no others: at %i Hz, %i', async (sampleRate, samples) => {
      for (const kbps of MP3_KBPS) {
        const channels = [noise(samples, 1), noise(samples, 2)];
        const mp3 = await mp3Of(blocksOf(channels, sampleRate), kbps, { samples, sampleRate });
        const found = decoded(mp3);
        expect(found.sampleRate).toBe(mp3Rate(sampleRate));
        expect(found.channels.map(({ length }) => length)).toEqual(
          Array(2).fill(mp3Samples(samples, sampleRate)),
        );
      }
    });

    it('has each sample at its place', async () => {
      const samples = tone(2, 44_100, (seconds) => (seconds < 1 ? 0 : 0.5), 1_000);
      const mp3 = await mp3Of(blocksOf([samples], 44_100), 320);
      const [left, right] = decoded(mp3).channels;
      expect(left).toEqual(right);
      // The encoder lowers the level by a few percent.
      const gain =
        left!.reduce((sum, x, i) => sum + x * samples[i]!, 0) /
        samples.reduce((sum, x) => sum + x * x, 0);
      expect(gain).toBeGreaterThan(0.9);
      const error = left!.reduce((sum, x, i) => sum + (x - gain * samples[i]!) ** 2, 0);
      const power = left!.reduce((sum, x) => sum + x ** 2, 0);
      expect(error / power).toBeLessThan(0.001);
    });

    it('is cut, or filled up with silence, to the known length', async () => {
      const samples = noise(50_000, 1);
      for (const known of [10_000, 120_000]) {
        const length = { samples: known, sampleRate: 44_100 };
        const mp3 = await mp3Of(blocksOf([samples, samples], 44_100), 128, length);
        expect(mp3.length).toBe(mp3Bytes(known, 44_100, 128));
        const [left] = decoded(mp3).channels;
        expect(left!.length).toBe(known);
        expect(Math.max(...left!.subarray(-1_000)) > 0.1).toBe(known < 50_000);
      }
    });

    it
      .runIf(HAS_SHARED_DATA)
      .each([
        'music/galway.wav',
        'music/galway.aiff',
        'music/solo-trumpet-06.ogg',
        'music/galway.opus',
        'music/piano.wav',
        'flac/subset-41-6-channels-5-1.flac',
        'flac/subset-43-8-channels-7-1.flac',
        'esc50/dog-4-183992-A-0.wav',
        'music/galway.m4a',
      ])('has the samples of %s', async (file) => {
      const path = join(SHARED_DATA, 'audio', file);
      let samples = 0;
      let sampleRate = 0;
      for await (const block of decode(path, FFMPEG)) {
        samples += block.channels[0]!.length;
        sampleRate = block.sampleRate;
      }
      const mp3 = await mp3Of(decode(path, FFMPEG), 192);
      expect(mp3.length).toBe(mp3Bytes(samples, sampleRate, 192));
      expect(decoded(mp3).channels[1]!.length).toBe(mp3Samples(samples, sampleRate));
    });
  });
});
