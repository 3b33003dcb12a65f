import type { Waveform } from './peaks.ts';

const VERSION = 2;
const HEADER_BYTES = 24;
/** Flags of the header: 8 bits a sample. */
const IS_8_BIT = 1;

/** The waveform as JSON of BBC audiowaveform data, version 2. */
export function waveformJson({ sampleRate, samplesPerPixel, data }: Waveform): Uint8Array {
  const head = {
    version: VERSION,
    channels: 1,
    sample_rate: sampleRate,
    samples_per_pixel: samplesPerPixel,
    bits: 8,
    length: data.length / 2,
  };
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"data":[${data.join(',')}]}`);
}

/** The waveform as a .dat file of BBC audiowaveform data, version 2. Numbers are little-endian. */
export function waveformDat({ sampleRate, samplesPerPixel, data }: Waveform): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + data.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, VERSION, true);
  view.setUint32(4, IS_8_BIT, true);
  view.setInt32(8, sampleRate, true);
  view.setInt32(12, samplesPerPixel, true);
  view.setUint32(16, data.length / 2, true);
  view.setInt32(20, 1, true);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.length), HEADER_BYTES);
  return bytes;
}
