import { type AudioBlock, checkFormat, RenditionProblem } from './audio-block.ts';
import { type ByteSource, viewOf } from './byte-source.ts';

/** How samples are stored in a file without compression: interleaved, each in whole bytes. */
export interface PcmFormat {
  sampleRate: number;
  channels: number;
  /** Unsigned samples have their zero in the middle. A sample of fewer bits is in the highest bits. */
  kind: 'signed' | 'unsigned' | 'float';
  bytesPerSample: number;
  isLittleEndian: boolean;
}

const BLOCK_BYTES = 128 * 1024;
/** The greatest number of 32 bits (IEEE 754). A greater one would become infinite, and the mean of channels no number. */
const MAX_FLOAT32 = (2 - 2 ** -23) * 2 ** 127;

/**
 * Decodes at most `byteCount` bytes, fewer if the source ends before. Omits an incomplete frame at the
 * end. Throws a RenditionProblem if the format is not supported.
 */
export async function* readPcm(
  source: ByteSource,
  format: PcmFormat,
  byteCount: number,
): AsyncGenerator<AudioBlock> {
  const { sampleRate, channels: count, bytesPerSample } = format;
  checkFormat(sampleRate, count);
  const readSample = sampleReader(format);
  const frameBytes = count * bytesPerSample;
  const framesPerBlock = Math.max(1, Math.floor(BLOCK_BYTES / frameBytes));
  for (let left = byteCount; left >= frameBytes; left -= framesPerBlock * frameBytes) {
    const wanted = Math.min(framesPerBlock, Math.floor(left / frameBytes)) * frameBytes;
    const bytes = await source.read(wanted);
    const frames = Math.floor(bytes.length / frameBytes);
    if (frames === 0) {
      return;
    }
    const view = viewOf(bytes);
    const channels = Array.from({ length: count }, (_, channel) => {
      const samples = new Float32Array(frames);
      for (let i = 0, at = channel * bytesPerSample; i < frames; i++, at += frameBytes) {
        samples[i] = readSample(view, at);
      }
      return samples;
    });
    yield { sampleRate, channels };
    if (bytes.length < wanted) {
      return;
    }
  }
}

type SampleReader = (view: DataView, at: number) => number;

function sampleReader({ kind, bytesPerSample, isLittleEndian: le }: PcmFormat): SampleReader {
  const readers: Readonly<Record<string, SampleReader>> = {
    unsigned1: (view, at) => (view.getUint8(at) - 128) / 128,
    signed1: (view, at) => view.getInt8(at) / 128,
    signed2: (view, at) => view.getInt16(at, le) / 0x8000,
    signed3: le
      ? (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 0x800000
      : (view, at) => ((view.getInt8(at) << 16) | view.getUint16(at + 1)) / 0x800000,
    // The highest 24 bits, which is what a float can hold. Rounding could move a sample to the next bin value.
    signed4: (view, at) => (view.getInt32(at, le) >> 8) / 0x800000,
    float4: (view, at) => finite(view.getFloat32(at, le)),
    float8: (view, at) => finite(view.getFloat64(at, le)),
  };
  const reader = readers[`${kind}${bytesPerSample}`];
  if (reader === undefined) {
    throw new RenditionProblem(`samples of ${bytesPerSample} bytes (${kind}) are not supported`);
  }
  return reader;
}

/** Silence for what is not a number. A number that a block cannot hold becomes the nearest one that it can. */
function finite(sample: number): number {
  return Number.isFinite(sample) ? Math.max(-MAX_FLOAT32, Math.min(MAX_FLOAT32, sample)) : 0;
}
