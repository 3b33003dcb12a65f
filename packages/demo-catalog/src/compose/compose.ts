import { seededRandom } from '../seeded-random.ts';
import type { KitName } from '../synth/drums.ts';
import type { InstrumentName } from '../synth/instruments.ts';
import type { Placement } from '../synth/stage.ts';
import {
  arpeggio,
  type BarPattern,
  bassLine,
  rhythmicChords,
  sustainedChords,
} from './accompaniment.ts';
import { type Chord, type Key, voiceChord } from './harmony.ts';
import { type Density, melody } from './melody.ts';
import { type DrumPattern, percussion } from './percussion.ts';
import type { Frame, Note, Part, Score, Swing } from './score.ts';

/**
 * What a part plays. `center` is the MIDI pitch around which it moves; in tunes, the place in the
 * scale.
 */
type Role =
  | { does: 'hold'; center: number }
  | { does: 'strike'; center: number; pattern: BarPattern; strumBeats?: number }
  | { does: 'break'; center: number; pattern: BarPattern; ring?: number }
  | { does: 'bass'; pattern: BarPattern; octave?: number }
  | { does: 'tune'; center: number; density: Density; plain?: boolean };

/**
 * One part of a style. Bars outside `enters` to `leaves` are silent. Every part that has entered
 * plays the final chord.
 */
interface PartPlan extends Partial<Placement> {
  instrument: InstrumentName;
  role: Role;
  wide?: boolean;
  enters?: number;
  /** Bars before the end; 0 if absent. */
  leaves?: number;
}

/** How to make one kind of music in any key, tempo and length. */
export interface Style {
  /**
   * Progressions with one degree per bar, of which 1 is the tonic. A piece picks one and repeats
   * it.
   */
  progressions: readonly (readonly number[])[];
  /** The number of tones of a chord: 3 to 5. */
  chordTones: number;
  swing?: Swing;
  parts: readonly PartPlan[];
  drums?: {
    kit: KitName;
    patterns: readonly DrumPattern[];
    gain: number;
    enters?: number;
    fills?: boolean;
  };
  echoBeats: number;
  /** From 0 to 1. */
  roomSize: number;
}

/** What distinguishes two pieces of one style. */
export interface Piece {
  seed: string;
  style: Style;
  key: Key;
  /** Beats per minute. */
  tempo: number;
  beatsPerBar: number;
  bars: number;
}

/** Composes a piece. Equal pieces give equal scores. */
export function compose({ seed, style, key, tempo, beatsPerBar, bars }: Piece): Score {
  const random = seededRandom(seed);
  const progression = random.pick(style.progressions);
  const chords: Chord[] = Array.from({ length: bars }, (_, bar) => ({
    degree: bar === bars - 1 ? 0 : progression[bar % progression.length]! - 1,
    tones: style.chordTones,
  }));
  const frame: Frame = { key, beatsPerBar, chords, random };
  const { drums } = style;
  return {
    tempo,
    swing: style.swing ?? { pair: 1, ratio: 0.5 },
    beats: bars * beatsPerBar,
    parts: style.parts.map((plan) => writePart(frame, plan)),
    kit: drums?.kit ?? null,
    drumGain: drums?.gain ?? 0,
    hits:
      drums === undefined
        ? []
        : percussion(frame, {
            patterns: drums.patterns,
            enters: Math.min(drums.enters ?? 0, bars - 2),
            fills: drums.fills ?? false,
          }),
  };
}

function writePart(frame: Frame, plan: PartPlan): Part {
  const { beatsPerBar, chords } = frame;
  const lastBarAt = (chords.length - 1) * beatsPerBar;
  const from = Math.min(plan.enters ?? 0, Math.floor(chords.length / 3)) * beatsPerBar;
  const until = lastBarAt - (plan.leaves ?? 0) * beatsPerBar;
  return {
    instrument: plan.instrument,
    placement: {
      gain: plan.gain ?? 0.5,
      pan: plan.pan ?? 0,
      reverb: plan.reverb ?? 0.2,
      echo: plan.echo ?? 0,
    },
    wide: plan.wide ?? false,
    notes: notesOf(frame, plan.role).filter(
      ({ beat }) => beat >= from - 0.01 && (beat < until || beat >= lastBarAt),
    ),
  };
}

function notesOf(frame: Frame, role: Role): Note[] {
  switch (role.does) {
    case 'hold':
      return sustainedChords(frame, role);
    case 'strike':
      return rhythmicChords(frame, role);
    case 'break':
      return [...arpeggio(frame, role), ...finalChord(frame, role.center)];
    case 'bass':
      return bassLine(frame, role);
    case 'tune':
      return melody(frame, { ...role, plain: role.plain ?? true });
  }
}

/** An arpeggio ends with all voices of the chord, one after the other, and holds them. */
function finalChord(frame: Frame, center: number): Note[] {
  const bar = frame.chords.length - 1;
  return voiceChord(frame.key, frame.chords[bar]!, center, []).map((pitch, voice) => ({
    beat: bar * frame.beatsPerBar + voice * 0.12,
    beats: frame.beatsPerBar,
    pitch,
    velocity: 0.6,
  }));
}
