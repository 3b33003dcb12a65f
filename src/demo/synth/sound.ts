/** Frames a second of everything the demo renders: up to 16 kHz is heard, at half the bytes of a studio's rate. */
export const SAMPLE_RATE = 32_000;

/** A stretch of one channel, between about -1 and 1. */
export type Sound = Float32Array<ArrayBuffer>;

/** Two channels of equal length. */
export interface StereoSound {
  left: Sound;
  right: Sound;
}

/** Silence of so many seconds. */
export function silence(seconds: number): Sound {
  return new Float32Array(frames(seconds));
}

/** The nearest whole number of frames. */
export function frames(seconds: number): number {
  return Math.round(seconds * SAMPLE_RATE);
}

/** Frequency in Hz of a MIDI note number; 69 is A at 440 Hz. Fractions lie in between. */
export function frequencyOf(pitch: number): number {
  return 440 * 2 ** ((pitch - 69) / 12);
}
