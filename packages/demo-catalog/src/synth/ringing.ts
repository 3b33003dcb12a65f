import { applyAdsr, decay, shape } from './envelopes.ts';
import { lowPass } from './filters.ts';
import type { Instrument } from './instrument.ts';
import { addNoise } from './oscillators.ts';
import { addModes, addPluck, type Mode } from './resonators.ts';
import { frames, frequencyOf, type Sound } from './sound.ts';

/** Struck strings, with slightly sharp partials, of which the high ones decay quickly. */
export function piano(pitch: number, gateSeconds: number): Sound {
  const frequency = frequencyOf(pitch);
  const out = new Float32Array(frames(gateSeconds + 0.35));
  const ringing = 1.5 * 2 ** ((60 - pitch) / 22);
  const modes: Mode[] = Array.from({ length: 9 }, (_, i) => {
    const n = i + 1;
    return {
      ratio: n * Math.sqrt(1 + 0.0004 * n * n),
      gain: 0.4 * 0.52 ** i * (n === 7 ? 0.3 : 1),
      halfLife: ringing / (1 + 0.8 * i + 0.2 * i * i),
    };
  });
  addModes(out, frequency, modes);
  // The second string of the pair is slightly detuned, which gives slow beating.
  addModes(
    out,
    frequency * 1.0009,
    modes.slice(0, 3).map((mode) => ({ ...mode, gain: mode.gain * 0.5 })),
  );
  const hammer = new Float32Array(frames(0.03));
  addNoise(hammer, 0.12, pitch);
  lowPass(hammer, 1800);
  decay(hammer, 0.004);
  for (let i = 0; i < Math.min(hammer.length, out.length); i++) {
    out[i]! += hammer[i]!;
  }
  applyAdsr(out, frames(gateSeconds), { attack: 0.002, decay: 1, sustain: 1, release: 0.3 });
  return out;
}

/** Two-operator FM: a bell-like attack over a warm tone. */
export function electricPiano(pitch: number, gateSeconds: number): Sound {
  const frequency = frequencyOf(pitch);
  const out = new Float32Array(frames(gateSeconds + 0.3));
  addModes(out, frequency, [
    { ratio: 1, gain: 0.34, halfLife: 1.1 },
    { ratio: 2, gain: 0.1, halfLife: 0.5 },
    { ratio: 3, gain: 0.045, halfLife: 0.3 },
    { ratio: 4.02, gain: 0.03, halfLife: 0.2 },
    { ratio: 14.1, gain: 0.035, halfLife: 0.06 },
  ]);
  applyAdsr(out, frames(gateSeconds), { attack: 0.003, decay: 1, sustain: 1, release: 0.25 });
  shape(out, (second) => 1 + 0.12 * Math.sin(2 * Math.PI * 4.6 * second));
  return out;
}

/**
 * Returns the modes of a bar or bell: gain and ratio of each, and the half-life of the first. The
 * others decay faster.
 */
export function barModes(gains: number[], ratios: number[], halfLife: number): Mode[] {
  return ratios.map((ratio, i) => ({
    ratio,
    gain: 0.42 * gains[i]!,
    halfLife: halfLife / (1 + i * 1.4),
  }));
}

/** An instrument whose notes last as long for any duration of the key. */
export function struck({
  modes,
  ring,
  tremolo,
}: {
  modes: Mode[];
  ring: number;
  tremolo?: number;
}): Instrument {
  return (pitch) => {
    const out = new Float32Array(frames(ring));
    const shorter = 2 ** ((72 - pitch) / 30);
    addModes(
      out,
      frequencyOf(pitch),
      modes.map((mode) => ({ ...mode, halfLife: mode.halfLife * shorter })),
    );
    if (tremolo !== undefined) {
      shape(out, (second) => 1 + 0.25 * Math.sin(2 * Math.PI * tremolo * second));
    }
    applyAdsr(out, out.length, { attack: 0.001, decay: 1, sustain: 1, release: 0.1 });
    return out;
  };
}

/** A plucked string, which rings on after the key is released. */
export function plucked(string: {
  gain: number;
  brightness: number;
  halfLife: number;
  ring: number;
}): Instrument {
  return (pitch, gateSeconds, take) => {
    const out = new Float32Array(frames(gateSeconds + string.ring));
    addPluck(out, {
      frequency: frequencyOf(pitch),
      brightness: string.brightness,
      halfLife: string.halfLife * 2 ** ((60 - pitch) / 24),
      gain: string.gain,
      seed: pitch * 31 + take,
    });
    applyAdsr(out, frames(gateSeconds), {
      attack: 0.001,
      decay: 1,
      sustain: 1,
      release: string.ring,
    });
    return out;
  };
}
