/** Semitones above the tonic of each degree. */
export const MODES = {
  major: [0, 2, 4, 5, 7, 9, 11],
  minor: [0, 2, 3, 5, 7, 8, 10],
  dorian: [0, 2, 3, 5, 7, 9, 10],
  mixolydian: [0, 2, 4, 5, 7, 9, 10],
  lydian: [0, 2, 4, 6, 7, 9, 11],
  'harmonic minor': [0, 2, 3, 5, 7, 8, 11],
} as const satisfies Record<string, readonly number[]>;

/** A mode by its name. */
export type ModeName = keyof typeof MODES;

const NOTE_NAMES = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'];

/** A key. A place in its scale is a whole number: 0 is the tonic near middle C, 7 its octave, -1 the step below. */
export interface Key {
  /** MIDI number of place 0, from 55 to 66. */
  tonic: number;
  mode: ModeName;
}

/** The key of a tonic's name (`D`, `F#`, `Bb`) and a mode; throws a RangeError where either is unknown. */
export function keyOf(tonicName: string, mode: ModeName): Key {
  const pitchClass = NOTE_NAMES.indexOf(tonicName);
  if (pitchClass === -1 || !Object.hasOwn(MODES, mode)) {
    throw new RangeError(`there is no key ${tonicName} ${mode}`);
  }
  return { tonic: pitchClass >= 7 ? 48 + pitchClass : 60 + pitchClass, mode };
}

/** MIDI number of a place in the key's scale. */
export function pitchAt({ tonic, mode }: Key, place: number): number {
  const octave = Math.floor(place / 7);
  return tonic + 12 * octave + MODES[mode][place - 7 * octave]!;
}

/** A chord of the key: thirds stacked on a degree, 0 being the tonic; 3 tones are a triad, 5 a ninth. */
export interface Chord {
  degree: number;
  tones: number;
}

/** Whether a place in the scale belongs to the triad of the chord. */
export function isChordTone(chord: Chord, place: number): boolean {
  const above = (((place - chord.degree) % 7) + 7) % 7;
  return above === 0 || above === 2 || above === 4 || (above === 6 && chord.tones > 3);
}

/** The chord tone nearest to a place, the lower of two. */
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
 * The chord's pitches, each in the octave that lies nearest to the voices before (or to the centre,
 * for the first chord), so that the voices move little; low to high.
 */
export function voiceChord(
  key: Key,
  chord: Chord,
  centre: number,
  before: readonly number[],
): number[] {
  const anchor =
    before.length === 0 ? centre : before.reduce((sum, pitch) => sum + pitch, 0) / before.length;
  // Some pull back to the centre keeps a long piece from wandering off.
  const target = 0.6 * anchor + 0.4 * centre;
  const pitches = Array.from({ length: chord.tones }, (_, i) => {
    const pitch = pitchAt(key, chord.degree + 2 * i);
    return pitch + 12 * Math.round((target - pitch) / 12);
  });
  return [...new Set(pitches)].sort((a, b) => a - b);
}
