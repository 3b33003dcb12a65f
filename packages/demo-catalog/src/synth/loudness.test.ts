import { describe, expect, it } from 'vitest';
import { integratedLoudness, truePeaks } from './loudness.ts';
import { SAMPLE_RATE, silence } from './sound.ts';

const sine = (hertz: number, decibels: number, seconds: number, phase = 0) =>
  silence(seconds).map(
    (_, i) => 10 ** (decibels / 20) * Math.sin((2 * Math.PI * hertz * i) / SAMPLE_RATE + phase),
  );

describe('integratedLoudness', () => {
  it('measures the reference tone of ITU-R BS.1770-4: 997 Hz at full scale in one channel', () => {
    expect(integratedLoudness({ left: sine(997, 0, 20), right: silence(20) })).toBeCloseTo(
      -3.01,
      1,
    );
  });

  it.each([-23, -33])(
    'measures a stereo tone of %d dBFS (EBU Tech 3341, cases 1 and 2)',
    (level) => {
      const side = sine(1000, level, 20);
      expect(Math.abs(integratedLoudness({ left: side, right: side }) - level)).toBeLessThan(0.1);
    },
  );

  it('ignores parts much quieter than the rest (EBU Tech 3341, case 3)', () => {
    const side = silence(80);
    side.set(sine(1000, -36, 10), 0);
    side.set(sine(1000, -23, 60), 10 * SAMPLE_RATE);
    side.set(sine(1000, -36, 10), 70 * SAMPLE_RATE);
    expect(Math.abs(integratedLoudness({ left: side, right: side }) + 23)).toBeLessThan(0.1);
  });

  it('is -Infinity for silence and for less than 400 ms', () => {
    for (const side of [silence(2), sine(1000, -10, 0.39)]) {
      expect(integratedLoudness({ left: side, right: side })).toBe(Number.NEGATIVE_INFINITY);
    }
  });
});

describe('truePeaks', () => {
  it('finds the peak between two samples', () => {
    // At a quarter of the sample rate, samples at 45° are all 3 dB below the crest.
    const tone = sine(SAMPLE_RATE / 4, 0, 0.1, Math.PI / 4);
    const inner = [...truePeaks(tone, 160, 0)].slice(2, -2);
    expect(Math.max(...tone)).toBeCloseTo(Math.SQRT1_2, 5);
    for (const peak of inner) expect(Math.abs(20 * Math.log10(peak))).toBeLessThan(0.7);
  });

  it('gives the largest sample of a block that is below the threshold', () => {
    const tone = sine(SAMPLE_RATE / 4, 0, 0.1, Math.PI / 4);
    expect(Math.max(...truePeaks(tone, 160, 0.8))).toBeCloseTo(Math.SQRT1_2, 5);
  });
});
