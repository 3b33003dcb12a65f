import { describe, expect, it } from 'vitest';
import {
  audioFolder,
  decodeAll,
  interleaved,
} from '../../features/renditions/audio-files.test-support.ts';

const folder = audioFolder();
const LEFT = [0, 0.5, -0.5, 0.9921875, -1, 0.25];
const RIGHT = [0.125, -0.125, 0, 0.75, -0.75, -0.0078125];
/** 44,100 as a number of 80 bits. */
const RATE = Buffer.from('400eac44000000000000', 'hex');

function chunk(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.from(name), size, content, Buffer.alloc(content.length % 2)]);
}

function common(bits: number, encoding: string | undefined, frames = LEFT.length): Buffer {
  const fields = Buffer.alloc(8);
  fields.writeUInt16BE(2, 0);
  fields.writeUInt32BE(frames, 2);
  fields.writeUInt16BE(bits, 6);
  return chunk('COMM', Buffer.concat([fields, RATE, Buffer.from(`${encoding ?? ''}\0\0`)]));
}

/** A file with these chunks. `COMM` is first unless `isReversed`. */
function aiff(
  bits: number,
  { encoding, isReversed = false }: { encoding?: string; isReversed?: boolean } = {},
): Buffer {
  const data = interleaved([LEFT, RIGHT], {
    bits,
    isFloat: /^fl/i.test(encoding ?? ''),
    isLittleEndian: encoding === 'sowt',
    isUnsigned: encoding === 'raw ',
  });
  const parts = [
    common(bits, encoding),
    chunk('NAME', Buffer.from('odd')),
    chunk('SSND', Buffer.concat([Buffer.from('0000000300000000616161', 'hex'), data])),
  ];
  const form = Buffer.from(`FORM\0\0\0\0AIF${encoding === undefined ? 'F' : 'C'}`);
  return Buffer.concat([form, ...(isReversed ? parts.reverse() : parts)]);
}

async function channelsOf(bytes: Uint8Array): Promise<number[][]> {
  const { channels, sampleRate } = await decodeAll(folder.write('a.aiff', bytes));
  expect(sampleRate).toBe(44_100);
  return channels.map((samples) => Array.from(samples));
}

describe('the AIFF reader', () => {
  it.each([8, 16, 24, 32])(
    'decodes samples of %i bits exactly, with chunks in any order',
    async (bits) => {
      expect(await channelsOf(aiff(bits))).toEqual([LEFT, RIGHT]);
      expect(await channelsOf(aiff(bits, { isReversed: true }))).toEqual([LEFT, RIGHT]);
    },
  );

  it.each([
    ['NONE', 16],
    ['twos', 24],
    ['sowt', 16],
    ['raw ', 8],
    ['in24', 24],
    ['in32', 32],
    ['fl32', 32],
    ['FL64', 64],
  ])('decodes the encoding %s of AIFF-C', async (encoding, bits) => {
    expect(await channelsOf(aiff(bits, { encoding }))).toEqual([LEFT, RIGHT]);
  });

  it('decodes a truncated file up to its last whole frame', async () => {
    expect(await channelsOf(aiff(16).subarray(0, -6))).toEqual([
      LEFT.slice(0, 4),
      RIGHT.slice(0, 4),
    ]);
  });

  it.each([
    [
      'a compressed encoding',
      aiff(16, { encoding: 'ima4' }),
      'the encoding "ima4" are not supported',
    ],
    ['no data', aiff(16).subarray(0, 40), 'the AIFF file has no audio data'],
    ['no format', aiff(16).fill('x', 12, 16), 'the AIFF file does not say the format'],
  ])('rejects a file with %s', async (_, bytes, reason) => {
    await expect(channelsOf(bytes)).rejects.toThrow(reason);
  });
});
