import { addReverb } from './reverb.ts';
import { frames, type Sound, type StereoSound } from './sound.ts';

/** The place and level of a sound. */
export interface Placement {
  gain: number;
  /** From -1 (left) to 1 (right). */
  pan: number;
  /** The levels sent to the reverb and to the echo, from 0 to 1. */
  reverb: number;
  echo: number;
}

/** Mixes sounds in stereo at their places, with one reverb and one echo. */
export class Stage {
  readonly #left: Sound;
  readonly #right: Sound;
  readonly #toRoom: Sound;
  readonly #toEcho: Sound;

  constructor(seconds: number) {
    const length = frames(seconds);
    this.#left = new Float32Array(length);
    this.#right = new Float32Array(length);
    this.#toRoom = new Float32Array(length);
    this.#toEcho = new Float32Array(length);
  }

  /** Adds a sound. Cuts what exceeds the end. Panning keeps the power equal. */
  add(sound: Sound, atSeconds: number, { gain, pan, reverb, echo }: Placement): void {
    const at = Math.max(0, frames(atSeconds));
    const angle = ((pan + 1) * Math.PI) / 4;
    const leftGain = gain * Math.cos(angle);
    const rightGain = gain * Math.sin(angle);
    const roomGain = gain * reverb;
    const [left, right, toRoom] = [this.#left, this.#right, this.#toRoom];
    const length = Math.min(sound.length, left.length - at);
    for (let i = 0; i < length; i++) {
      const value = sound[i]!;
      left[at + i]! += leftGain * value;
      right[at + i]! += rightGain * value;
      toRoom[at + i]! += roomGain * value;
    }
    if (echo > 0) {
      const toEcho = this.#toEcho;
      for (let i = 0; i < length; i++) {
        toEcho[at + i]! += gain * echo * sound[i]!;
      }
    }
  }

  /**
   * Returns the mix with reverb and echo. The echo's time is in seconds, the size of the room from
   * 0 to 1.
   */
  finish({ echoSeconds, roomSize }: { echoSeconds: number; roomSize: number }): StereoSound {
    this.#addEcho(echoSeconds);
    addReverb(this.#toRoom, this.#left, this.#right, roomSize);
    return { left: this.#left, right: this.#right };
  }

  /**
   * Adds a ping-pong echo: two delays feed each other, so each repeat comes from the other side,
   * with fewer high frequencies.
   */
  #addEcho(seconds: number): void {
    const length = Math.max(1, frames(seconds));
    const [leftLine, rightLine] = [new Float32Array(length), new Float32Array(length)];
    let dullLeft = 0;
    let dullRight = 0;
    let at = 0;
    for (let i = 0; i < this.#toEcho.length; i++) {
      dullLeft += 0.45 * (leftLine[at]! - dullLeft);
      dullRight += 0.45 * (rightLine[at]! - dullRight);
      leftLine[at] = 0.6 * this.#toEcho[i]! + 0.5 * dullRight + 1e-18;
      rightLine[at] = 0.55 * dullLeft + 1e-18;
      this.#left[i]! += 0.8 * dullLeft + 0.25 * dullRight;
      this.#right[i]! += 0.8 * dullRight + 0.25 * dullLeft;
      this.#toRoom[i]! += 0.2 * (dullLeft + dullRight);
      at = at + 1 === length ? 0 : at + 1;
    }
  }
}
