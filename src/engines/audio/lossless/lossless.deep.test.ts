import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import fc from 'fast-check';
import { parseFile } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { decodeByFfmpeg, FFMPEG, makeByFfmpeg } from '../../../../test/harness/ffmpeg.ts';
import { HAS_SHARED_DATA, SHARED_DATA } from '../../../../test/harness/import-bench.ts';
import {
  audioFolder,
  decodeAll,
  interleaved,
  tone,
  wavFile,
} from '../../../features/renditions/audio-files.test-support.ts';
import { inMemory } from '../tags/tagged-file.test-support.ts';
import { encodeFlac } from './encode-flac.ts';
import { encodeWav, wavBytes, wavHead } from './encode-wav.ts';
import { type SampleFormat, sampleFormat } from './sample-format.ts';
import { wavSamples } from './wav-samples.ts';

const folder = audioFolder();

async function fileOf(encoding: AsyncGenerator<Uint8Array, Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await encoding.next();
    if (done) return Buffer.concat([value, ...pieces.slice(1)]);
    pieces.push(value.slice());
  }
}

/** Converts a file as a licensed one is converted. */
async function converted(path: string, format: 'wav' | 'flac'): Promise<string> {
  const samples = await wavSamples(path, FFMPEG);
  const encoding =
    format === 'wav'
      ? encodeWav(samples.pieces, samples.format, undefined)
      : encodeFlac(samples.pieces, samples.format);
  const made = join(folder.path, `made.${format}`);
  await writeFile(made, await fileOf(encoding));
  return made;
}

const formatOf = (channels: number, bits: number, isFloat = false): SampleFormat => ({
  ...{ sampleRate: 44_100, channels, bits, bytesPerSample: bits / 8, isFloat },
});

async function* inPieces(bytes: Buffer, frameBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 999 * frameBytes) {
    yield bytes.subarray(at, at + 999 * frameBytes);
  }
}

describe('encodeFlac', () => {
  const audio = fc.record({
    length: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 4_000, max: 9_000 })),
    channels: fc.integer({ min: 1, max: 8 }),
    bits: fc.constantFrom(8 as const, 16 as const, 24 as const),
    // Silence, music, noise, full scale, and samples whose lowest bits are 0.
    kind: fc.constantFrom('silence', 'tone', 'noise', 'square', 'coarse'),
    seed: fc.integer({ min: 1, max: 1_000 }),
  });

  it('keeps all samples, by the decoder of Stave', async () => {
    await fc.assert(
      fc.asyncProperty(audio, async ({ length, channels, bits, kind, seed }) => {
        const of = (channel: number) => (_: unknown, i: number) => {
          const noise = Math.sin((i + 1) * (seed + channel) * 12.9898) % 1;
          const wave = Math.sin((i * (seed + channel)) / 5_000);
          const square = i % 2 === 0 ? 1 : -1;
          return { silence: 0, tone: wave, noise, square, coarse: Math.round(wave * 8) / 8 }[kind]!;
        };
        const samples = Array.from({ length: channels }, (_, channel) =>
          Float32Array.from({ length }, of(channel)),
        );
        const bytes = interleaved(samples, { bits, isLittleEndian: true, isUnsigned: true });
        const format = formatOf(channels, bits);
        const flac = await fileOf(encodeFlac(inPieces(bytes, (channels * bits) / 8), format));
        const path = folder.write('any.flac', flac);
        const wav = folder.write('any.wav', wavFile(samples, { bits }));
        expect(await decodeAll(path)).toEqual(await decodeAll(wav));
      }),
      { numRuns: 60 },
    );
  });

  it.runIf(FFMPEG).each([8, 16, 24] as const)(
    'writes a valid header for %i bits, by ffmpeg and the parser',
    async (bits) => {
      const wav = folder.write('long.wav', wavFile([tone(2, 44_100), tone(2, 44_100)], { bits }));
      const path = await converted(wav, 'flac');
      expect(decodeByFfmpeg(path)).toEqual(decodeByFfmpeg(wav));
      const { format } = await parseFile(path);
      expect(format).toMatchObject({ bitsPerSample: bits, duration: 2 });
      // The checksum of all samples, which decoders compare.
      makeByFfmpeg(
        '-err_detect',
        'crccheck+explode',
        '-i',
        path,
        '-f',
        'null',
        join(folder.path, 'x'),
      );
      expect((await readFile(path)).subarray(26, 42).equals(Buffer.alloc(16))).toBe(false);
    },
  );
});

describe('a WAV file', () => {
  it('has the length that is known before, whatever the samples are', async () => {
    for (const format of [
      formatOf(1, 8),
      formatOf(2, 16),
      formatOf(6, 24),
      formatOf(2, 32, true),
    ]) {
      const frameBytes = format.channels * format.bytesPerSample;
      const silence = format.bytesPerSample === 1 ? 0x80 : 0;
      for (const length of [1, 1_001, 1_003]) {
        const bytes = Buffer.alloc(1_001 * frameBytes, 7);
        const wav = await fileOf(encodeWav(inPieces(bytes, frameBytes), format, length));
        expect(wav.length).toBe(wavBytes(format, length));
        const head = wavHead(format, length).length;
        const filled = Buffer.concat([bytes, Buffer.alloc(2 * frameBytes, silence)]);
        const data = wav.subarray(head, head + length * frameBytes);
        expect(data.equals(filled.subarray(0, length * frameBytes))).toBe(true);
        const found = await sampleFormat(inMemory(wav), 'wav');
        expect(found).toEqual(format);
      }
    }
  });

  it('of more than 4 GiB is RF64 with a head of the same length', async () => {
    const format = formatOf(2, 24);
    const samples = 2 ** 30;
    const head = wavHead(format, samples);
    expect(head.length).toBe(wavHead(format, 1).length);
    expect(head.toString('latin1', 0, 16)).toMatch(/^RF64\xff{4}WAVEds64/);
    expect(head.readBigUInt64LE(28)).toBe(BigInt(samples * 6));
    expect(head.readBigUInt64LE(20)).toBe(BigInt(wavBytes(format, samples) - 8));
    expect(await sampleFormat(inMemory(head), 'wav')).toEqual(format);
  });
});

const codec = (name: string, ...options: string[]) => ['-c:a', name, ...options];

describe.runIf(FFMPEG)('the samples of a file', () => {
  it.each([
    ['sixteen.aiff', codec('pcm_s16be')],
    ['twenty-four.aiff', codec('pcm_s24be')],
    ['thirty-two.aiff', codec('pcm_s32be')],
    ['eight.aiff', codec('pcm_s8')],
    ['little.aiff', codec('pcm_s16le')],
    ['eight.wav', codec('pcm_u8')],
    ['sixteen.m4a', codec('alac', '-sample_fmt', 's16p')],
    ['twenty-four.m4a', codec('alac', '-sample_fmt', 's32p', '-bits_per_raw_sample', '24')],
    ['flac.mp4', codec('flac', '-strict', '-2')],
    ['flac.oga', codec('flac')],
    ['twenty-four.flac', codec('flac', '-sample_fmt', 's32', '-bits_per_raw_sample', '24')],
    ['surround.flac', ['-ac', '6']],
  ])('of %s are those of the WAV and the FLAC that are made of it', async (name, made) => {
    const path = join(folder.path, name);
    makeByFfmpeg('-f', 'lavfi', '-i', 'anoisesrc=d=0.3:a=0.9', ...made, path);
    const expected = decodeByFfmpeg(path);
    for (const format of ['wav', 'flac'] as const) {
      // Of samples of 32 bits, that ffmpeg decodes no FLAC.
      if (extname(name) === `.${format}` || (format === 'flac' && /^thirty/.test(name))) continue;
      expect(decodeByFfmpeg(await converted(path, format)), format).toEqual(expected);
    }
  });

  it('of 32 bits stay as they are in FLAC', async () => {
    const path = join(folder.path, 'thirty-two.wav');
    makeByFfmpeg('-f', 'lavfi', '-i', 'anoisesrc=d=0.3', ...codec('pcm_s32le'), path);
    const [expected, found] = [
      await decodeAll(path),
      await decodeAll(await converted(path, 'flac')),
    ];
    expect(found.channels[0]!.length).toBe(expected.channels[0]!.length);
    // The decoder rounds to 24 bits.
    for (const [i, sample] of found.channels[0]!.entries()) {
      expect(Math.abs(sample - expected.channels[0]![i]!)).toBeLessThanOrEqual(2 ** -23);
    }
  });

  it('of floating point stay as they are in WAV', async () => {
    const path = join(folder.path, 'float.aiff');
    makeByFfmpeg('-f', 'lavfi', '-i', 'anoisesrc=d=0.3', ...codec('pcm_f32be'), path);
    expect((await wavSamples(path, FFMPEG)).format).toMatchObject({ isFloat: true, bits: 32 });
    expect(decodeByFfmpeg(await converted(path, 'wav'))).toEqual(decodeByFfmpeg(path));
  });

  it.each([
    ['lossy.mp3', []],
    ['lossy.m4a', codec('aac')],
    ['lossy.ogg', codec('libvorbis')],
    ['lossy.wav', codec('adpcm_ms')],
    ['companded.wav', codec('pcm_mulaw')],
    ['lossy.aac', []],
    ['lossy.webm', codec('libopus')],
  ])('of %s are not without loss', async (name, made) => {
    const path = join(folder.path, name);
    makeByFfmpeg('-f', 'lavfi', '-i', 'anoisesrc=d=0.3', ...made, path);
    expect(
      await sampleFormat(inMemory(await readFile(path)), extname(name).slice(1)),
    ).toBeUndefined();
    await expect(wavSamples(path, FFMPEG)).rejects.toMatchObject({ kind: 'file' });
  });

  it
    .runIf(HAS_SHARED_DATA)
    .each([
      'music/galway.aiff',
      'flac/subset-22-12-bit-per-sample.flac',
      'flac/subset-23-8-bit-per-sample.flac',
      'flac/subset-41-6-channels-5-1.flac',
      'flac/subset-43-8-channels-7-1.flac',
    ])('of %s are those of the WAV that is made of it', async (file) => {
    const path = join(SHARED_DATA, 'audio', file);
    const made = await converted(path, 'wav');
    expect(decodeByFfmpeg(made)).toEqual(decodeByFfmpeg(path));
  });
});
