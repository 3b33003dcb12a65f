import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { decay, fade, shape } from '../synth/envelopes.ts';
import { bandPass, highPass, lowPass } from '../synth/filters.ts';
import { addNoise, addWave, PULSE, SINE, SQUARE } from '../synth/oscillators.ts';
import { addModes } from '../synth/resonators.ts';
import { SAMPLE_RATE, type Sound, silence } from '../synth/sound.ts';
import type { Stage } from '../synth/stage.ts';

/** Adds a sound effect to an empty stage of its duration. */
export type Recipe = (stage: Stage, seconds: number, random: SeededRandom) => void;

const DRY = { gain: 1, pan: 0, reverb: 0, echo: 0 };

/** A rush of air from left to right. */
export function whoosh(stage: Stage, seconds: number): void {
  const passing = (second: number) => Math.sin((Math.PI * second) / seconds);
  // Two copies, left and right, that rise and fall one after the other.
  for (const [side, seed] of [
    [-1, 3],
    [1, 3],
  ] as const) {
    const air = noise(seconds, 0.9, seed);
    bandPass(air, (second) => 250 + 3200 * passing(second) ** 2, 0.55);
    const peak = seconds * (0.5 + 0.14 * side);
    shape(air, (second) => Math.exp(-(((second - peak) / (seconds * 0.17)) ** 2)));
    stage.add(air, 0, { ...DRY, pan: side * 0.8, reverb: 0.15 });
  }
}

/** A button, pressed and released. */
export function click(stage: Stage): void {
  const button = silence(0.2);
  addModes(button, 1900, [
    { ratio: 1, gain: 0.6, halfLife: 0.006 },
    { ratio: 2.3, gain: 0.3, halfLife: 0.004 },
    { ratio: 0.31, gain: 0.5, halfLife: 0.012 },
  ]);
  stage.add(button, 0.02, { ...DRY, reverb: 0.05 });
  stage.add(button, 0.11, { ...DRY, gain: 0.35, reverb: 0.05 });
}

/** Rain on a roof, with single drops in front. */
export function rain(stage: Stage, seconds: number, random: SeededRandom): void {
  for (const side of [-1, 1]) {
    const shower = noise(seconds, 0.2, 17 + side);
    highPass(shower, 900);
    lowPass(shower, 7000);
    stage.add(shower, 0, { ...DRY, pan: side * 0.9 });
    const roof = noise(seconds, 0.5, 29 + side);
    lowPass(roof, 320);
    stage.add(roof, 0, { ...DRY, pan: side * 0.7 });
  }
  const drops = [900, 1300, 1850, 2400].map((hertz) => {
    const drop = silence(0.06);
    addModes(drop, hertz, [{ ratio: 1, gain: 0.5, halfLife: 0.006 }]);
    return drop;
  });
  for (let drop = 0; drop < seconds * 45; drop++) {
    stage.add(random.pick(drops), random.between(0, seconds), {
      gain: random.between(0.05, 0.4) ** 1.5,
      pan: random.between(-0.9, 0.9),
      reverb: 0.2,
      echo: 0,
    });
  }
}

/** Wind around a house, in gusts. */
export function wind(stage: Stage, seconds: number): void {
  for (const [side, slow] of [
    [-1, 0.31],
    [1, 0.23],
  ] as const) {
    const gust = (second: number) =>
      0.55 +
      0.3 * Math.sin(2 * Math.PI * slow * second + side) +
      0.15 * Math.sin(2 * Math.PI * slow * 2.7 * second);
    const howl = noise(seconds, 0.9, 5 + side);
    bandPass(howl, (second) => 260 + 620 * gust(second), 0.82);
    shape(howl, (second) => 0.25 + gust(second));
    stage.add(howl, 0, { ...DRY, pan: side * 0.7, reverb: 0.25 });
    const air = noise(seconds, 0.25, 9 + side);
    lowPass(air, 500);
    stage.add(air, 0, { ...DRY, pan: side * 0.9 });
  }
}

/** Two notes of an old video game. */
export function coin(stage: Stage): void {
  for (const [hertz, at, seconds] of [
    [988, 0, 0.08],
    [1319, 0.08, 0.55],
  ] as const) {
    const note = silence(seconds);
    addWave(note, PULSE, { frequency: hertz, gain: 0.4 });
    decay(note, seconds * 0.22, 0.002);
    fade(note, 0.001, 0.01);
    stage.add(note, at, { ...DRY, reverb: 0.06 });
  }
}

/** Three knocks on a wooden door. */
export function knock(stage: Stage, _seconds: number, random: SeededRandom): void {
  for (const at of [0.05, 0.3, 0.55]) {
    const wood = silence(0.3);
    addModes(wood, random.between(118, 126), [
      { ratio: 1, gain: 0.8, halfLife: 0.02 },
      { ratio: 2.6, gain: 0.5, halfLife: 0.014 },
      { ratio: 5.1, gain: 0.3, halfLife: 0.008 },
      { ratio: 9.7, gain: 0.12, halfLife: 0.004 },
    ]);
    const knuckle = noise(0.02, 0.4, Math.round(at * 100));
    decay(knuckle, 0.003);
    stage.add(wood, at, { ...DRY, pan: 0.1, reverb: 0.22 });
    stage.add(knuckle, at, { ...DRY, pan: 0.1, reverb: 0.1 });
  }
}

/** An alarm clock: three beeps, repeated. */
export function alarm(stage: Stage, seconds: number): void {
  for (let at = 0; at + 0.6 <= seconds; at += 0.6) {
    for (const beep of [0, 0.12, 0.24]) {
      const tone = silence(0.08);
      addWave(tone, SQUARE, { frequency: 2048, gain: 0.3 });
      addWave(tone, SINE, { frequency: 1024, gain: 0.2 });
      fade(tone, 0.003, 0.003);
      stage.add(tone, at + beep, { ...DRY, reverb: 0.04 });
    }
  }
}

/** A near stroke of lightning, and the rolling after it. */
export function thunder(stage: Stage, seconds: number, random: SeededRandom): void {
  for (let roll = 0; roll < 9; roll++) {
    const at = roll === 0 ? 0.15 : random.between(0.2, seconds * 0.55);
    const length = Math.min(seconds - at, random.between(1.5, 3.5));
    const rumble = noise(length, roll === 0 ? 1.4 : random.between(0.5, 1.1), 100 + roll);
    const corner = roll === 0 ? 1400 : random.between(110, 380);
    lowPass(rumble, (second) => 60 + corner * Math.exp(-second * 2.2), 0.2);
    shape(rumble, (second) => Math.min(1, second / 0.06) * Math.exp((-2.6 * second) / length));
    fade(rumble, 0.005, 0.3);
    stage.add(rumble, at, { ...DRY, pan: random.between(-0.6, 0.6), reverb: 0.35 });
  }
}

/** Steps on gravel, left and right. */
export function footsteps(stage: Stage, seconds: number, random: SeededRandom): void {
  for (let step = 0; step * 0.52 + 0.45 < seconds; step++) {
    const at = 0.1 + step * 0.52 + random.between(-0.02, 0.02);
    const side = step % 2 === 0 ? -0.25 : 0.25;
    for (let grain = 0; grain < 34; grain++) {
      const stone = noise(0.03, random.between(0.15, 0.6), step * 50 + grain);
      bandPass(stone, random.between(1200, 5200), 0.5);
      decay(stone, random.between(0.002, 0.006));
      const late = random.next() ** 1.6 * 0.22;
      stage.add(stone, at + late, { ...DRY, pan: side + random.between(-0.2, 0.2), reverb: 0.08 });
    }
    const heel = silence(0.15);
    addModes(heel, 85, [{ ratio: 1, gain: 0.6, halfLife: 0.018 }]);
    stage.add(heel, at, { ...DRY, pan: side, reverb: 0.05 });
  }
}

/** A heart at about seventy beats per minute. */
export function heartbeat(stage: Stage, seconds: number): void {
  for (let at = 0.1; at + 0.6 < seconds; at += 0.86) {
    for (const [late, hertz, gain] of [
      [0, 52, 1],
      [0.27, 62, 0.7],
    ] as const) {
      const thump = silence(0.35);
      addModes(thump, hertz, [
        { ratio: 1, gain, halfLife: 0.04 },
        { ratio: 1.9, gain: gain * 0.35, halfLife: 0.025 },
      ]);
      fade(thump, 0.012, 0.05);
      stage.add(thump, at + late, { ...DRY, reverb: 0.08 });
    }
  }
}

/** A shot from an old video game. */
export function laser(stage: Stage, seconds: number): void {
  const beam = silence(seconds * 0.8);
  let phase = 0;
  for (let i = 0; i < beam.length; i++) {
    phase += (180 + 3400 * Math.exp((-6 * i) / beam.length)) / SAMPLE_RATE;
    beam[i] = 0.5 * Math.sin(2 * Math.PI * phase) + 0.2 * Math.sin(6 * Math.PI * phase);
  }
  fade(beam, 0.002, seconds * 0.4);
  stage.add(beam, 0, { ...DRY, pan: 0.15, reverb: 0.12, echo: 0.3 });
}

/** A page of a book is turned. */
export function pageTurn(stage: Stage, seconds: number, random: SeededRandom): void {
  const sweep = noise(seconds * 0.8, 0.6, 61);
  bandPass(sweep, (second) => 1800 + 3400 * (second / seconds), 0.3);
  shape(sweep, (second) => Math.sin(Math.PI * Math.min(1, second / (seconds * 0.8))) ** 2);
  stage.add(sweep, 0.04, { ...DRY, pan: 0.2, reverb: 0.08 });
  for (let crackle = 0; crackle < 46; crackle++) {
    const fiber = noise(0.012, random.between(0.1, 0.6), 200 + crackle);
    highPass(fiber, 2500);
    decay(fiber, 0.0015);
    const at = 0.06 + random.next() * seconds * 0.65;
    stage.add(fiber, at, { ...DRY, pan: random.between(-0.3, 0.5), reverb: 0.05 });
  }
}

function noise(seconds: number, gain: number, seed: number): Sound {
  const sound = silence(seconds);
  addNoise(sound, gain, Math.round(seededRandom(`noise ${seed}`).next() * 2 ** 31));
  return sound;
}
