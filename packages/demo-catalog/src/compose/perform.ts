import { seededRandom } from '../seeded-random.ts';
import { KITS, renderKit } from '../synth/drums.ts';
import { INSTRUMENTS } from '../synth/instruments.ts';
import { level, master } from '../synth/master.ts';
import type { Sound, StereoSound } from '../synth/sound.ts';
import { type Placement, Stage } from '../synth/stage.ts';
import { compose, type Piece } from './compose.ts';
import { swung } from './score.ts';
import { stemKindOf } from './stem-kinds.ts';

/** How long the reverb and the last chord sound after the last bar. */
const TAIL_SECONDS = 2.5;

/** Returns the duration of a piece in seconds, with its tail. */
function pieceSeconds({ bars, beatsPerBar, tempo }: Piece): number {
  return (bars * beatsPerBar * 60) / tempo + TAIL_SECONDS;
}

/**
 * Composes a piece, plays it, mixes it and masters it. Takes about 100 ms for half a minute of
 * music.
 */
export function perform(piece: Piece): StereoSound {
  const stage = new Stage(pieceSeconds(piece));
  play(piece, () => stage);
  const mix = stage.finish(roomOf(piece));
  master(mix, FADES);
  return mix;
}

/**
 * Composes a piece, and plays and mixes each of its stems. Returns them by their kind. They have the
 * length of the piece and one level, and are not mastered: their sum is the mix before the limiter.
 */
export function performStems(piece: Piece): Map<string, StereoSound> {
  const stages = new Map<string, Stage>();
  play(piece, (kind) => {
    const stage = stages.get(kind) ?? new Stage(pieceSeconds(piece));
    stages.set(kind, stage);
    return stage;
  });
  const stems = new Map(
    [...stages].map(([kind, stage]) => [kind, stage.finish(roomOf(piece))] as const),
  );
  level([...stems.values()], FADES);
  return stems;
}

const FADES = { fadeInSeconds: 0.01, fadeOutSeconds: TAIL_SECONDS };

function roomOf({ style, tempo }: Piece) {
  return { echoSeconds: (style.echoBeats * 60) / tempo, roomSize: style.roomSize };
}

/** Composes a piece, and plays each part on the stage of its stem. */
function play(piece: Piece, stageOf: (kind: string) => Stage): void {
  const score = compose(piece);
  const random = seededRandom(`${piece.seed}/performance`);
  const secondsPerBeat = 60 / score.tempo;
  const at = (beat: number) =>
    Math.max(0, swung(beat, score.swing) * secondsPerBeat + random.between(-0.004, 0.004));

  for (const part of score.parts) {
    const sounding = rememberedInstrument(part.instrument);
    const stage = stageOf(stemKindOf(part.instrument));
    for (const note of part.notes) {
      const start = at(note.beat);
      const gain = part.placement.gain * note.velocity;
      const held = note.beats * secondsPerBeat;
      for (const { take, placement } of takes(part.wide, part.placement)) {
        stage.add(sounding(note.pitch, held, take), start, { ...placement, gain });
      }
    }
  }

  if (score.kit !== null) {
    const kit = renderKit(KITS[score.kit]);
    const stage = stageOf('drums');
    for (const { drum, beat, velocity } of score.hits) {
      const { pan, reverb } = DRUM_PLACES[drum];
      const gain = score.drumGain * velocity;
      stage.add(kit[drum], at(beat), { gain, pan, reverb, echo: 0 });
    }
  }
}

/** The places of the drums as heard by a listener in front of the kit. */
const DRUM_PLACES = {
  kick: { pan: 0, reverb: 0.02 },
  snare: { pan: 0.06, reverb: 0.14 },
  clap: { pan: -0.06, reverb: 0.18 },
  rim: { pan: 0.25, reverb: 0.15 },
  hat: { pan: -0.3, reverb: 0.04 },
  'open hat': { pan: -0.3, reverb: 0.06 },
  shaker: { pan: 0.42, reverb: 0.08 },
  ride: { pan: 0.35, reverb: 0.08 },
  tom: { pan: 0.2, reverb: 0.14 },
  crash: { pan: -0.2, reverb: 0.15 },
} as const;

/** Returns the placements of one note: one, or for a wide part two takes on both sides. */
function takes(wide: boolean, placement: Placement): { take: number; placement: Placement }[] {
  return wide
    ? [
        { take: 0, placement: { ...placement, pan: Math.max(-1, placement.pan - 0.75) } },
        { take: 1, placement: { ...placement, pan: Math.min(1, placement.pan + 0.75) } },
      ]
    : [{ take: 0, placement }];
}

/** Renders each note of an instrument once per duration, because pieces repeat their notes. */
function rememberedInstrument(name: keyof typeof INSTRUMENTS) {
  const played = new Map<string, Sound>();
  return (pitch: number, seconds: number, take: number): Sound => {
    const id = `${pitch}/${Math.round(seconds * 1000)}/${take}`;
    let sound = played.get(id);
    if (sound === undefined) {
      sound = INSTRUMENTS[name](pitch, seconds, take);
      played.set(id, sound);
    }
    return sound;
  };
}
