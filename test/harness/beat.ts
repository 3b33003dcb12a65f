import { wavFile } from '../../src/features/renditions/audio-files.test-support.ts';

const SAMPLE_RATE = 44_100;
const SECONDS = 12;

/** A WAV file with clicks at a tempo, twelve seconds long. */
export function beat(bpm: number): Buffer {
  const samples = Float32Array.from({ length: SECONDS * SAMPLE_RATE }, (_, i) => {
    const beats = (i * bpm) / 60 / SAMPLE_RATE;
    return beats % 1 < 0.02 ? Math.sin((2 * Math.PI * 1_000 * i) / SAMPLE_RATE) / 2 : 0;
  });
  return wavFile([samples]);
}
