import { describe, expect, it } from 'vitest';
import { Loudness } from './analysis.ts';

const RATE = 100;

/** The start of the loudest passage of 3 seconds, where each second has this amplitude throughout. */
function start(amplitudes: readonly number[], piece = 77): number {
  const loudness = new Loudness(RATE);
  const samples = Float64Array.from({ length: amplitudes.length * RATE }, (_, i) => {
    const amplitude = amplitudes[Math.floor(i / RATE)]!;
    return i % 2 === 0 ? amplitude : -amplitude;
  });
  for (let at = 0; at < samples.length; at += piece) loudness.add(samples.subarray(at, at + piece));
  return loudness.loudestStart(3);
}

/** The amplitude of this level in dBFS. */
const level = (decibels: number) => 10 ** (decibels / 20);

describe('Loudness', () => {
  it('finds the loud passage, in pieces of any length', () => {
    const amplitudes = [0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.9, 0.1];
    for (const piece of [1, 77, 100, 800]) expect(start(amplitudes, piece)).toBe(4);
  });

  it('prefers what is loud throughout to one loud second', () => {
    expect(start([0.01, 1, 0.01, 0.01, 0.2, 0.2, 0.2])).toBe(4);
  });

  it('chooses the earliest of equal passages, and of silence', () => {
    expect(start([0.1, 0.5, 0.5, 0.5, 0.1, 0.5, 0.5, 0.5])).toBe(1);
    expect(start([0, 0, 0, 0, 0])).toBe(0);
  });

  it('takes sums within 0.001 dB of the greatest as equal', () => {
    expect(start([level(-20), level(-20), level(-20), level(-20 + 0.0009)])).toBe(0);
    expect(start([level(-20), level(-20), level(-20), level(-20 + 0.0011)])).toBe(1);
    // Each is within 0.001 dB of the one before, but the first is not within it of the greatest.
    const rising = [0, 0, 0, 0.0008, 0.0008].map((more) => level(-20 + more));
    expect(start(rising)).toBe(1);
  });

  it('counts a level below -60 dBFS as -60', () => {
    expect(start([level(-61), level(-61), level(-61), level(-70)])).toBe(0);
    expect(start([level(-61), level(-61), level(-61), level(-59)])).toBe(1);
  });

  it('counts only whole seconds', () => {
    const loudness = new Loudness(RATE);
    loudness.add(new Float64Array(3 * RATE).fill(0.1));
    loudness.add(new Float64Array(RATE - 1).fill(1));
    expect(loudness.loudestStart(3)).toBe(0);
    loudness.add(new Float64Array(1).fill(1));
    expect(loudness.loudestStart(3)).toBe(1);
  });

  it('begins at 0 if there are fewer whole seconds', () => {
    expect(start([0.1, 0.9])).toBe(0);
    expect(start([])).toBe(0);
  });
});
