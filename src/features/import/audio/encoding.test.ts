import { mkdtempDisposable, open, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_SHARED_DATA, SHARED_DATA } from '../../../../test/harness/import-bench.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { readProperties, readTags } from './read-tags.ts';

const MUSIC = join(SHARED_DATA, 'audio/music');
const SECONDS = 15.84;

let folder: Awaited<ReturnType<typeof mkdtempDisposable>>;
beforeAll(async () => {
  folder = await mkdtempDisposable(join(tmpdir(), 'stave-encoding-'));
});
afterAll(() => folder.remove());

async function written(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, bytes);
  return path;
}

/** A WAV file of one second with this beginning of its format, and with further chunks. */
function wavAs(format: Uint8Array, ...chunks: Buffer[]): Buffer {
  const file = wav(8_000);
  const body = [chunk('fmt ', format), ...chunks, file.subarray(36)];
  const head = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1');
  head.writeUInt32LE(4 + body.reduce((sum, { length }) => sum + length, 0), 4);
  return Buffer.concat([head, ...body]);
}

function chunk(name: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.write(name, 'latin1');
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content]);
}

function formatOf(encoding: number, bits: number, blockBytes: number, tail = ''): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(encoding, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(8_000, 4);
  format.writeUInt32LE(8_000 * blockBytes, 8);
  format.writeUInt16LE(blockBytes, 12);
  format.writeUInt16LE(bits, 14);
  return Buffer.concat([format, Buffer.from(tail, 'hex')]);
}

/** The rest of an extensible format: its size, the bits, the channels, and the identifier of a format. */
const EXTENSION = '16001800040000000100000000001000800000aa00389b71';

describe('the encoding of audio', () => {
  it.skipIf(!HAS_SHARED_DATA).each([
    ['wav', true],
    ['aiff', false],
    ['flac', true],
    ['mp3', true],
    ['mp4', true],
    ['m4a', false],
    ['ogg', false],
    ['opus', false],
  ])(
    'of %s says how many samples there are, and whether it plays everywhere',
    async (form, plays) => {
      const { properties } = (await readTags(join(MUSIC, `galway.${form}`))).facts;
      expect(properties.isPlayable).toBe(plays);
      expect(Math.abs(properties.samples! / properties.sampleRate! - SECONDS)).toBeLessThan(0.1);
    },
  );

  it.skipIf(!HAS_SHARED_DATA)('counts the same samples in each form without loss', async () => {
    const forms = ['wav', 'aiff', 'flac', 'm4a'];
    const counts = await Promise.all(
      forms.map(async (form) => (await readProperties(join(MUSIC, `galway.${form}`))).samples),
    );
    expect(new Set(counts).size).toBe(1);
  });

  it
    .skipIf(!HAS_SHARED_DATA)
    .each([
      ...['aac', 'aiff', 'flac', 'm4a', 'mp3', 'mp4', 'ogg', 'opus', 'wav'].map(
        (form) => `galway.${form}`,
      ),
      ...['cat-caffe.mp3', 'courtyard.ogg', 'piano.wav'],
    ])('of %s is the same by its headers, and in a copy of its ends', async (name) => {
    const path = join(MUSIC, name);
    const { samples, isPlayable } = (await readTags(path)).facts.properties;
    expect(await readProperties(path)).toMatchObject({ samples, isPlayable });
    const { size } = await stat(path);
    const edge = 2 * 1024 * 1024;
    if (size <= 2 * edge) return;
    const copy = await written(`copy-${name}`, (await readFile(path)).fill(0, edge, size - edge));
    expect(await readProperties(copy)).toMatchObject({ samples, isPlayable });
  });

  it.skipIf(!HAS_SHARED_DATA)('counts the samples of a FLAC file by its frames', async () => {
    const samplesOf = async (name: string) =>
      (await readProperties(join(SHARED_DATA, 'audio/flac', name))).samples;
    expect(await samplesOf('subset-45-no-total-number-of-samples-set.flac')).toBeGreaterThan(
      40_000,
    );
    expect(await samplesOf('faulty-05-wrong-total-number-of-samples.flac')).toBeLessThan(
      10_000_000,
    );
  });

  it('is that of ADTS without a length', async () => {
    if (!HAS_SHARED_DATA) return;
    const { properties } = (await readTags(join(MUSIC, 'galway.aac'))).facts;
    expect([properties.samples, properties.isPlayable]).toEqual([null, true]);
  });

  it.each([
    ['16 bits', formatOf(1, 16, 2), true, 8_000],
    ['24 bits', formatOf(1, 24, 3), true, 5_333],
    ['32 bits', formatOf(1, 32, 4), false, 4_000],
    ['float', formatOf(3, 32, 4), false, 4_000],
    ['24 bits in the extensible form', formatOf(0xfffe, 24, 3, EXTENSION), true, 5_333],
    ['an unknown form', formatOf(0xfffe, 24, 3), false, null],
    ['A-law without a count', formatOf(6, 8, 1), false, null],
  ])('of WAV with %s', async (_, format, plays, samples) => {
    const path = await written('format.wav', wavAs(format));
    expect(await readProperties(path)).toMatchObject({ isPlayable: plays, samples });
  });

  it('of compressed WAV has the count of its own chunk', async () => {
    const count = Buffer.alloc(4);
    count.writeUInt32LE(31_999);
    const path = await written('adpcm.wav', wavAs(formatOf(2, 4, 256), chunk('fact', count)));
    expect(await readProperties(path)).toMatchObject({ isPlayable: false, samples: 31_999 });
  });

  it('does not believe a number that no file can have', async () => {
    const count = Buffer.alloc(4, 0xff);
    const path = await written('claims.wav', wavAs(formatOf(2, 4, 256), chunk('fact', count)));
    await using file = await open(path);
    expect((await file.stat()).size).toBeLessThan(20_000);
    expect((await readProperties(path)).samples).toBeNull();
  });
});
