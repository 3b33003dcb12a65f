import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KITS, renderKit } from './drums.ts';
import { INSTRUMENTS, type InstrumentName } from './instruments.ts';
import { integratedLoudness } from './loudness.ts';
import { master } from './master.ts';
import { frequencyOf, SAMPLE_RATE, type Sound, silence } from './sound.ts';
import { Stage } from './stage.ts';
import { encodeWav } from './wav.ts';

const names = Object.keys(INSTRUMENTS) as InstrumentName[];

/** Returns the fundamental frequency of a sound, found within a tone of the expected one. */
function heardFrequency(sound: Sound, expected: number): number {
  const from = Math.round(0.15 * SAMPLE_RATE);
  const window = 4096;
  // Enough periods that a fraction of a sample does not matter.
  const periods = Math.max(1, Math.floor((2000 * expected) / SAMPLE_RATE));
  const around = (periods * SAMPLE_RATE) / expected;
  let best = { lag: 0, match: Number.NEGATIVE_INFINITY };
  for (let lag = Math.round(around * 0.99); lag <= around * 1.01; lag++) {
    let match = 0;
    for (let i = from; i < from + window; i++) match += sound[i]! * sound[i + lag]!;
    if (match > best.match) best = { lag, match };
  }
  return (periods * SAMPLE_RATE) / best.lag;
}

function peak(sound: Sound): number {
  return sound.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
}

describe('instruments', () => {
  it.each(names)('%s plays in range, without clicks at the end, with equal results', (name) => {
    const sound = INSTRUMENTS[name](62, 0.5, 0);
    expect(sound.length).toBeGreaterThan(0.5 * SAMPLE_RATE);
    expect(sound.every(Number.isFinite)).toBe(true);
    expect(peak(sound)).toBeGreaterThan(0.05);
    expect(peak(sound)).toBeLessThan(2.5);
    expect(Math.abs(sound.at(-1)!)).toBeLessThan(0.001);
    expect(INSTRUMENTS[name](62, 0.5, 0)).toEqual(sound);
  });

  it.each([
    'piano',
    'electric piano',
    'guitar',
    'harp',
    'upright bass',
    'organ',
    'flute',
    'square lead',
    'vibraphone',
    'marimba',
  ] as const)('%s is in tune from low to high', (name) => {
    for (const pitch of [45, 57, 69, 76]) {
      const expected = frequencyOf(pitch);
      const cents =
        1200 * Math.log2(heardFrequency(INSTRUMENTS[name](pitch, 1, 0), expected) / expected);
      expect(Math.abs(cents), `${pitch}: ${cents} cents`).toBeLessThan(9);
    }
  });

  it('have two takes for the two sides of a wide part', () => {
    for (const name of ['pad', 'strings', 'guitar', 'choir'] as const) {
      expect(INSTRUMENTS[name](60, 0.3, 0)).not.toEqual(INSTRUMENTS[name](60, 0.3, 1));
    }
  });
});

describe('drum kits', () => {
  it.each(Object.keys(KITS) as (keyof typeof KITS)[])('%s sounds and dies away', (name) => {
    for (const [drum, sound] of Object.entries(renderKit(KITS[name]))) {
      expect(sound.every(Number.isFinite), drum).toBe(true);
      expect(peak(sound), drum).toBeGreaterThan(0.02);
      expect(peak(sound.subarray(-32)), drum).toBeLessThan(0.05);
    }
  });
});

describe('master', () => {
  it('never exceeds its ceiling, for any input, and ends in silence', () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ min: -8, max: 8, noNaN: true }), { minLength: 1, maxLength: 40 }),
        (shape) => {
          const left = silence(0.5).map((_, i) => shape[Math.floor(i / 401) % shape.length]!);
          const right = left.map((value) => -value / 2);
          master({ left, right }, { fadeInSeconds: 0.01, fadeOutSeconds: 0.1 });
          for (const side of [left, right]) {
            expect(side.every(Number.isFinite)).toBe(true);
            expect(peak(side)).toBeLessThanOrEqual(0.8901);
            expect(Math.abs(side.at(-1)!)).toBeLessThan(0.001);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([0.001, 0.3, 4])('brings a sine of amplitude %d to −16 LUFS', (amplitude) => {
    const left = silence(2).map((_, i) => amplitude * Math.sin(i / 20));
    const right = left.slice();
    master({ left, right }, { fadeInSeconds: 0, fadeOutSeconds: 0 });
    expect(Math.abs(integratedLoudness({ left, right }) + 16)).toBeLessThan(0.3);
  });

  it('does not change silence', () => {
    const sound = { left: silence(1), right: silence(1) };
    master(sound, { fadeInSeconds: 0.01, fadeOutSeconds: 0.1 });
    expect(peak(sound.left) + peak(sound.right)).toBe(0);
  });
});

describe('Stage', () => {
  it('places sounds left and right, and cuts them at the end', () => {
    const stage = new Stage(0.01);
    const click = silence(0.02).fill(1);
    stage.add(click, 0.005, { gain: 1, pan: -1, reverb: 0, echo: 0 });
    stage.add(click, 2, { gain: 1, pan: 0, reverb: 0, echo: 0 });
    const { left, right } = stage.finish({ echoSeconds: 0.1, roomSize: 0.5 });
    expect(left[0]).toBeCloseTo(0);
    expect(left.at(-1)).toBeCloseTo(1);
    expect(right.at(-1)).toBeCloseTo(0);
  });

  it('adds reverb and echo that decay', () => {
    const stage = new Stage(4);
    stage.add(silence(0.01).fill(0.5), 0, { gain: 1, pan: 0, reverb: 1, echo: 1 });
    const { left } = stage.finish({ echoSeconds: 0.2, roomSize: 1 });
    const level = (from: number, to: number) =>
      peak(left.subarray(from * SAMPLE_RATE, to * SAMPLE_RATE));
    expect(level(0.1, 0.5)).toBeGreaterThan(0.01);
    expect(level(3.5, 4)).toBeLessThan(level(0.1, 0.5) / 5);
  });
});

describe('encodeWav', () => {
  it('writes 16-bit stereo PCM with clipped samples', () => {
    const left = Float32Array.of(0, 0.5, -0.5, 2, -2);
    const file = encodeWav({ left, right: left });
    expect(file.toString('latin1', 0, 4) + file.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
    expect([file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt16LE(34)]).toEqual([
      2,
      SAMPLE_RATE,
      16,
    ]);
    expect(file.readUInt32LE(40)).toBe(5 * 4);
    const sample = (frame: number) => file.readInt16LE(44 + frame * 4);
    expect(Math.abs(sample(1) - 16384)).toBeLessThanOrEqual(1);
    expect(Math.abs(sample(2) + 16384)).toBeLessThanOrEqual(1);
    expect([sample(3), sample(4)]).toEqual([32767, -32768]);
  });
});
