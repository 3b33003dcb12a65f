import { SAMPLE_RATE, type StereoSound } from './sound.ts';

const HEADER_BYTES = 44;
const BYTES_A_FRAME = 4;

/**
 * Encodes a stereo sound as a WAV file of 16-bit PCM. Dither reduces the distortion of quiet parts.
 */
export function encodeWav({ left, right }: StereoSound): Buffer {
  const dataBytes = left.length * BYTES_A_FRAME;
  const file = Buffer.alloc(HEADER_BYTES + dataBytes);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(2, 22);
  file.writeUInt32LE(SAMPLE_RATE, 24);
  file.writeUInt32LE(SAMPLE_RATE * BYTES_A_FRAME, 28);
  file.writeUInt16LE(BYTES_A_FRAME, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(dataBytes, 40);

  const samples = new Int16Array(file.buffer, file.byteOffset + HEADER_BYTES, left.length * 2);
  let state = 1;
  for (let i = 0; i < left.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    const dither = state / 0x100000000;
    samples[2 * i] = toSample(left[i]!, dither);
    samples[2 * i + 1] = toSample(right[i]!, -dither);
  }
  return file;
}

/** Returns the duration in seconds of a file that `encodeWav` made. */
export function secondsOf(wav: Buffer): number {
  return (wav.length - HEADER_BYTES) / BYTES_A_FRAME / SAMPLE_RATE;
}

function toSample(value: number, dither: number): number {
  return Math.max(-32768, Math.min(32767, Math.round(value * 32767 + dither)));
}
