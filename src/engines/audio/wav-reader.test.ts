import { describe, expect, it } from 'vitest';
import {
  audioFolder,
  chunk,
  decodeAll,
  interleaved,
  wavFile,
} from '../../features/renditions/audio-files.test-support.ts';
import { makeRenditions } from '../../features/renditions/make-renditions.ts';

const folder = audioFolder();
/** Exact in 8 bits. */
const LEFT = [0, 0.5, -0.5, 0.9921875, -1, 0.25];
const RIGHT = [0.125, -0.125, 0, 0.75, -0.75, -0.0078125];

async function channelsOf(bytes: Uint8Array, name = 'a.wav'): Promise<number[][]> {
  const { channels } = await decodeAll(folder.write(name, bytes));
  return channels.map((samples) => Array.from(samples));
}

describe('the WAV reader', () => {
  it.each([
    { bits: 8 as const },
    { bits: 16 as const },
    { bits: 24 as const },
    { bits: 32 as const },
    { bits: 32 as const, isFloat: true },
    { bits: 64 as const, isFloat: true },
  ])(
    'decodes samples of $bits bits (float: $isFloat) exactly, plain and extensible',
    async (format) => {
      expect(await channelsOf(wavFile([LEFT, RIGHT], format))).toEqual([LEFT, RIGHT]);
      const extensible = { ...format, isExtensible: true };
      expect(await channelsOf(wavFile([LEFT, RIGHT], extensible))).toEqual([LEFT, RIGHT]);
    },
  );

  it('takes the highest bits of samples that fill only a part of their bytes', async () => {
    const file = wavFile([LEFT], { bits: 16 });
    file.writeUInt16LE(12, 34);
    expect(await channelsOf(file)).toEqual([LEFT]);
  });

  it('skips other chunks, with the byte after one of odd length', async () => {
    for (const content of ['abc', 'abcd', '']) {
      const otherChunk = chunk('LIST', Buffer.from(content));
      expect(await channelsOf(wavFile([LEFT], { otherChunk }))).toEqual([LEFT]);
    }
  });

  it('stops at the end of the data, before other chunks', async () => {
    const file = Buffer.concat([wavFile([LEFT]), chunk('LIST', Buffer.from('not audio'))]);
    expect(await channelsOf(file)).toEqual([LEFT]);
  });

  it('decodes a truncated file up to its last whole frame', async () => {
    const file = wavFile([LEFT, RIGHT]);
    expect(await channelsOf(file.subarray(0, -5))).toEqual([LEFT.slice(0, 4), RIGHT.slice(0, 4)]);
  });

  it.each([0, 0xffff_ffff])('decodes to the end if the size of the data is %i', async (size) => {
    const file = wavFile([LEFT]);
    file.writeUInt32LE(size, 40);
    expect(await channelsOf(file)).toEqual([LEFT]);
  });

  it('reads the long size of RF64', async () => {
    const sizes = Buffer.alloc(28);
    sizes.writeBigUInt64LE(BigInt(LEFT.length * 2), 8);
    const file = wavFile([LEFT], { otherChunk: chunk('ds64', sizes) });
    file.write('RF64', 0);
    file.writeUInt32LE(0xffff_ffff, file.length - LEFT.length * 2 - 4);
    expect(await channelsOf(Buffer.concat([file, chunk('LIST', Buffer.alloc(8))]))).toEqual([LEFT]);
  });

  it('decodes RIFX, whose numbers are big-endian', async () => {
    const file = wavFile([LEFT]);
    file.write('RIFX', 0);
    for (const at of [16, 24, 28, 40]) file.subarray(at, at + 4).reverse();
    for (const at of [20, 22, 32, 34]) file.subarray(at, at + 2).reverse();
    interleaved([LEFT], { bits: 16 }).copy(file, 44);
    expect(await channelsOf(file)).toEqual([LEFT]);
  });

  it('treats samples that are not numbers as silence, and keeps those beyond full scale', async () => {
    const samples = [Number.NaN, Number.POSITIVE_INFINITY, 1.5, -2];
    expect(await channelsOf(wavFile([samples], { bits: 32, isFloat: true }))).toEqual([
      [0, 0, 1.5, -2],
    ]);
  });

  it('limits samples of 64 bits to what 32 bits hold, so that the mean of channels is a number', async () => {
    const samples = [1e300, -1e300, 1];
    const greatest = 3.4028234663852886e38;
    const loud = [greatest, -greatest, 1];
    const quiet = [-greatest, greatest, 1];
    const opposite = samples.map((sample) => (Math.abs(sample) > 1 ? -sample : sample));
    const file = wavFile([samples, opposite], { bits: 64, isFloat: true });
    expect(await channelsOf(file)).toEqual([loud, quiet]);
    const { waveformDat } = await makeRenditions(
      { path: folder.write('loud.wav', file) },
      undefined,
      () => {},
    );
    // The means are 0, 0 and 1: the minimum and the maximum of the only bin.
    expect([...waveformDat.subarray(24)]).toEqual([0, 127]);
  });

  const withField = (at: number, value: number) => {
    const file = wavFile([LEFT]);
    file.writeUInt16LE(value, at);
    return file;
  };
  it('leaves compressed samples to ffmpeg', async () => {
    await expect(channelsOf(withField(20, 0x55))).rejects.toMatchObject({
      ...{ name: 'RenditionProblem', kind: 'format' },
      message: 'ffmpeg is needed to decode the file',
    });
  });

  it.each([
    ['no channels', withField(22, 0), 'the audio must have 1 to 64 channels, not 0'],
    ['too many channels', withField(22, 65_535), 'the audio must have 1 to 64 channels, not 65535'],
    ['a rate of zero', withField(24, 0), 'the sample rate must be 1000 to 384000 Hz, not 0'],
    ['samples of no bits', withField(34, 0).fill(0, 32, 34), 'samples of 0 bytes (signed) are'],
    ['no data', wavFile([LEFT]).subarray(0, 36), 'the WAV file has no audio data'],
    ['no format', wavFile([LEFT]).fill('x', 12, 16), 'the WAV file does not say the format'],
    ['no samples', wavFile([[]]), 'the file has no audio that can be decoded'],
  ])('rejects a file with %s', async (_, bytes, reason) => {
    await expect(channelsOf(bytes)).rejects.toThrow(reason);
    await expect(channelsOf(bytes)).rejects.toMatchObject({
      name: 'RenditionProblem',
      kind: 'file',
    });
  });
});
