import type { Sound } from './sound.ts';

/**
 * Plays one note: `gateSeconds` is how long the key is held, and what rings on after it is part of
 * the sound returned. `take` tells repeated voices of one note apart, for width. At full velocity
 * the loudest notes of every instrument lie near 0.5.
 */
export type Instrument = (pitch: number, gateSeconds: number, take: number) => Sound;
