import { pitchAt, voiceChord } from './harmony.ts';
import type { Frame, Note } from './score.ts';

/**
 * A bar as text, each character an equal step: in chord patterns `x` strikes (`X` harder), in
 * arpeggios a digit names the voice from below, in bass lines `1` `3` `5` `8` a tone of the chord and
 * `a` a step towards the next root; everywhere `-` holds on and `.` is silent. Several bars take turns.
 */
export type BarPattern = string | readonly string[];

/** Lower than this (55 Hz), small loudspeakers are silent. */
const LOWEST_BASS = 33;

interface Step {
  symbol: string;
  beat: number;
  beats: number;
}

/** Held chords, one a bar, each voice of its own. */
export function sustainedChords(frame: Frame, { centre }: { centre: number }): Note[] {
  return chordVoicings(frame, centre).flatMap((voices, bar) =>
    voices.map((pitch) => ({
      beat: bar * frame.beatsPerBar,
      beats: frame.beatsPerBar,
      pitch,
      velocity: 0.8,
    })),
  );
}

/** Chords struck in a rhythm; `strumBeats` is how far apart their voices come. */
export function rhythmicChords(
  frame: Frame,
  { centre, pattern, strumBeats = 0 }: { centre: number; pattern: BarPattern; strumBeats?: number },
): Note[] {
  const voicings = chordVoicings(frame, centre);
  return perBar(frame, pattern, (bar, { symbol, beat, beats }, index) => {
    const voices = voicings[bar]!;
    const downwards = index % 2 === 0;
    return voices.map((pitch, voice) => ({
      beat: beat + strumBeats * (downwards ? voice : voices.length - 1 - voice),
      beats,
      pitch,
      velocity: (symbol === 'X' ? 0.95 : 0.72) + frame.random.between(-0.06, 0.06),
    }));
  });
}

/** Chords broken into single notes; a digit past the highest voice means that voice an octave up. */
export function arpeggio(
  frame: Frame,
  { centre, pattern, ring = 1 }: { centre: number; pattern: BarPattern; ring?: number },
): Note[] {
  const voicings = chordVoicings(frame, centre);
  return perBar(frame, pattern, (bar, { symbol, beat, beats }, index) => {
    const voices = voicings[bar]!;
    const voice = Number(symbol);
    const pitch = voices[voice % voices.length]! + 12 * Math.floor(voice / voices.length);
    const accent = index === 0 ? 0.12 : 0;
    return [
      {
        beat,
        beats: beats * ring,
        pitch,
        velocity: 0.7 + accent + frame.random.between(-0.07, 0.07),
      },
    ];
  });
}

/** The lowest line. `octave` 0 is about two octaves under middle C. */
export function bassLine(
  frame: Frame,
  { octave = 0, pattern }: { octave?: number; pattern: BarPattern },
): Note[] {
  const places: Record<string, number> = { '1': 0, '3': 2, '5': 4, '7': 6, '8': 7 };
  return perBar(frame, pattern, (bar, { symbol, beat, beats }, index) => {
    const root = bassPlace(frame.chords[bar]!.degree);
    const next = bassPlace((frame.chords[bar + 1] ?? frame.chords[bar]!).degree);
    const place = symbol === 'a' ? next + (next > root ? -1 : 1) : root + (places[symbol] ?? 0);
    const velocity = (index === 0 ? 0.95 : 0.8) + frame.random.between(-0.05, 0.05);
    const low = pitchAt(frame.key, place - 14) + 12 * octave;
    return [{ beat, beats, pitch: low < LOWEST_BASS ? low + 12 : low, velocity }];
  });
}

/** Roots lie between the fourth below the tonic and the third above, so that the line does not leap. */
function bassPlace(degree: number): number {
  return degree > 3 ? degree - 7 : degree;
}

function chordVoicings(frame: Frame, centre: number): number[][] {
  let before: number[] = [];
  return frame.chords.map((chord) => {
    before = voiceChord(frame.key, chord, centre, before);
    return before;
  });
}

/** Writes each step of each bar but the last, whose chord everyone holds. */
function perBar(
  frame: Frame,
  pattern: BarPattern,
  write: (bar: number, step: Step, index: number) => Note[],
): Note[] {
  const patterns = typeof pattern === 'string' ? [pattern] : pattern;
  const lastBar = frame.chords.length - 1;
  return frame.chords.flatMap((_, bar) => {
    const steps =
      bar === lastBar
        ? [{ symbol: finalSymbol(patterns[0]!), beat: 0, beats: frame.beatsPerBar }]
        : stepsOf(patterns[bar % patterns.length]!, frame.beatsPerBar);
    const start = bar * frame.beatsPerBar;
    return steps.flatMap((step, i) => write(bar, { ...step, beat: start + step.beat }, i));
  });
}

function finalSymbol(pattern: string): string {
  return [...pattern].find((symbol) => symbol !== '.' && symbol !== '-') ?? 'x';
}

/** The steps of a bar that sound; each lasts as long as it is held. */
export function stepsOf(pattern: string, beatsPerBar: number): Step[] {
  const stepBeats = beatsPerBar / pattern.length;
  const steps: Step[] = [];
  for (const [i, symbol] of [...pattern].entries()) {
    if (symbol === '-') {
      const held = steps.at(-1);
      if (held !== undefined) held.beats += stepBeats;
    } else if (symbol !== '.') {
      steps.push({ symbol, beat: i * stepBeats, beats: stepBeats });
    }
  }
  return steps;
}
