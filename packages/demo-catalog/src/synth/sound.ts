/** Frames per second of all sounds: enough for frequencies up to 16 kHz. */
export const SAMPLE_RATE = 32_000;

/** Samples of one channel, between about -1 and 1. */
export type Sound = Float32Array<ArrayBuffer>;

/** Two channels of equal length. */
export interface StereoSound {
  left: Sound;
  right: Sound;
}

/** Returns silence of this duration. */
export function silence(seconds: number): Sound {
  return new Float32Array(frames(seconds));
}

/** Returns the nearest whole number of frames. */
export function frames(seconds: number): number {
  return Math.round(seconds * SAMPLE_RATE);
}

/**
 * Returns the frequency in Hz of a MIDI note number, which may be a fraction; 69 is A at 440 Hz.
 */
export function frequencyOf(pitch: number): number {
  return 440 * 2 ** ((pitch - 69) / 12);
}
