import { decay, shape } from './envelopes.ts';
import { bandPass, highPass, lowPass } from './filters.ts';
import { addNoise, addWave, SQUARE } from './oscillators.ts';
import { addModes } from './resonators.ts';
import { SAMPLE_RATE, type Sound, silence } from './sound.ts';

/** The drums of a kit. */
export type DrumName =
  | 'kick'
  | 'snare'
  | 'clap'
  | 'rim'
  | 'hat'
  | 'open hat'
  | 'shaker'
  | 'ride'
  | 'tom'
  | 'crash';

export interface KitCharacter {
  /** The final frequency of the kick in Hz. */
  kickHertz: number;
  kickSeconds: number;
  snareHertz: number;
  /** The half-life of the snare's noise in seconds. */
  snareRattle: number;
  /** The cutoff of the low-pass over all drums, in Hz. */
  brightness: number;
}

export const KITS = {
  acoustic: {
    kickHertz: 52,
    kickSeconds: 0.3,
    snareHertz: 190,
    snareRattle: 0.05,
    brightness: 14_000,
  },
  electronic: {
    kickHertz: 46,
    kickSeconds: 0.42,
    snareHertz: 175,
    snareRattle: 0.07,
    brightness: 15_000,
  },
  dusty: { kickHertz: 50, kickSeconds: 0.3, snareHertz: 205, snareRattle: 0.045, brightness: 5200 },
  deep: { kickHertz: 38, kickSeconds: 0.8, snareHertz: 160, snareRattle: 0.06, brightness: 13_000 },
  chip: { kickHertz: 60, kickSeconds: 0.14, snareHertz: 240, snareRattle: 0.03, brightness: 9000 },
  soft: { kickHertz: 48, kickSeconds: 0.26, snareHertz: 200, snareRattle: 0.09, brightness: 7500 },
} as const satisfies Record<string, KitCharacter>;

export type KitName = keyof typeof KITS;
/** The sound of one stroke of each drum. */
export type Kit = Readonly<Record<DrumName, Sound>>;

/** Renders each drum once. A pattern adds copies. */
export function renderKit(character: KitCharacter): Kit {
  const kit: Record<DrumName, Sound> = {
    kick: kick(character),
    snare: snare(character),
    clap: clap(),
    rim: rim(),
    hat: cymbal(0.16, 0.018, 7000),
    'open hat': cymbal(0.6, 0.09, 6500),
    shaker: shaker(),
    ride: ride(),
    tom: tom(),
    crash: cymbal(2.2, 0.4, 4200),
  };
  for (const drum of Object.values(kit)) {
    lowPass(drum, character.brightness, 0);
  }
  return kit;
}

function kick({ kickHertz, kickSeconds }: KitCharacter): Sound {
  const out = silence(kickSeconds);
  let phase = 0;
  for (let i = 0; i < out.length; i++) {
    const second = i / SAMPLE_RATE;
    phase += (kickHertz * (1 + 3.6 * Math.exp(-second * 42))) / SAMPLE_RATE;
    out[i] = 0.95 * Math.sin(2 * Math.PI * phase);
  }
  shape(out, (second) => Math.max(0, 1 - second / kickSeconds) ** 1.6);
  const click = silence(0.012);
  addNoise(click, 0.25, 7);
  decay(click, 0.0025);
  return layer(out, click);
}

function snare({ snareHertz, snareRattle }: KitCharacter): Sound {
  const out = silence(0.35);
  addNoise(out, 0.75, 11);
  highPass(out, 1400);
  decay(out, snareRattle);
  const body = silence(0.2);
  addModes(body, snareHertz, [
    { ratio: 1, gain: 0.5, halfLife: 0.035 },
    { ratio: 1.72, gain: 0.25, halfLife: 0.025 },
  ]);
  return layer(out, body);
}

/** Several slightly delayed claps. */
function clap(): Sound {
  const out = silence(0.3);
  for (const [i, at] of [0, 0.011, 0.021, 0.031].entries()) {
    const hand = silence(0.25);
    addNoise(hand, 0.55, 23 + i);
    decay(hand, i === 3 ? 0.045 : 0.004);
    layer(out, hand, at);
  }
  bandPass(out, 1500, 0.4);
  return out;
}

function rim(): Sound {
  const out = silence(0.12);
  addModes(out, 1720, [
    { ratio: 1, gain: 0.4, halfLife: 0.008 },
    { ratio: 0.27, gain: 0.3, halfLife: 0.012 },
  ]);
  return out;
}

/** Noise and square waves of unrelated frequencies. */
function cymbal(seconds: number, halfLife: number, corner: number): Sound {
  const out = silence(seconds);
  addNoise(out, 0.4, 31);
  for (const frequency of [2051, 3047, 3699, 4253, 5391]) {
    addWave(out, SQUARE, { frequency, gain: 0.05 });
  }
  highPass(out, corner, 0.2);
  decay(out, halfLife);
  return out;
}

function shaker(): Sound {
  const out = silence(0.14);
  addNoise(out, 0.4, 41);
  bandPass(out, 6200, 0.35);
  shape(out, (second) => Math.sin(Math.PI * Math.min(1, second / 0.13)) ** 2);
  return out;
}

function ride(): Sound {
  const out = cymbal(1.1, 0.16, 6800);
  for (let i = 0; i < out.length; i++) {
    out[i]! *= 0.4;
  }
  addModes(out, 3150, [
    { ratio: 1, gain: 0.06, halfLife: 0.2 },
    { ratio: 1.47, gain: 0.05, halfLife: 0.16 },
    { ratio: 2.09, gain: 0.04, halfLife: 0.12 },
  ]);
  return out;
}

function tom(): Sound {
  const out = silence(0.6);
  addModes(out, 96, [
    { ratio: 1, gain: 0.7, halfLife: 0.09 },
    { ratio: 1.5, gain: 0.3, halfLife: 0.06 },
    { ratio: 1.98, gain: 0.15, halfLife: 0.04 },
  ]);
  return out;
}

function layer(under: Sound, over: Sound, atSeconds = 0): Sound {
  const at = Math.round(atSeconds * SAMPLE_RATE);
  const length = Math.min(over.length, under.length - at);
  for (let i = 0; i < length; i++) {
    under[at + i]! += over[i]!;
  }
  return under;
}
