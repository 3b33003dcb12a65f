import { beforeAll, describe, expect, it } from 'vitest';
import { createMp3Encoder } from 'wasm-media-encoders';
import { FFMPEG, makeByFfmpeg } from '../../../test/harness/ffmpeg.ts';
import {
  audioFolder,
  decodeAll,
  tone,
  wavFile,
} from '../../features/renditions/audio-files.test-support.ts';

const folder = audioFolder();
let mono: Buffer;
beforeAll(async () => {
  const encoder = await createMp3Encoder();
  encoder.configure({ channels: 1, sampleRate: 44_100, bitrate: 64 });
  mono = Buffer.concat([encoder.encode([tone(2, 44_100)]).slice(), encoder.finalize().slice()]);
});

/** Decodes the bytes, and returns the number of channels and of samples. */
async function sizesOf(bytes: Uint8Array): Promise<{ channels: number; samples: number }> {
  const { channels } = await decodeAll(folder.write('a.mp3', bytes));
  return { channels: channels.length, samples: channels[0]!.length };
}

describe('the MP3 reader', () => {
  it('decodes mono as one channel', async () => {
    const { channels, samples } = await sizesOf(mono);
    expect(channels).toBe(1);
    expect(samples % 1152).toBe(0);
    expect(samples / 44_100).toBeGreaterThan(2);
  });

  it('finds the first frame after tags and other bytes', async () => {
    const expected = await sizesOf(mono);
    const tag = Buffer.concat([
      Buffer.from('ID3\x04\0\0\0\0\x1f\x7f', 'latin1'),
      Buffer.alloc(4095, 0xff),
    ]);
    const padding = Buffer.alloc(100_000);
    for (const before of [tag, Buffer.concat([tag, tag]), padding, Buffer.concat([tag, padding])]) {
      expect(await sizesOf(Buffer.concat([before, mono]))).toEqual(expected);
    }
  });

  it('decodes a truncated file, and one with damage within or other bytes at its end', async () => {
    const whole = await sizesOf(mono);
    const half = await sizesOf(mono.subarray(0, mono.length / 2));
    expect(half.samples / whole.samples).toBeCloseTo(0.5, 1);
    const damaged = Buffer.from(mono).fill(0x55, 5000, 6000);
    expect((await sizesOf(damaged)).samples / whole.samples).toBeGreaterThan(0.7);
    const tagged = Buffer.concat([mono, Buffer.from(`TAG${'x'.repeat(125)}`)]);
    expect(await sizesOf(tagged)).toEqual(whole);
  });

  it.each([0, 0xff, 0x55])('rejects a file of bytes %i', async (byte) => {
    await expect(sizesOf(Buffer.alloc(2_000_000, byte))).rejects.toThrow(
      'the file has no MPEG audio',
    );
  });

  it.skipIf(FFMPEG === undefined)(
    'cuts the delay and the padding that the LAME tag names (skipped without ffmpeg)',
    async () => {
      const wav = folder.write('tone.wav', wavFile([tone(1.2345, 44_100)]));
      const path = `${folder.path}/lame.mp3`;
      makeByFfmpeg('-i', wav, '-c:a', 'libmp3lame', '-b:a', '128k', path);
      const { channels } = await decodeAll(path);
      const original = await decodeAll(wav);
      expect(channels[0]).toHaveLength(original.channels[0]!.length);
      const differences = channels[0]!.map((sample, i) =>
        Math.abs(sample - original.channels[0]![i]!),
      );
      expect(differences.subarray(2000, -2000).reduce((a, b) => Math.max(a, b))).toBeLessThan(0.05);
    },
  );
});
