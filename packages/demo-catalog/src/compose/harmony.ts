/** The semitones of each degree above the tonic. */
export const MODES = {
  major: [0, 2, 4, 5, 7, 9, 11],
  minor: [0, 2, 3, 5, 7, 8, 10],
  dorian: [0, 2, 3, 5, 7, 9, 10],
  mixolydian: [0, 2, 4, 5, 7, 9, 10],
  lydian: [0, 2, 4, 6, 7, 9, 11],
  'harmonic minor': [0, 2, 3, 5, 7, 8, 11],
} as const satisfies Record<string, readonly number[]>;

export type ModeName = keyof typeof MODES;

const NOTE_NAMES = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'];

/**
 * A key. A place in its scale is a whole number: 0 is the tonic near middle C, 7 the octave above,
 * -1 the step below.
 */
export interface Key {
  /** The MIDI number of place 0, from 55 to 66. */
  tonic: number;
  mode: ModeName;
}

/**
 * Returns the key of a tonic (`D`, `F#`, `Bb`) and a mode. Throws a RangeError if either is
 * unknown.
 */
export function keyOf(tonicName: string, mode: ModeName): Key {
  const pitchClass = NOTE_NAMES.indexOf(tonicName);
  if (pitchClass === -1 || !Object.hasOwn(MODES, mode)) {
    throw new RangeError(`there is no key ${tonicName} ${mode}`);
  }
  return { tonic: pitchClass >= 7 ? 48 + pitchClass : 60 + pitchClass, mode };
}

/** Returns the MIDI number of a place in the scale of a key. */
export function pitchAt({ tonic, mode }: Key, place: number): number {
  const octave = Math.floor(place / 7);
  return tonic + 12 * octave + MODES[mode][place - 7 * octave]!;
}

/**
 * A chord of the key: thirds stacked on a degree, of which 0 is the tonic. 3 tones are a triad, 5 a
 * ninth.
 */
export interface Chord {
  degree: number;
  tones: number;
}

/** Whether a place in the scale belongs to the triad of a chord. */
export function isChordTone(chord: Chord, place: number): boolean {
  const above = (((place - chord.degree) % 7) + 7) % 7;
  return above === 0 || above === 2 || above === 4 || (above === 6 && chord.tones > 3);
}

/** Returns the nearest chord tone to a place; the lower of two. */
export function nearestChordTone(chord: Chord, place: number): number {
  for (let distance = 0; ; distance++) {
    for (const candidate of [place - distance, place + distance]) {
      if (isChordTone({ ...chord, tones: 3 }, candidate)) {
        return candidate;
      }
    }
  }
}

/**
 * Returns the pitches of a chord from low to high, each in the octave nearest to the previous
 * voices (or to the center, for the first chord), so that the voices move little.
 */
export function voiceChord(
  key: Key,
  chord: Chord,
  center: number,
  before: readonly number[],
): number[] {
  const anchor =
    before.length === 0 ? center : before.reduce((sum, pitch) => sum + pitch, 0) / before.length;
  // The pull to the center keeps a long piece in its range.
  const target = 0.6 * anchor + 0.4 * center;
  const pitches = Array.from({ length: chord.tones }, (_, i) => {
    const pitch = pitchAt(key, chord.degree + 2 * i);
    return pitch + 12 * Math.round((target - pitch) / 12);
  });
  return [...new Set(pitches)].sort((a, b) => a - b);
}
