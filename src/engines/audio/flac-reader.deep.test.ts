import { describe, expect, it } from 'vitest';
import { FFMPEG } from '../../../test/harness/ffmpeg.ts';
import {
  audioFolder,
  decodeAll,
  interleaved,
  tone,
} from '../../features/renditions/audio-files.test-support.ts';
import { crc8, crc16 } from './flac-frames.ts';

const folder = audioFolder();
const SAMPLES = 256;
const SIZE_CODES: Readonly<Record<number, number>> = { 8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7 };

interface FrameOptions {
  number?: number;
  sizeCode?: number;
  rateCode?: number;
}

/** A frame of one channel without compression: 256 samples, 44.1 kHz. */
function frame(samples: Float32Array, bits: number, options: FrameOptions = {}): Buffer {
  const { number = 0, sizeCode = SIZE_CODES[bits]!, rateCode = 9 } = options;
  const head = Buffer.from([0xff, 0xf8, 0x80 | rateCode, sizeCode << 1, number, 0]);
  head[5] = crc8(head, 0, 5);
  // A verbatim subframe.
  const body = Buffer.concat([head, Buffer.from([2]), interleaved([samples], { bits })]);
  const crc = Buffer.alloc(2);
  crc.writeUInt16BE(crc16(body, 0, body.length, 0));
  return Buffer.concat([body, crc]);
}

function streamInfo(sampleRate: number, bits: number): Buffer {
  const block = Buffer.alloc(38);
  block.writeUInt32BE(0x8000_0022, 0);
  block.writeUInt16BE(SAMPLES, 4);
  block.writeUInt16BE(SAMPLES, 6);
  block.writeUInt32BE(((sampleRate << 12) | ((bits - 1) << 4)) >>> 0, 14);
  return Buffer.concat([Buffer.from('fLaC'), block]);
}

const samples = tone(SAMPLES / 44_100, 44_100, () => 0.9);

async function decoded(bytes: Uint8Array): Promise<number[]> {
  return Array.from((await decodeAll(folder.write('a.flac', bytes))).channels[0]!);
}

/** The samples as a file with this size of a sample stores them. */
const rounded = (bits: number) =>
  Array.from(samples, (sample) =>
    Math.fround(Math.round(sample * 2 ** (bits - 1)) / 2 ** (bits - 1)),
  );

describe('the FLAC reader', () => {
  it.each([8, 16, 24])('decodes samples of %i bits exactly', async (bits) => {
    const file = [
      streamInfo(44_100, bits),
      frame(samples, bits),
      frame(samples, bits, { number: 1 }),
    ];
    expect(await decoded(Buffer.concat(file))).toEqual([...rounded(bits), ...rounded(bits)]);
  });

  it('decodes samples of 32 bits to the precision of a float', async () => {
    const values = await decoded(Buffer.concat([streamInfo(44_100, 32), frame(samples, 32)]));
    expect(Math.max(...values.map((value, i) => Math.abs(value - samples[i]!)))).toBeLessThan(1e-6);
  });

  it('takes the rate and the size of a sample from the header of the file', async () => {
    const file = [streamInfo(37_800, 16), frame(samples, 16, { sizeCode: 0, rateCode: 0 })];
    const path = folder.write('b.flac', Buffer.concat(file));
    const { sampleRate, channels } = await decodeAll(path);
    expect(sampleRate).toBe(37_800);
    expect(Array.from(channels[0]!)).toEqual(rounded(16));
  });

  it('needs no header of the file if the frames need none', async () => {
    expect(await decoded(frame(samples, 16))).toEqual(rounded(16));
    await expect(decoded(frame(samples, 16, { rateCode: 0 }))).rejects.toThrow(
      'the FLAC file lacks the header that its frames refer to',
    );
  });

  it('finds the last frame before an ID3v1 tag', async () => {
    const tag = Buffer.alloc(128);
    tag.write('TAG');
    expect(await decoded(Buffer.concat([frame(samples, 16), tag]))).toEqual(rounded(16));
  });

  it('omits damaged frames', async () => {
    const damaged = frame(samples, 16, { number: 1 });
    damaged[100]! ^= 1;
    const file = [frame(samples, 16), damaged, frame(samples, 16, { number: 2 })];
    expect(await decoded(Buffer.concat(file))).toEqual([...rounded(16), ...rounded(16)]);
    const truncated = frame(samples, 16, { number: 1 }).subarray(0, 200);
    expect(await decoded(Buffer.concat([frame(samples, 16), truncated]))).toEqual(rounded(16));
  });

  it('says that a file without an intact frame has no audio', async () => {
    await expect(decoded(streamInfo(44_100, 16))).rejects.toThrow(
      'has no audio that can be decoded',
    );
  });

  it('needs ffmpeg for unusual sizes of a sample', async () => {
    // 256 samples of 12 bits, all of them half of full scale: a constant subframe.
    const head = Buffer.from([0xff, 0xf8, 0x89, 0x04, 0, 0]);
    head[5] = crc8(head, 0, 5);
    const body = Buffer.concat([head, Buffer.from([0, 0x40, 0])]);
    const crc = Buffer.alloc(2);
    crc.writeUInt16BE(crc16(body, 0, body.length, 0));
    const path = folder.write('c.flac', Buffer.concat([streamInfo(44_100, 12), body, crc]));
    await expect(decodeAll(path)).rejects.toMatchObject({
      message: 'ffmpeg is needed to decode the file',
      kind: 'format',
    });
    if (FFMPEG !== undefined) {
      const { channels } = await decodeAll(path, FFMPEG);
      expect(Array.from(channels[0]!)).toEqual(Array.from({ length: 256 }, () => 0.5));
    }
  });
});
