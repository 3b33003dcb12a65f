import type { SeededRandom } from '../seeded-random.ts';
import type { DrumName, KitName } from '../synth/drums.ts';
import type { InstrumentName } from '../synth/instruments.ts';
import type { Placement } from '../synth/stage.ts';
import type { Chord, Key } from './harmony.ts';

/** One note. Times are in beats from the beginning, velocity from 0 to 1. */
export interface Note {
  beat: number;
  beats: number;
  pitch: number;
  velocity: number;
}

/** One stroke of a drum. */
export interface Hit {
  drum: DrumName;
  beat: number;
  velocity: number;
}

/** The notes of one instrument, and its place. A wide part sounds from both sides. */
export interface Part {
  instrument: InstrumentName;
  placement: Placement;
  wide: boolean;
  notes: Note[];
}

/** A composed piece. */
export interface Score {
  tempo: number;
  swing: Swing;
  beats: number;
  parts: Part[];
  kit: KitName | null;
  drumGain: number;
  hits: Hit[];
}

/** Delays the second of each pair of equal steps to `ratio` of the pair, instead of a half. */
export interface Swing {
  /** The length of the pair in beats: 1 swings eighths, 0.5 sixteenths. */
  pair: number;
  ratio: number;
}

/** What all parts of a piece are based on. */
export interface Frame {
  key: Key;
  beatsPerBar: number;
  /** One chord per bar. The last one is the final chord, which is held. */
  chords: Chord[];
  random: SeededRandom;
}

/** Returns the swung position of a beat. */
export function swung(beat: number, { pair, ratio }: Swing): number {
  const start = Math.floor(beat / pair) * pair;
  const place = (beat - start) / pair;
  const moved = place < 0.5 ? place * 2 * ratio : ratio + (place - 0.5) * 2 * (1 - ratio);
  return start + moved * pair;
}
