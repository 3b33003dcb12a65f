import type { SeededRandom } from '../../kernel/seeded-random.ts';
import type { DrumName, KitName } from '../synth/drums.ts';
import type { InstrumentName } from '../synth/instruments.ts';
import type { Placement } from '../synth/stage.ts';
import type { Chord, Key } from './harmony.ts';

/** One note; times in beats from the beginning, velocity 0 to 1. */
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

/** What one instrument plays, and where it stands. A wide one is heard from both sides at once. */
export interface Part {
  instrument: InstrumentName;
  placement: Placement;
  wide: boolean;
  notes: Note[];
}

/** A piece written out. */
export interface Score {
  tempo: number;
  swing: Swing;
  beats: number;
  parts: Part[];
  kit: KitName | null;
  drumGain: number;
  hits: Hit[];
}

/** The second of each pair of equal steps comes late: at `ratio` of the pair instead of a half. */
export interface Swing {
  /** Length of the pair in beats: 1 swings eighths, a half sixteenths. */
  pair: number;
  ratio: number;
}

/** What every part of a piece is written over. */
export interface Frame {
  key: Key;
  beatsPerBar: number;
  /** One a bar; the last is the final chord, which is held. */
  chords: Chord[];
  random: SeededRandom;
}

/** Where a beat of the page falls when it is swung. */
export function swung(beat: number, { pair, ratio }: Swing): number {
  const start = Math.floor(beat / pair) * pair;
  const place = (beat - start) / pair;
  const moved = place < 0.5 ? place * 2 * ratio : ratio + (place - 0.5) * 2 * (1 - ratio);
  return start + moved * pair;
}
