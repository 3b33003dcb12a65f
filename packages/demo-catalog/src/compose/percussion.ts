import type { DrumName } from '../synth/drums.ts';
import type { Frame, Hit } from './score.ts';

/** A bar for each drum as text of equal steps: `X` loud, `x` normal, `o` soft, `.` silent. */
export type DrumPattern = Readonly<Partial<Record<DrumName, string>>>;

const VELOCITIES: Readonly<Record<string, number>> = { X: 1, x: 0.78, o: 0.4 };

/**
 * Returns strokes for the bars from `enters` to the last but one, with a fill before each fifth
 * bar, and a single stroke under the final chord. Several patterns alternate.
 */
export function percussion(
  frame: Frame,
  { patterns, enters, fills }: { patterns: readonly DrumPattern[]; enters: number; fills: boolean },
): Hit[] {
  const { beatsPerBar, random, chords } = frame;
  const hits: Hit[] = [];
  const lastBar = chords.length - 1;
  for (let bar = enters; bar < lastBar; bar++) {
    const start = bar * beatsPerBar;
    const fill = fills && (bar % 4 === 3 || bar === lastBar - 1);
    for (const [drum, steps] of Object.entries(patterns[bar % patterns.length]!)) {
      const stepBeats = beatsPerBar / steps.length;
      for (const [i, symbol] of [...steps].entries()) {
        const velocity = VELOCITIES[symbol];
        const givesWay = fill && drum !== 'kick' && i * stepBeats >= beatsPerBar - 1;
        if (velocity !== undefined && !givesWay) {
          hits.push({
            drum: drum as DrumName,
            beat: start + i * stepBeats,
            velocity: velocity * random.between(0.88, 1),
          });
        }
      }
    }
    if (fill) {
      for (const [i, drum] of (['snare', 'snare', 'tom', 'tom'] as const).entries()) {
        hits.push({ drum, beat: start + beatsPerBar - 1 + i / 4, velocity: 0.45 + 0.12 * i });
      }
    }
    if (fills && bar > enters && bar % 8 === 0) {
      hits.push({ drum: 'crash', beat: start, velocity: 0.5 });
    }
  }
  if (fills) {
    hits.push({ drum: 'crash', beat: lastBar * beatsPerBar, velocity: 0.6 });
  }
  if (patterns.some((pattern) => pattern.kick !== undefined)) {
    hits.push({ drum: 'kick', beat: lastBar * beatsPerBar, velocity: 0.9 });
  }
  return hits;
}
