import { describe, expect, it } from 'vitest';
import WaveformData from 'waveform-data';
import { waveformDat, waveformJson } from '../../features/renditions/rendition-files.ts';
import { Mean, Peaks, type Waveform } from './analysis.ts';

/** Adds the samples in pieces of this length. */
function waveformOf(samples: Float64Array, piece = 1000, sampleRate = 44_100): Waveform {
  const peaks = new Peaks();
  for (let at = 0; at < samples.length; at += piece) peaks.add(samples.subarray(at, at + piece));
  return peaks.waveform(sampleRate);
}

/** The waveform by the words of its rule. */
function expectedBins(samples: Float64Array, samplesPerPixel: number): number[] {
  const bins = [];
  for (let at = 0; at < samples.length; at += samplesPerPixel) {
    const values = Array.from(samples.subarray(at, at + samplesPerPixel), (sample) =>
      Math.max(-128, Math.min(127, Math.floor(sample * 128))),
    );
    bins.push(Math.min(...values), Math.max(...values));
  }
  return bins;
}

/** Samples of a fixed sequence, some of them beyond full scale. */
function noise(length: number): Float64Array {
  let state = 1;
  return Float64Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state / 2_147_483_647) * 2.4 - 1.2;
  });
}

describe('Peaks', () => {
  it.each([1, 511, 512, 513, 1023, 1024, 1025, 70_000])(
    'has the extremes of %i samples',
    (length) => {
      const samples = noise(length);
      for (const piece of [1, 512, 777, length]) {
        const waveform = waveformOf(samples, piece);
        expect(waveform.samplesPerPixel).toBe(512);
        expect(Array.from(waveform.data)).toEqual(expectedBins(samples, 512));
      }
    },
  );

  it('rounds down, and clamps to -128 to 127', () => {
    const samples = Float64Array.of(-1.5, -1, -0.001, 0, 0.999, 1, 1.5);
    const values = Array.from(samples, (sample) => waveformOf(Float64Array.of(sample)).data[0]);
    expect(values).toEqual([-128, -128, -1, 0, 127, 127, 127]);
  });

  const FULL = 200_000 * 512;
  it.each([
    [FULL, 512, 200_000],
    [FULL + 1, 1024, 100_001],
    [2 * FULL, 1024, 200_000],
    [2 * FULL + 1, 2048, 100_001],
  ])('has at most 200,000 bins: %i samples', (length, samplesPerPixel, bins) => {
    const block = noise(100_003);
    const peaks = new Peaks();
    for (let left = length; left > 0; left -= block.length) {
      peaks.add(block.subarray(0, Math.min(left, block.length)));
    }
    const waveform = peaks.waveform(44_100);
    expect(waveform.samplesPerPixel).toBe(samplesPerPixel);
    expect(waveform.data).toHaveLength(2 * bins);
    const first = new Float64Array(20 * samplesPerPixel);
    first.forEach((_, i) => {
      first[i] = block[i % block.length]!;
    });
    expect(Array.from(waveform.data.subarray(0, 40))).toEqual(expectedBins(first, samplesPerPixel));
  });
});

describe('Mean', () => {
  it.each([1, 2, 3, 6])('is that of %i channels', (count) => {
    const channels = Array.from({ length: count }, (_, i) => Float32Array.of(i, 1 - i, 0.5));
    const mean = new Mean().of({ sampleRate: 8000, channels });
    const middle = (count - 1) / 2;
    expect(Array.from(mean)).toEqual([middle, 1 - middle, 0.5]);
  });
});

describe('the files of a waveform', () => {
  const waveform = waveformOf(noise(5000), 1000, 48_000);
  const json = JSON.parse(Buffer.from(waveformJson(waveform)).toString());
  const dat = waveformDat(waveform);

  it('are JSON and .dat of audiowaveform, version 2, with the same numbers', () => {
    const data = Array.from(waveform.data);
    expect(Object.entries(json)).toEqual([
      ['version', 2],
      ['channels', 1],
      ['sample_rate', 48_000],
      ['samples_per_pixel', 512],
      ['bits', 8],
      ['length', 10],
      ['data', data],
    ]);
    expect(Array.from(new Int32Array(dat.slice(0, 24).buffer))).toEqual([2, 1, 48_000, 512, 10, 1]);
    expect(Array.from(new Int8Array(dat.slice(24).buffer))).toEqual(data);
  });

  it.each([
    ['.dat', dat.slice().buffer],
    ['JSON', json],
  ])('are opened by waveform-data: %s', (_, content) => {
    const opened = WaveformData.create(content);
    expect(opened).toMatchObject({ length: 10, channels: 1, bits: 8, scale: 512 });
    expect(opened.sample_rate).toBe(48_000);
    const channel = opened.channel(0);
    const bins = Array.from({ length: 10 }, (__, i) => [
      channel.min_sample(i),
      channel.max_sample(i),
    ]);
    expect(bins.flat()).toEqual(Array.from(waveform.data));
  });
});
