import { describe, expect, it } from 'vitest';
import { tone } from '../../features/renditions/audio-files.test-support.ts';
import { Resampler, resample } from './resample.ts';

/** The greatest difference, without the edges. */
function difference(one: Float32Array, other: Float32Array): number {
  expect(one.length).toBe(other.length);
  let greatest = 0;
  for (let i = 1000; i < one.length - 1000; i++) {
    greatest = Math.max(greatest, Math.abs(one[i]! - other[i]!));
  }
  return greatest;
}

describe('resample', () => {
  it.each([
    [8000, 48_000, 1000],
    [11_025, 44_100, 1000],
    [32_000, 48_000, 10_000],
    [37_800, 48_000, 10_000],
    [47_999, 48_000, 10_000],
    [88_200, 44_100, 10_000],
    [96_000, 48_000, 10_000],
    [192_000, 48_000, 10_000],
  ])('keeps a tone from %i to %i Hz', (from, to, hertz) => {
    const converted = resample(
      tone(1, from, () => 0.5, hertz),
      from,
      to,
    );
    expect(
      difference(
        converted,
        tone(1, to, () => 0.5, hertz),
      ),
    ).toBeLessThan(0.0005);
  });

  it('removes what the new rate cannot hold', () => {
    const converted = resample(
      tone(1, 96_000, () => 0.5, 30_000),
      96_000,
      48_000,
    );
    expect(difference(converted, new Float32Array(48_000))).toBeLessThan(0.0005);
  });

  it('keeps a constant, and samples of the same rate', () => {
    const constant = new Float32Array(50_000).fill(0.25);
    expect(
      difference(resample(constant, 50_000, 48_000), new Float32Array(48_000).fill(0.25)),
    ).toBeLessThan(1e-6);
    expect(resample(constant, 48_000, 48_000)).toBe(constant);
  });

  it.each([
    [32_000, 48_000],
    [96_000, 44_100],
    [44_100, 48_000],
  ])('gives the same of pieces as of the whole, from %i to %i Hz', (from, to) => {
    const samples = tone(0.3, from, () => 0.5, 1_000);
    const resampler = new Resampler(from, to);
    const pieces: number[] = [];
    for (let at = 0, length = 1; at < samples.length; at += length, length = (length * 7) % 4_001) {
      const [left, right] = resampler.push([
        samples.subarray(at, at + length),
        samples.subarray(at, at + length),
      ]);
      expect(left).toEqual(right);
      pieces.push(...left!);
    }
    pieces.push(...resampler.end()[0]!);
    expect(Float32Array.from(pieces)).toEqual(resample(samples, from, to));
  });
});
