import { SAMPLE_RATE, type Sound } from './sound.ts';

/** One mode in which a struck body vibrates. */
export interface Mode {
  /** The frequency relative to that of the note. */
  ratio: number;
  gain: number;
  /** Seconds until the amplitude has halved. */
  halfLife: number;
}

/**
 * Adds the sound of a struck bar, string or bell: each mode is a decaying sine, computed as a
 * two-pole recursion, which takes about a nanosecond per sample.
 */
export function addModes(out: Sound, frequency: number, modes: readonly Mode[]): void {
  for (const { ratio, gain, halfLife } of modes) {
    const hertz = frequency * ratio;
    if (hertz > SAMPLE_RATE * 0.45) {
      continue;
    }
    const radius = 2 ** (-1 / (halfLife * SAMPLE_RATE));
    const angle = (2 * Math.PI * hertz) / SAMPLE_RATE;
    const a1 = 2 * radius * Math.cos(angle);
    const a2 = -radius * radius;
    let y2 = 0;
    let y1 = gain * radius * Math.sin(angle);
    // Below a hundred-thousandth nothing is audible, and denormal numbers are slow.
    const heard = Math.min(out.length, Math.ceil(halfLife * 17 * SAMPLE_RATE));
    for (let i = 1; i < heard; i++) {
      out[i]! += y1;
      const y = a1 * y1 + a2 * y2;
      y2 = y1;
      y1 = y;
    }
  }
}

/**
 * Adds a plucked string (Karplus and Strong, tuned by an all-pass filter after Jaffe and Smith).
 * `brightness` from 0 to 1 sets how long high frequencies last, `halfLife` in seconds how long the
 * string sounds.
 */
export function addPluck(
  out: Sound,
  {
    frequency,
    brightness,
    halfLife,
    gain,
    seed,
  }: { frequency: number; brightness: number; halfLife: number; gain: number; seed: number },
): void {
  const damping = 0.5 - 0.5 * brightness;
  const period = SAMPLE_RATE / frequency - damping;
  const length = Math.floor(period - 0.2);
  const remainder = period - length;
  const allPass = (1 - remainder) / (1 + remainder);
  const line = excitation(length, brightness, seed);
  const keep = 2 ** (-1 / (halfLife * frequency));
  let at = 0;
  let before = 0;
  let allPassIn = 0;
  let allPassOut = 0;
  for (let i = 0; i < out.length; i++) {
    const now = line[at]!;
    out[i]! += gain * now;
    const damped = keep * ((1 - damping) * now + damping * before);
    before = now;
    allPassOut = allPass * (damped - allPassOut) + allPassIn;
    allPassIn = damped;
    line[at] = allPassOut;
    at = at + 1 === length ? 0 : at + 1;
  }
}

/** Returns smoothed noise, as if a finger plucked the string at a fifth of its length. */
function excitation(length: number, brightness: number, seed: number): Float64Array {
  let state = seed | 0 || 1;
  let smooth = 0;
  const noise = Float64Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    smooth += (0.15 + 0.85 * brightness) * (state / 0x80000000 - smooth);
    return smooth;
  });
  const struck = Math.max(1, Math.round(length * 0.21));
  const line = noise.map((value, i) => value - 0.7 * noise[(i + length - struck) % length]!);
  const mean = line.reduce((sum, value) => sum + value, 0) / length;
  const power = Math.sqrt(line.reduce((sum, value) => sum + (value - mean) ** 2, 0) / length) || 1;
  return line.map((value) => (0.4 * (value - mean)) / power);
}
