import { seededRandom } from '../seeded-random.ts';
import { applyAdsr } from './envelopes.ts';
import { lowPass } from './filters.ts';
import type { Instrument } from './instrument.ts';
import { addNoise, addWave, REED, SAW, SINE, TRIANGLE, type WaveTables } from './oscillators.ts';
import { frames, frequencyOf, type Sound } from './sound.ts';
import { addVowel } from './voice.ts';

/** One waveform with a vibrato in semitones, for as long as the key is held. */
export function sustained({
  tables,
  gain,
  attack,
  release,
  vibrato,
  cutoff,
}: {
  tables: WaveTables;
  gain: number;
  attack: number;
  release: number;
  vibrato: number;
  cutoff?: number;
}): Instrument {
  return (pitch, gateSeconds) => {
    const out = new Float32Array(frames(gateSeconds + release));
    const swing = { hertz: 5.3, semitones: vibrato, afterSeconds: 0.18 };
    addWave(out, tables, { frequency: frequencyOf(pitch), gain, vibrato: swing });
    if (cutoff !== undefined) {
      lowPass(out, (second) => cutoff * (0.55 + 0.45 * Math.exp(-second * 4)), 0.35);
    }
    applyAdsr(out, frames(gateSeconds), { attack, decay: 0.3, sustain: 0.8, release });
    return out;
  };
}

/** Two slightly detuned voices under a low-pass. Sounds wide if it is heard from both sides. */
export function layered({
  gain,
  cutoff,
  attack,
  release,
  spread,
}: {
  gain: number;
  cutoff: number;
  attack: number;
  release: number;
  spread: number;
}): Instrument {
  return (pitch, gateSeconds, take) => {
    const random = seededRandom(`${pitch}/${take}`);
    const out = new Float32Array(frames(gateSeconds + release));
    for (const side of [-1, 1]) {
      const detuned = pitch + spread * (side + 0.4 * take - 0.2);
      addWave(out, SAW, { frequency: frequencyOf(detuned), gain, phase: random.next() });
    }
    const slow = random.between(0.12, 0.3);
    lowPass(
      out,
      (second) => cutoff * (1 + 0.25 * Math.sin(2 * Math.PI * slow * second + take)),
      0.15,
    );
    applyAdsr(out, frames(gateSeconds), { attack, decay: 0.6, sustain: 0.85, release });
    return out;
  };
}

/** A soft tone with breath noise. */
export function flute(pitch: number, gateSeconds: number): Sound {
  const out = new Float32Array(frames(gateSeconds + 0.15));
  const breath = new Float32Array(out.length);
  addNoise(breath, 0.22, pitch);
  lowPass(breath, frequencyOf(pitch) * 2.5, 0.6);
  const vibrato = { hertz: 4.9, semitones: 0.16, afterSeconds: 0.25 };
  addWave(out, TRIANGLE, { frequency: frequencyOf(pitch), gain: 0.6, vibrato });
  addWave(out, SINE, { frequency: frequencyOf(pitch + 12), gain: 0.11, vibrato });
  for (let i = 0; i < out.length; i++) {
    out[i]! += breath[i]! * 0.5;
  }
  applyAdsr(out, frames(gateSeconds), { attack: 0.06, decay: 0.3, sustain: 0.85, release: 0.14 });
  return out;
}

/** Singers on one vowel. */
export function vocal({
  vowel,
  attack,
  release,
  voices,
}: {
  vowel: 'a' | 'o';
  attack: number;
  release: number;
  voices: number;
}): Instrument {
  return (pitch, gateSeconds, take) => {
    const out = new Float32Array(frames(gateSeconds + release));
    const random = seededRandom(`${pitch}/${take}/${vowel}`);
    for (let voice = 0; voice < voices; voice++) {
      addWave(out, REED, {
        frequency: frequencyOf(pitch + random.between(-0.08, 0.08) * (voices - 1)),
        gain: 0.5 / voices,
        phase: random.next(),
        vibrato: { hertz: random.between(4.6, 5.6), semitones: 0.24, afterSeconds: 0.2 },
      });
    }
    addVowel(out, vowel);
    applyAdsr(out, frames(gateSeconds), { attack, decay: 0.4, sustain: 0.88, release });
    return out;
  };
}

/** A waveform and its fundamental, under a filter that closes. */
export function synthBass(tables: WaveTables, cutoff: number): Instrument {
  return (pitch, gateSeconds) => {
    const out = new Float32Array(frames(gateSeconds + 0.09));
    const frequency = frequencyOf(pitch);
    addWave(out, tables, { frequency, gain: 0.32 });
    addWave(out, SINE, { frequency, gain: 0.3 });
    lowPass(out, (second) => cutoff * (0.45 + 1.1 * Math.exp(-second * 9)), 0.4);
    applyAdsr(out, frames(gateSeconds), {
      attack: 0.004,
      decay: 0.5,
      sustain: 0.75,
      release: 0.08,
    });
    return out;
  };
}
