import { createMp3Encoder } from 'wasm-media-encoders';
import { waveformDat } from '../../src/features/renditions/rendition-files.ts';

/** An MP3 file of silence: 44.1 kHz, mono, 128 kbit/s, without a LAME tag. */
export async function mp3(seconds: number): Promise<Buffer> {
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate: 44_100, channels: 1, bitrate: 128 });
  const parts: Buffer[] = [];
  const second = new Float32Array(44_100);
  for (let left = seconds; left > 0; left--) {
    const samples = second.subarray(0, Math.round(44_100 * Math.min(1, left)));
    parts.push(Buffer.from(encoder.encode([samples])));
  }
  parts.push(Buffer.from(encoder.finalize()));
  return Buffer.concat(parts);
}

/** A waveform of made-up numbers, for audio of that length. */
export function waveformOf(
  seconds: number,
  {
    sampleRate = 8_000,
    samplesPerPixel = 512,
  }: { sampleRate?: number; samplesPerPixel?: number } = {},
) {
  const length = Math.ceil((seconds * sampleRate) / samplesPerPixel);
  const data = Int8Array.from({ length: 2 * length }, (_, i) => (i % 2 === 0 ? -1 : 1) * (i % 100));
  return { sampleRate, samplesPerPixel, data };
}

/** The members of a waveform as a JSON file has them. */
export function waveformMembers(waveform: ReturnType<typeof waveformOf>) {
  const { sampleRate, samplesPerPixel, data } = waveform;
  return {
    version: 2 as unknown,
    channels: 1 as unknown,
    sample_rate: sampleRate as unknown,
    samples_per_pixel: samplesPerPixel as unknown,
    bits: 8 as unknown,
    length: (data.length / 2) as unknown,
    data: [...data] as unknown,
  };
}

/** The .dat file of version 1: the header has no channels. */
export function waveformDatOfVersion1(waveform: ReturnType<typeof waveformOf>): Buffer {
  const bytes = Buffer.from(waveformDat(waveform));
  bytes.writeInt32LE(1, 0);
  return Buffer.concat([bytes.subarray(0, 20), bytes.subarray(24)]);
}
