import { seededRandom } from '../../kernel/seeded-random.ts';
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

/** What a part does. `centre` is the MIDI pitch (in tunes: the place in the scale) about which it moves. */
export type Role =
  | { does: 'hold'; centre: number }
  | { does: 'strike'; centre: number; pattern: BarPattern; strumBeats?: number }
  | { does: 'break'; centre: number; pattern: BarPattern; ring?: number }
  | { does: 'bass'; pattern: BarPattern; octave?: number }
  | { does: 'tune'; centre: number; density: Density; plain?: boolean };

/** One part of a style. Bars outside `enters` to `leaves` are silent; the final chord has everyone who entered. */
export interface PartPlan extends Partial<Placement> {
  instrument: InstrumentName;
  role: Role;
  wide?: boolean;
  enters?: number;
  /** Bars before the end; 0 where absent. */
  leaves?: number;
}

/** How a kind of music is made, whatever its key, tempo and length. */
export interface Style {
  /** Degrees of a bar each, 1 being the tonic; a piece picks one and repeats it. */
  progressions: readonly (readonly number[])[];
  /** Tones of a chord: 3 to 5. */
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
  /** Echo time in beats. */
  echoBeats: number;
  /** 0 to 1. */
  roomSize: number;
  /** Decibels below full scale. */
  loudness: number;
}

/** What tells two pieces of one style apart. */
export interface Piece {
  seed: string;
  style: Style;
  key: Key;
  /** Beats a minute. */
  tempo: number;
  beatsPerBar: number;
  bars: number;
}

/** Writes a piece out. Equal pieces give equal scores. */
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
      return [...arpeggio(frame, role), ...finalChord(frame, role.centre)];
    case 'bass':
      return bassLine(frame, role);
    case 'tune':
      return melody(frame, { ...role, plain: role.plain ?? true });
  }
}

/** A broken chord ends with all of its voices, one after the other and held. */
function finalChord(frame: Frame, centre: number): Note[] {
  const bar = frame.chords.length - 1;
  return voiceChord(frame.key, frame.chords[bar]!, centre, []).map((pitch, voice) => ({
    beat: bar * frame.beatsPerBar + voice * 0.12,
    beats: frame.beatsPerBar,
    pitch,
    velocity: 0.6,
  }));
}
