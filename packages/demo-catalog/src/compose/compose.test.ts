import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAlbum } from '../album.ts';
import { pieceOf } from '../music.ts';
import { seededRandom } from '../seeded-random.ts';
import { stepsOf } from './accompaniment.ts';
import { compose } from './compose.ts';
import { keyOf, MODES, type ModeName, nearestChordTone, pitchAt, voiceChord } from './harmony.ts';
import { melody } from './melody.ts';
import { swung } from './score.ts';

const tonics = fc.constantFrom('C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B');
const modes = fc.constantFrom(...(Object.keys(MODES) as ModeName[]));
const keys = fc.tuple(tonics, modes).map(([tonic, mode]) => keyOf(tonic, mode));
const chords = fc.record({ degree: fc.nat({ max: 6 }), tones: fc.integer({ min: 3, max: 5 }) });

describe('harmony', () => {
  it('maps places of the scale to pitches, an octave every seven', () => {
    fc.assert(
      fc.property(keys, fc.integer({ min: -30, max: 30 }), (key, place) => {
        expect(pitchAt(key, place + 7)).toBe(pitchAt(key, place) + 12);
        expect(pitchAt(key, place + 1)).toBeGreaterThan(pitchAt(key, place));
      }),
    );
  });

  it('voices a chord with its own tones only, near its center, from low to high', () => {
    fc.assert(
      fc.property(keys, chords, fc.integer({ min: 55, max: 70 }), (key, chord, center) => {
        const voices = voiceChord(key, chord, center, []);
        const tones = new Set(
          Array.from({ length: chord.tones }, (_, i) => pitchAt(key, chord.degree + 2 * i) % 12),
        );
        expect(new Set(voices.map((pitch) => pitch % 12))).toEqual(tones);
        expect(voices).toEqual([...voices].sort((a, b) => a - b));
        for (const pitch of voices) expect(Math.abs(pitch - center)).toBeLessThanOrEqual(6);
      }),
    );
  });

  it('finds the nearest tone of a triad, never more than a step and a half away', () => {
    fc.assert(
      fc.property(chords, fc.integer({ min: -10, max: 20 }), (chord, place) => {
        const tone = nearestChordTone(chord, place);
        expect([0, 2, 4]).toContain((((tone - chord.degree) % 7) + 7) % 7);
        expect(Math.abs(tone - place)).toBeLessThanOrEqual(2);
      }),
    );
  });

  it('refuses an unknown key', () => {
    expect(() => keyOf('H', 'major')).toThrow(RangeError);
    expect(() => keyOf('C', 'constructor' as ModeName)).toThrow(RangeError);
  });
});

describe('melody', () => {
  it('fills its bars without gaps and overlaps, within its range', () => {
    fc.assert(
      fc.property(
        fc.string(),
        keys,
        fc.constantFrom(3, 4),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom('sparse' as const, 'even' as const, 'busy' as const),
        (seed, key, beatsPerBar, bars, density) => {
          const frame = {
            key,
            beatsPerBar,
            chords: Array.from({ length: bars }, (_, i) => ({ degree: (i * 4) % 7, tones: 3 })),
            random: seededRandom(seed),
          };
          const notes = melody(frame, { center: 7, density, plain: true });
          for (const [i, note] of notes.entries()) {
            const next = notes[i + 1]?.beat ?? bars * beatsPerBar;
            expect(note.beats).toBeGreaterThan(0);
            expect(note.beat + note.beats).toBeLessThanOrEqual(next + 1e-9);
            expect(note.pitch).toBeGreaterThanOrEqual(pitchAt(key, -1));
            expect(note.pitch).toBeLessThanOrEqual(pitchAt(key, 16));
          }
          expect(notes[0]!.beat).toBe(0);
        },
      ),
    );
  });
});

describe('swung', () => {
  it('keeps the order of beats, and whole beats unchanged', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0.5, max: 0.7, noNaN: true }),
        (a, b, ratio) => {
          const swing = { pair: 1, ratio };
          if (a <= b) expect(swung(a, swing)).toBeLessThanOrEqual(swung(b, swing) + 1e-9);
          expect(swung(Math.floor(a), swing)).toBe(Math.floor(a));
        },
      ),
    );
  });
});

describe('stepsOf', () => {
  it('reads strokes, holds and rests', () => {
    expect(stepsOf('x-.X', 4)).toEqual([
      { symbol: 'x', beat: 0, beats: 2 },
      { symbol: 'X', beat: 3, beats: 1 },
    ]);
    expect(stepsOf('--', 4)).toEqual([]);
  });
});

describe('compose', () => {
  it.each(readAlbum().map((track) => [track.name, track] as const))('writes %s', (_, track) => {
    const piece = pieceOf(track);
    const score = compose(piece);
    expect(compose(piece)).toEqual(score);
    const scale = new Set(MODES[track.mode].map((step) => (piece.key.tonic + step) % 12));
    for (const part of score.parts) {
      expect(part.notes.length, part.instrument).toBeGreaterThan(0);
      for (const { beat, pitch, velocity } of part.notes) {
        expect(scale.has(pitch % 12), `${part.instrument} plays ${pitch}`).toBe(true);
        expect(beat).toBeGreaterThanOrEqual(0);
        expect(beat).toBeLessThan(score.beats);
        expect(pitch).toBeGreaterThanOrEqual(28);
        expect(pitch).toBeLessThanOrEqual(98);
        expect(velocity > 0 && velocity <= 1.1).toBe(true);
      }
    }
    expect(score.parts.some(({ instrument }) => ['voice', 'choir'].includes(instrument))).toBe(
      track.hasVocals,
    );
  });
});
