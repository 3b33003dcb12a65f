import { bandPass } from './filters.ts';
import type { Sound } from './sound.ts';

/**
 * The center in Hz, gain and sharpness of the resonances of each vowel (after Peterson and Barney).
 */
const FORMANTS = {
  a: [
    { hertz: 780, gain: 1.6, sharpness: 0.82 },
    { hertz: 1180, gain: 1.1, sharpness: 0.86 },
    { hertz: 2800, gain: 0.55, sharpness: 0.9 },
  ],
  o: [
    { hertz: 470, gain: 1.6, sharpness: 0.8 },
    { hertz: 840, gain: 1.2, sharpness: 0.86 },
    { hertz: 2650, gain: 0.35, sharpness: 0.9 },
  ],
} as const;

/** A vowel that can be sung. */
export type Vowel = keyof typeof FORMANTS;

/** Turns a buzzing tone into a sung vowel, in place. Keeps a little of the tone itself. */
export function addVowel(sound: Sound, vowel: Vowel): void {
  const source = sound.slice();
  for (let i = 0; i < sound.length; i++) {
    sound[i]! *= 0.18;
  }
  for (const { hertz, gain, sharpness } of FORMANTS[vowel]) {
    const formant = source.slice();
    bandPass(formant, hertz, sharpness);
    for (let i = 0; i < sound.length; i++) {
      sound[i]! += gain * formant[i]!;
    }
  }
}
