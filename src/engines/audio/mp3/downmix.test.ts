import { describe, expect, it } from 'vitest';
import { stereoOf } from './downmix.ts';

/** The left and right sample of a block with one sample a channel. */
const mix = (...samples: number[]) =>
  stereoOf({ sampleRate: 48_000, channels: samples.map((x) => Float32Array.of(x)) }).map(
    ([sample]) => Number(sample!.toFixed(4)),
  );

describe('stereoOf', () => {
  it('keeps two channels, and puts one on both', () => {
    expect(mix(0.5)).toEqual([0.5, 0.5]);
    expect(mix(0.5, -0.25)).toEqual([0.5, -0.25]);
  });

  it('mixes the channels by ITU-R BS.775, without low frequencies', () => {
    // 1 / (1 + 2 * 0.7071) of the front, and 0.7071 times that of center and surround.
    expect(mix(1, 0, 0, 0, 0, 0)).toEqual([0.4142, 0]);
    expect(mix(0, 1, 0, 0, 0, 0)).toEqual([0, 0.4142]);
    expect(mix(0, 0, 1, 0, 0, 0)).toEqual([0.2929, 0.2929]);
    expect(mix(0, 0, 0, 1, 0, 0)).toEqual([0, 0]);
    expect(mix(0, 0, 0, 0, 1, 0)).toEqual([0.2929, 0]);
    expect(mix(0, 0, 0, 0, 0, 1)).toEqual([0, 0.2929]);
  });

  it('never exceeds full scale, whatever the number of channels', () => {
    for (let count = 1; count <= 64; count++) {
      const [left, right] = mix(...Array<number>(count).fill(1));
      expect([left, right]).toEqual([1, 1]);
    }
  });
});
