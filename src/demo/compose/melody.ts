import type { SeededRandom } from '../../kernel/seeded-random.ts';
import { type Chord, isChordTone, nearestChordTone, pitchAt } from './harmony.ts';
import type { Frame, Note } from './score.ts';

/** How much happens in a tune. */
export type Density = 'sparse' | 'even' | 'busy';

const LENGTHS: Record<Density, readonly number[]> = {
  sparse: [1, 2, 2, 3],
  even: [0.5, 1, 1, 1.5, 2],
  busy: [0.5, 0.5, 0.5, 1, 1.5],
};

/** The idea of one bar: its rhythm, and how far each note lies from the one before, in steps. */
interface Motif {
  lengths: number[];
  steps: number[];
}

/**
 * A tune in phrases of four bars, built as tunes are: an idea, an answer, the idea again over
 * another chord, and a close on a long note; every third phrase brings a second idea.
 * @param centre place in the scale about which it moves
 */
export function melody(
  frame: Frame,
  { centre, density, plain }: { centre: number; density: Density; plain: boolean },
): Note[] {
  const { random, beatsPerBar, chords } = frame;
  const ideas = [0, 1].map(() => [
    motif(beatsPerBar, density, random),
    motif(beatsPerBar, density, random),
  ]);
  const close = motif(beatsPerBar, 'sparse', random);
  const notes: Note[] = [];
  let place = centre;
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
    // Phrases rise to their third bar and come home.
    const lift = [0, 1, 2, 0][inPhrase]!;
    let beat = bar * beatsPerBar;
    for (const [i, length] of lengths.entries()) {
      const drawn = i === 0 ? 0.5 * place + 0.5 * (centre + lift) : place + steps[i]!;
      place = settle(Math.round(drawn), { centre, chord, plain, strong: i === 0 || length >= 1.5 });
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

/** Keeps to the range, to the chord where it matters, and in plain tunes out of the half-tone rubs. */
function settle(
  place: number,
  {
    centre,
    chord,
    plain,
    strong,
  }: { centre: number; chord: Chord; plain: boolean; strong: boolean },
): number {
  let settled = place;
  if (settled > centre + 6) settled -= 5;
  if (settled < centre - 5) settled += 5;
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

/** The same idea with its end drawn out over the second half of the bar. */
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
