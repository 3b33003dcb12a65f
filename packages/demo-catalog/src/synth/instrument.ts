import type { Sound } from './sound.ts';

/**
 * Plays one note. The sound includes what rings on after the key is held for `gateSeconds`. `take`
 * distinguishes repetitions of one note for width. The loudest notes of every instrument reach
 * about 0.5.
 */
export type Instrument = (pitch: number, gateSeconds: number, take: number) => Sound;
