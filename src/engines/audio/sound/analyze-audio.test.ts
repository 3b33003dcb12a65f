import { describe, expect, it } from 'vitest';
import { analyzeAudio } from './analyze-audio.ts';
import { chords, clicks, cosine, sine, sound } from './sounds.test-support.ts';

const MAJOR = [
  [0, 4, 7],
  [5, 9, 12],
  [7, 11, 14],
  [0, 4, 7],
];
const MINOR = [
  [0, 3, 7],
  [5, 8, 12],
  [7, 11, 14],
  [0, 3, 7],
];

describe('the analysis of audio', () => {
  it.each([
    // EBU Tech 3341, test 1 and 2, in one channel, which is 3 LU less than two.
    [-23, 44_100, -26],
    [-23, 48_000, -26],
    [-33, 48_000, -36],
    [-23, 192_000, -26],
    [-23, 8_000, -26],
  ])('measures %d dBFS at %d Hz as %d LUFS', async (decibels, rate, lufs) => {
    const { loudness } = await analyzeAudio(sound(sine(997, 10 ** (decibels / 20)), 4, rate));
    expect(loudness).toBeCloseTo(lufs, 0);
  });

  it('adds up the channels, and leaves out silence', async () => {
    async function* stereo() {
      for await (const { sampleRate, channels } of sound(sine(997, 10 ** (-23 / 20)), 4, 48_000)) {
        yield { sampleRate, channels: [channels[0]!, channels[0]!] };
      }
      yield* sound(() => 0, 8, 48_000);
    }
    expect((await analyzeAudio(stereo())).loudness).toBeCloseTo(-23, 0);
  });

  it.each([70, 90, 100, 120, 128, 140, 150])('finds a tempo of %d', async (bpm) => {
    const { tempo } = await analyzeAudio(sound(clicks(bpm), 15));
    expect(Math.abs(tempo!.bpm / bpm - 1)).toBeLessThan(0.01);
    expect(tempo!.confidence).toBeGreaterThan(0.7);
  });

  it('is not sure of a tempo or a key in a tone or in noise', async () => {
    let seed = 1;
    const noise = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 1_073_741_823 - 1;
    };
    for (const source of [sine(440, 0.5), () => noise() * 0.3]) {
      const { tempo, key } = await analyzeAudio(sound(source, 10));
      expect(tempo?.confidence ?? 0).toBeLessThan(0.1);
      expect(key?.confidence ?? 0).toBeLessThan(0.1);
    }
  });

  it.each([
    ['C major', 261.63, MAJOR],
    ['Eb major', 311.13, MAJOR],
    ['A minor', 220, MINOR],
    ['F# minor', 185, MINOR],
    // A quarter of a semitone higher.
    ['G major', 392 * 2 ** (0.25 / 12), MAJOR],
  ])('finds the key %s', async (name, tonic, list) => {
    const { key } = await analyzeAudio(sound(chords(tonic, ...list), 12));
    expect(key).toMatchObject({ name });
    expect(key!.confidence).toBeGreaterThan(0.7);
  });

  it('describes loud, bright and percussive sound', async () => {
    const [dull, bright] = await Promise.all(
      [sine(250, 0.5), sine(5_000, 0.5)].map((source) => analyzeAudio(sound(source, 4))),
    );
    expect(bright!.brightness).toBeGreaterThan(dull!.brightness + 0.5);
    expect((await analyzeAudio(sound(sine(250, 0.01), 4))).energy).toBeLessThan(dull!.energy - 0.5);
    const hits = await analyzeAudio(sound(clicks(120), 4));
    expect(hits.percussiveness).toBeGreaterThan(dull!.percussiveness + 0.5);
  });

  it('finds the same at any sample rate, in blocks of any length', async () => {
    const source = chords(220, ...MINOR);
    const low = await analyzeAudio(sound(source, 12, 32_000));
    const high = await analyzeAudio(sound(source, 12, 96_000));
    expect(high.key).toMatchObject({ name: low.key!.name });
    expect(cosine(low.vector, high.vector)).toBeGreaterThan(0.9);
    async function* cut() {
      for await (const { sampleRate, channels } of sound(source, 12, 32_000)) {
        for (let at = 0; at < channels[0]!.length; at += 333) {
          yield { sampleRate, channels: [channels[0]!.subarray(at, at + 333)] };
        }
      }
    }
    expect(await analyzeAudio(cut())).toEqual(low);
  });

  it('takes audio of a few samples, and of any rate and number of channels', async () => {
    for (const [seconds, rate] of [
      [0.001, 44_100],
      [0.1, 44_100],
      [3, 1_000],
      [0.5, 384_000],
    ] as const) {
      const { vector } = await analyzeAudio(sound(sine(100, 0.5), seconds, rate));
      expect(vector).toHaveLength(64);
    }
    async function* growing() {
      const samples = Float32Array.from({ length: 44_100 }, (_, i) => Math.sin(i / 20) / 2);
      yield { sampleRate: 44_100, channels: [samples] };
      yield { sampleRate: 44_100, channels: Array(6).fill(samples) };
    }
    expect((await analyzeAudio(growing())).loudness).toBeLessThan(0);
  });

  it('refuses silence', async () => {
    for (const source of [() => 0, sine(440, 0.0001)]) {
      await expect(analyzeAudio(sound(source, 2))).rejects.toMatchObject({
        name: 'RenditionProblem',
        message: 'the audio is silent',
        kind: 'silent',
      });
    }
    async function* nothing() {}
    await expect(analyzeAudio(nothing())).rejects.toMatchObject({ kind: 'silent' });
  });

  it('tells its progress after each minute', async () => {
    const minutes: number[] = [];
    await analyzeAudio(sound(sine(100, 0.5), 130, 8_000), (seconds) => minutes.push(seconds));
    expect(minutes.map((seconds) => Math.floor(seconds / 60))).toEqual([1, 2]);
  });
});
