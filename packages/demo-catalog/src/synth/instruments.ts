import { flute, layered, sustained, synthBass, vocal } from './held.ts';
import type { Instrument } from './instrument.ts';
import { ORGAN, PULSE, SAW, SINE, SQUARE, TRIANGLE } from './oscillators.ts';
import { barModes, electricPiano, piano, plucked, struck } from './ringing.ts';

/** All instruments by name. */
export const INSTRUMENTS = {
  piano,
  'electric piano': electricPiano,
  'music box': struck({ modes: barModes([1, 0.35, 0.16], [1, 3.99, 9.2], 0.5), ring: 1.6 }),
  vibraphone: struck({
    modes: barModes([1, 0.22, 0.05], [1, 4, 10.2], 0.8),
    ring: 2.4,
    tremolo: 5.2,
  }),
  marimba: struck({ modes: barModes([1, 0.3, 0.08], [1, 3.93, 9.6], 0.11), ring: 0.7 }),
  bell: struck({
    modes: barModes([0.6, 1, 0.5, 0.4, 0.25], [0.5, 1, 1.19, 2.01, 3.01], 0.9),
    ring: 3.5,
  }),
  guitar: plucked({ gain: 1.3, brightness: 0.62, halfLife: 0.55, ring: 1.2 }),
  harp: plucked({ gain: 1.8, brightness: 0.45, halfLife: 0.8, ring: 2 }),
  'upright bass': plucked({ gain: 1, brightness: 0.3, halfLife: 0.5, ring: 0.25 }),
  organ: sustained({ tables: ORGAN, gain: 0.6, attack: 0.02, release: 0.12, vibrato: 0.06 }),
  flute,
  pad: layered({ gain: 0.22, cutoff: 1500, attack: 0.9, release: 1.6, spread: 0.09 }),
  strings: layered({ gain: 0.32, cutoff: 3200, attack: 0.28, release: 0.7, spread: 0.06 }),
  brass: layered({ gain: 0.3, cutoff: 2200, attack: 0.09, release: 0.25, spread: 0.04 }),
  choir: vocal({ vowel: 'a', attack: 0.25, release: 0.5, voices: 2 }),
  voice: vocal({ vowel: 'o', attack: 0.07, release: 0.25, voices: 1 }),
  'synth bass': synthBass(SAW, 900),
  'soft bass': synthBass(TRIANGLE, 500),
  'sub bass': synthBass(SINE, 300),
  lead: sustained({
    tables: SAW,
    gain: 0.62,
    attack: 0.015,
    release: 0.2,
    vibrato: 0.18,
    cutoff: 3600,
  }),
  'square lead': sustained({
    tables: SQUARE,
    gain: 0.36,
    attack: 0.004,
    release: 0.05,
    vibrato: 0.12,
  }),
  'pulse lead': sustained({
    tables: PULSE,
    gain: 0.48,
    attack: 0.004,
    release: 0.05,
    vibrato: 0.1,
  }),
  'chip bass': sustained({
    tables: TRIANGLE,
    gain: 0.56,
    attack: 0.003,
    release: 0.03,
    vibrato: 0,
  }),
  stab: layered({ gain: 0.24, cutoff: 2600, attack: 0.004, release: 0.18, spread: 0.1 }),
} as const satisfies Record<string, Instrument>;

export type InstrumentName = keyof typeof INSTRUMENTS;
