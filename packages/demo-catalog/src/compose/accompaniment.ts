import { pitchAt, voiceChord } from './harmony.ts';
import type { Frame, Note } from './score.ts';

/**
 * A bar as text, in which each character is an equal step. In chord patterns `x` strikes (`X`
 * harder), in arpeggios a digit is the number of the voice from below, in bass lines `1` `3` `5`
 * `8` are tones of the chord and `a` is a step toward the next root. `-` holds, and `.` is silent.
 * Several bars alternate.
 */
export type BarPattern = string | readonly string[];

/** Small loudspeakers do not play lower notes than this (55 Hz). */
const LOWEST_BASS = 33;

interface Step {
  symbol: string;
  beat: number;
  beats: number;
}

/** Returns held chords, one per bar, with one note per voice. */
export function sustainedChords(frame: Frame, { center }: { center: number }): Note[] {
  return chordVoicings(frame, center).flatMap((voices, bar) =>
    voices.map((pitch) => ({
      beat: bar * frame.beatsPerBar,
      beats: frame.beatsPerBar,
      pitch,
      velocity: 0.8,
    })),
  );
}

/** Returns chords struck in a rhythm. `strumBeats` is the delay between their voices. */
export function rhythmicChords(
  frame: Frame,
  { center, pattern, strumBeats = 0 }: { center: number; pattern: BarPattern; strumBeats?: number },
): Note[] {
  const voicings = chordVoicings(frame, center);
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

/**
 * Returns chords as arpeggios. A digit above the highest voice means that voice an octave higher.
 */
export function arpeggio(
  frame: Frame,
  { center, pattern, ring = 1 }: { center: number; pattern: BarPattern; ring?: number },
): Note[] {
  const voicings = chordVoicings(frame, center);
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

/** Returns the bass line. `octave` 0 is about two octaves below middle C. */
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

/**
 * Places roots between the fourth below the tonic and the third above, so that the line does not
 * leap.
 */
function bassPlace(degree: number): number {
  return degree > 3 ? degree - 7 : degree;
}

function chordVoicings(frame: Frame, center: number): number[][] {
  let before: number[] = [];
  return frame.chords.map((chord) => {
    before = voiceChord(frame.key, chord, center, before);
    return before;
  });
}

/** Writes each step of each bar except the last, whose chord is held. */
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

/** Returns the steps of a bar that sound, with their held durations. */
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
