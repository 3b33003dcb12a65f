import type { Sound } from './sound.ts';

/** Delays in frames without a common factor, so that no pitch dominates. */
const COMB_FRAMES = [809, 863, 929, 983, 1033, 1087];
const ALL_PASS_FRAMES = [403, 321, 247];
/** How much longer the delays of the right side are, for width. */
const RIGHT_EXTRA = 17;

/**
 * Adds reverb to both sides (Schroeder's combs and all-passes with Moorer's damping).
 *
 * @param roomSize 0 for a closet, 1 for a cathedral
 */
export function addReverb(source: Sound, left: Sound, right: Sound, roomSize: number): void {
  const feedback = 0.72 + 0.23 * roomSize;
  addSide(source, left, feedback, 0);
  addSide(source, right, feedback, RIGHT_EXTRA);
}

function addSide(source: Sound, out: Sound, feedback: number, extra: number): void {
  const wet = new Float32Array(source.length);
  for (const frames of COMB_FRAMES) {
    addComb(source, wet, frames + extra, feedback);
  }
  for (const frames of ALL_PASS_FRAMES) {
    allPass(wet, frames + extra);
  }
  for (let i = 0; i < out.length; i++) {
    out[i]! += wet[i]!;
  }
}

function addComb(source: Sound, out: Sound, length: number, feedback: number): void {
  const line = new Float32Array(length);
  let damped = 0;
  let at = 0;
  for (let i = 0; i < source.length; i++) {
    const delayed = line[at]!;
    damped = delayed * 0.68 + damped * 0.32;
    // The tiny constant avoids denormal numbers, which are slow.
    line[at] = source[i]! * 0.28 + damped * feedback + 1e-18;
    out[i]! += delayed;
    at = at + 1 === length ? 0 : at + 1;
  }
}

function allPass(sound: Sound, length: number): void {
  const line = new Float32Array(length);
  let at = 0;
  for (let i = 0; i < sound.length; i++) {
    const delayed = line[at]!;
    const input = sound[i]! + delayed * 0.5;
    line[at] = input;
    sound[i] = delayed - input * 0.5;
    at = at + 1 === length ? 0 : at + 1;
  }
}
