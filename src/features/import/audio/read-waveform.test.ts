import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import WaveformData from 'waveform-data';
import {
  waveformDatOfVersion1,
  waveformMembers,
  waveformOf,
} from '../../../../test/harness/clips.ts';
import { audioFolder } from '../../renditions/audio-files.test-support.ts';
import { waveformDat, waveformJson } from '../../renditions/rendition-files.ts';
import { readWaveform } from './read-previews.ts';

const folder = audioFolder();
const SMALL = waveformOf(1);
const MEMBERS = waveformMembers(SMALL);
const PIXELS = SMALL.data.length / 2;

/** Reads these bytes as .dat, or this text as .json. */
async function read(content: Uint8Array | string) {
  const form = typeof content === 'string' ? 'json' : 'dat';
  const path = join(folder.path, `w.${form}`);
  await writeFile(path, content);
  return readWaveform(path, form);
}

/** The reason why a file is rejected. */
async function reasonOf(content: Uint8Array | string): Promise<string> {
  return read(content).then(
    () => 'none',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

/** A .dat file of version 2 with one number of its header replaced. */
function datWith(offset: number, value: number): Buffer {
  const bytes = Buffer.from(waveformDat(SMALL));
  bytes.writeInt32LE(value, offset);
  return bytes;
}

const jsonWith = (members: object) => JSON.stringify({ ...MEMBERS, ...members });

/** A .json file with the second of its numbers replaced. */
const textWith = (text: string) =>
  JSON.stringify(MEMBERS).replace(/("data":\[[^,]*,)[^,]*/, (_, before) => `${before}${text}`);

describe('the waveform of a file', () => {
  it('is the same of .dat and .json, in both versions, and another program reads it', async () => {
    const samples = fc.array(fc.integer({ min: -128, max: 127 }), { minLength: 1, maxLength: 50 });
    const waveforms = fc.record({
      sampleRate: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      samplesPerPixel: fc.integer({ min: 9, max: 30 }).map((k) => 2 ** k),
      data: samples.map((values) => Int8Array.from(values.flatMap((value) => [value, -value]))),
    });
    await fc.assert(
      fc.asyncProperty(waveforms, async (waveform) => {
        const dat = Buffer.from(waveformDat(waveform));
        const { version: _, channels: __, ...ofFirstReleases } = waveformMembers(waveform);
        for (const content of [
          dat,
          waveformDatOfVersion1(waveform),
          Buffer.from(waveformJson(waveform)).toString(),
          JSON.stringify({ ...ofFirstReleases, version: 1 }),
          JSON.stringify(ofFirstReleases),
        ]) {
          const { dat: stored, durationSeconds } = await read(content);
          expect(Buffer.from(stored)).toEqual(dat);
          const other = WaveformData.create(Uint8Array.from(stored).buffer);
          expect(durationSeconds).toBeCloseTo(other.duration);
          expect(other.channel(0).min_array()).toEqual(
            [...waveform.data].filter((_value, i) => i % 2 === 0),
          );
        }
      }),
      { numRuns: 50 },
    );
  });

  it('has at most 200,000 pixels, with the extremes of those that become one', async () => {
    for (const pixels of [200_000, 200_001, 800_003]) {
      const data = Int8Array.from({ length: 2 * pixels }, (_, i) => ((i * 37) % 256) - 128);
      const { dat, durationSeconds } = await read(
        waveformDat({ sampleRate: 44_100, samplesPerPixel: 512, data }),
      );
      const view = WaveformData.create(Uint8Array.from(dat).buffer);
      const factor = view.scale / 512;
      expect([view.length, factor]).toEqual(
        { 200000: [200_000, 1], 200001: [100_001, 2], 800003: [100_001, 8] }[pixels],
      );
      for (const pixel of [0, 1, 77_777, view.length - 1]) {
        const bins = data.subarray(2 * pixel * factor, 2 * (pixel + 1) * factor);
        expect(view.channel(0).min_sample(pixel)).toBe(
          Math.min(...bins.filter((_, i) => i % 2 === 0)),
        );
        expect(view.channel(0).max_sample(pixel)).toBe(
          Math.max(...bins.filter((_, i) => i % 2 === 1)),
        );
      }
      // The length is that of the file, not of the shortened waveform.
      expect(durationSeconds).toBe((pixels * 512) / 44_100);
    }
  });

  it.each([
    ['its version is unknown', datWith(0, 3), 'of version 1 or 2; it has 3'],
    ['it has 16 bits', datWith(4, 0), 'with 8 bits; it has 16'],
    ['its flags are unknown', datWith(4, 3), 'with 8 bits; it has "unknown (flags 3)"'],
    ['it has no sample rate', datWith(8, 0), 'with a sample rate above 0; it has 0'],
    ['its sample rate is negative', datWith(8, -8000), 'with a sample rate above 0; it has -8000'],
    ['its samples per pixel are negative', datWith(12, -512), 'samples per pixel; it has -512'],
    ['its samples per pixel are few', datWith(12, 256), 'samples per pixel; it has 256'],
    ['its samples per pixel are no power', datWith(12, 1536), 'samples per pixel; it has 1536'],
    ['it has no length', datWith(16, 0), 'with a length above 0; it has 0'],
    ['its length is negative', datWith(16, -1), 'with a length above 0; it has 4294967295'],
    ['its length is too great', datWith(16, 17), 'must have 34 values, two for each of the 17'],
    ['its length is huge', datWith(16, 2 ** 31 - 1), 'it has 32'],
    ['its length is too small', datWith(16, 15), 'must have 30 values'],
    ['it has two channels', datWith(20, 2), 'with one channel; it has 2'],
    ['it has no channels', datWith(20, 0), 'with one channel; it has 0'],
    ['it is truncated', waveformDat(SMALL).subarray(0, -1), 'it has 31'],
    ['bytes follow', Buffer.concat([waveformDat(SMALL), Buffer.alloc(1)]), 'it has 33'],
    ['it ends in its header', waveformDat(SMALL).subarray(0, 23), 'it ends within its header'],
    ['it is empty', Buffer.alloc(0), 'it ends within its header'],
    ['it is no JSON', '{"version":2,', 'it is not JSON'],
    ['it is a list', '[1]', 'it is not a JSON object'],
    ['it is null', 'null', 'it is not a JSON object'],
    ['its version is unknown', jsonWith({ version: 3 }), 'of version 1 or 2; it has 3'],
    ['its version is a text', jsonWith({ version: '2' }), 'of version 1 or 2; it has "2"'],
    ['it has 16 bits', jsonWith({ bits: 16 }), 'with 8 bits; it has 16'],
    ['it lacks bits', jsonWith({ bits: undefined }), 'with 8 bits; it has nothing'],
    ['it has two channels', jsonWith({ channels: 2 }), 'with one channel; it has 2'],
    [
      'its rate is no number',
      jsonWith({ sample_rate: '8000' }),
      'sample rate above 0; it has "8000"',
    ],
    ['its rate is huge', jsonWith({ sample_rate: 1e300 }), 'sample rate above 0; it has 1e+300'],
    ['its pixels are fractions', jsonWith({ samples_per_pixel: 512.5 }), 'it has 512.5'],
    ['its pixels are huge', jsonWith({ samples_per_pixel: 2 ** 31 }), 'it has 2147483648'],
    ['its length is wrong', jsonWith({ length: 1e9 }), 'must have 2000000000 values'],
    ['its length is negative', jsonWith({ length: -1 }), 'with a length above 0; it has -1'],
    ['it has no data', jsonWith({ data: undefined }), 'must have a list of numbers in data'],
    ['its data are a text', jsonWith({ data: 'x'.repeat(32) }), 'must have a list of numbers'],
    ['a value is too great', jsonWith({ data: Array(32).fill(128) }), 'entry 1 is "128"'],
    ['a value is a fraction', jsonWith({ data: Array(32).fill(0.5) }), 'entry 1 is "0.5"'],
    ['a value is null', jsonWith({ data: Array(32).fill(null) }), 'entry 1 is "null"'],
    ['a value has a leading zero', textWith('01'), 'entry 2 is "01"'],
    ['a value has an exponent', textWith('1e1'), 'entry 2 is "1e1"'],
    ['a value is missing', textWith(''), 'entry 2 is ""'],
    ['a value is only a sign', textWith('-'), 'entry 2 is "-"'],
    ['a value is huge', textWith('9'.repeat(1_000)), 'entry 2 is "999'],
    ['two values have no comma', textWith('1 1'), 'entry 2 is "1 1"'],
    ['its data are empty', jsonWith({ data: [] }), 'it has 0'],
    ['its data are too long', jsonWith({ data: Array(33).fill(0) }), 'it has 33'],
  ])('is rejected with a reason if %s', async (_, content, reason) => {
    expect(PIXELS).toBe(16);
    expect(await reasonOf(content)).toMatch(/^FileProblem: must /);
    expect(await reasonOf(content)).toContain(reason);
  });

  it('is read or rejected, whatever the bytes are', async () => {
    const dat = Buffer.from(waveformDat(SMALL));
    const changed = fc
      .array(fc.tuple(fc.nat(27), fc.nat(255)), { minLength: 1, maxLength: 6 })
      .map((changes) => {
        const bytes = Buffer.from(dat);
        for (const [at, value] of changes) bytes[at] = value;
        return bytes;
      });
    const bytes = fc.oneof(changed, fc.uint8Array({ maxLength: 60 }));
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        expect(await reasonOf(content)).toMatch(/^(none|FileProblem: must .*)$/);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['objects', `[${'{},'.repeat(2_700_000)}{}]`],
    ['nested lists', `${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}`],
    ['members', `{${Array.from({ length: 600_000 }, (_, i) => `"k${i}":1`).join()}}`],
    ['lists of data', `{"data":[1],${'"data":[1],'.repeat(700_000)}"bits":8}`],
    ['numbers of another list', jsonWith({ data: [], more: Array(4_000_000).fill(0) })],
    ['objects in its list', `{"bits":8,"data":[${'{},'.repeat(2_700_000)}{}]}`],
  ])('takes little time and memory to reject one of many %s', async (_, content) => {
    const before = process.memoryUsage().heapUsed;
    expect(await reasonOf(content)).toMatch(/^FileProblem: must /);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('is not that of an inner object', async () => {
    const inner = `{"data":${JSON.stringify(MEMBERS.data)}}`;
    const text = JSON.stringify({ ...MEMBERS, data: undefined, inner: 0 }).replace(
      '"inner":0',
      `"inner":${inner}`,
    );
    expect(await reasonOf(text)).toContain('must have a list of numbers in data');
  });

  it('may have white space as JSON allows it', async () => {
    const { dat } = await read(JSON.stringify(MEMBERS, null, '\t').replaceAll('\n', '\r\n'));
    expect(Buffer.from(dat)).toEqual(Buffer.from(waveformDat(SMALL)));
  });
});
