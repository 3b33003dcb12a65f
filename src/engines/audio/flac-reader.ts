import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { type AudioBlock, RenditionProblem } from './audio-block.ts';
import { type FileSource, viewOf } from './byte-source.ts';
import {
  crc8,
  crc16,
  FlacFrames,
  flacFrameAt,
  HEADER_BYTES,
  type StreamInfo,
  streamInfo,
} from './flac-frames.ts';

/** Codes of a frame header: for the bits of a sample, and for 44.1 kHz. */
const SAMPLE_SIZE_CODES: Readonly<Record<number, number>> = { 8: 1, 16: 4, 24: 6, 32: 7 };
const SOME_RATE_CODE = 9;

/** The sizes of a sample in bits that the decoder scales correctly. */
export const DECODED_SIZES: readonly number[] = [8, 16, 24, 32];

/**
 * Decodes frame by frame. Needs the header of the file only if frames refer to it, so errors in metadata do not matter.
 * Skips bytes that belong to no intact frame. `readOtherwise` decodes a file with samples of an unusual size. Throws a
 * RenditionProblem.
 */
export async function* readFlac(
  source: FileSource,
  readOtherwise: () => AsyncIterable<AudioBlock>,
): AsyncGenerator<AudioBlock> {
  const start = source.position;
  const info = streamInfo(await source.read(HEADER_BYTES));
  source.position = start;
  const decoder = new FLACDecoder();
  await decoder.ready;
  try {
    for await (const frame of new FlacFrames(source.pieces(256 * 1024))) {
      const { samples, sampleRate, bitsPerSample } = complete(frame, info);
      if (!DECODED_SIZES.includes(bitsPerSample)) {
        yield* readOtherwise();
        return;
      }
      const { channelData, samplesDecoded } = await decoder.decodeFrames([frame]);
      if (samplesDecoded !== samples) {
        throw new RenditionProblem('the FLAC file contains a frame that cannot be decoded');
      }
      yield { sampleRate, channels: exactSamples(channelData, bitsPerSample) };
    }
  } finally {
    decoder.free();
  }
}

/**
 * Returns the header of the frame. The decoder does not see the header of the file, so this copies missing values from
 * there into the frame, and corrects its checksums.
 */
function complete(
  frame: Uint8Array,
  info: StreamInfo | undefined,
): { samples: number; sampleRate: number; bitsPerSample: number } {
  const header = flacFrameAt(frame, 0)!;
  const sampleRate = header.sampleRate ?? info?.sampleRate;
  const bitsPerSample = header.bitsPerSample ?? info?.bitsPerSample;
  if (sampleRate === undefined || bitsPerSample === undefined) {
    throw new RenditionProblem('the FLAC file lacks the header that its frames refer to');
  }
  if (header.sampleRate === undefined || header.bitsPerSample === undefined) {
    if (header.sampleRate === undefined) {
      // The decoder does not use the rate, and this code does not change the length of the header.
      frame[2] = (frame[2]! & 0xf0) | SOME_RATE_CODE;
    }
    frame[3] = (frame[3]! & 0xf1) | ((SAMPLE_SIZE_CODES[bitsPerSample] ?? 0) << 1);
    frame[header.length - 1] = crc8(frame, 0, header.length - 1);
    viewOf(frame).setUint16(frame.length - 2, crc16(frame, 0, frame.length - 2, 0));
  }
  return { samples: header.samples, sampleRate, bitsPerSample };
}

/**
 * Corrects the samples in place: the decoder divides integers by the greatest one, such as 32,767, so full scale is not
 * exact, and the last bit may be wrong.
 */
export function exactSamples(channels: Float32Array[], bitsPerSample: number): Float32Array[] {
  const fullScale = 2 ** (bitsPerSample - 1);
  for (const samples of channels) {
    for (let i = 0; i < samples.length; i++) {
      samples[i] = Math.round(samples[i]! * (fullScale - 1)) / fullScale;
    }
  }
  return channels;
}
