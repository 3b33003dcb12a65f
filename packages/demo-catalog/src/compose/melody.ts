import type { SeededRandom } from '../seeded-random.ts';
import { type Chord, isChordTone, nearestChordTone, pitchAt } from './harmony.ts';
import type { Frame, Note } from './score.ts';

/** How many notes a tune has. */
export type Density = 'sparse' | 'even' | 'busy';

const LENGTHS: Record<Density, readonly number[]> = {
  sparse: [1, 2, 2, 3],
  even: [0.5, 1, 1, 1.5, 2],
  busy: [0.5, 0.5, 0.5, 1, 1.5],
};

/**
 * The motif of one bar: its rhythm, and the interval of each note from the one before, in steps.
 */
interface Motif {
  lengths: number[];
  steps: number[];
}

/**
 * Returns a tune in phrases of four bars: a motif, a response, the motif over another chord, and a
 * close on a long note. Every third phrase has a second motif.
 *
 * @param center place in the scale around which the tune moves
 */
export function melody(
  frame: Frame,
  { center, density, plain }: { center: number; density: Density; plain: boolean },
): Note[] {
  const { random, beatsPerBar, chords } = frame;
  const ideas = [0, 1].map(() => [
    motif(beatsPerBar, density, random),
    motif(beatsPerBar, density, random),
  ]);
  const close = motif(beatsPerBar, 'sparse', random);
  const notes: Note[] = [];
  let place = center;
  for (const [bar, chord] of chords.entries()) {
    const phrase = Math.floor(bar / 4);
    const idea = ideas[phrase % 3 === 2 ? 1 : 0]!;
    const inPhrase = bar % 4;
    const closes = inPhrase === 3;
    const { lengths, steps } =
      bar === chords.length - 1
        ? { lengths: [beatsPerBar], steps: [0] }
        : closes
          ? closing(close, beatsPerBar)
          : idea[inPhrase === 1 ? 1 : 0]!;
    // Phrases rise to their third bar and return.
    const lift = [0, 1, 2, 0][inPhrase]!;
    let beat = bar * beatsPerBar;
    for (const [i, length] of lengths.entries()) {
      const drawn = i === 0 ? 0.5 * place + 0.5 * (center + lift) : place + steps[i]!;
      place = settle(Math.round(drawn), { center, chord, plain, strong: i === 0 || length >= 1.5 });
      const isLast = closes && i === lengths.length - 1;
      notes.push({
        beat,
        beats: isLast ? length * 0.8 : length * 0.94,
        pitch: pitchAt(frame.key, place),
        velocity: (i === 0 ? 0.92 : 0.78) + random.between(-0.06, 0.06),
      });
      beat += length;
    }
  }
  return notes;
}

/**
 * Keeps a note in the range, on the chord at accents, and in plain tunes without half-tone
 * dissonances.
 */
function settle(
  place: number,
  {
    center,
    chord,
    plain,
    strong,
  }: { center: number; chord: Chord; plain: boolean; strong: boolean },
): number {
  let settled = place;
  if (settled > center + 6) settled -= 5;
  if (settled < center - 5) settled += 5;
  if (strong) {
    return nearestChordTone(chord, settled);
  }
  const above = (((settled - chord.degree) % 7) + 7) % 7;
  const rubs = above === 3 || above === 6 || above === 5;
  return plain && rubs && !isChordTone(chord, settled) ? settled - 1 : settled;
}

function motif(beats: number, density: Density, random: SeededRandom): Motif {
  const lengths: number[] = [];
  let left = beats;
  while (left > 0) {
    const length = random.pick(LENGTHS[density]);
    if (length === 0.5 && left >= 1) {
      lengths.push(0.5, 0.5);
      left -= 1;
    } else if (length === 1.5 && left >= 2) {
      lengths.push(1.5, 0.5);
      left -= 2;
    } else if (Number.isInteger(length) && length <= left) {
      lengths.push(length);
      left -= length;
    } else if (left < 1) {
      lengths.push(left);
      left = 0;
    }
  }
  return { lengths, steps: lengths.map(() => random.pick([-2, -1, -1, 0, 1, 1, 2, 3, -3])) };
}

/** Returns the same motif with its last note held over the second half of the bar. */
function closing({ lengths, steps }: Motif, beats: number): Motif {
  const kept: number[] = [];
  let used = 0;
  for (const length of lengths) {
    if (used + length > beats / 2) break;
    kept.push(length);
    used += length;
  }
  return { lengths: [...kept, beats - used], steps: [...steps.slice(0, kept.length), -1] };
}
