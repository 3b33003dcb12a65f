import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { type AudioBlock, RenditionProblem } from './audio-block.ts';
import { ascii, type FileSource, viewOf } from './byte-source.ts';
import { DECODED_SIZES, exactSamples } from './flac-reader.ts';
import { type Decoded, OggOpusDecoder } from './ogg-opus-decoder.ts';

/**
 * A packet of one byte may contain 0.12 s of Opus, and one of 13 bytes 65,535 samples of FLAC, so this length bounds the
 * memory of a hostile piece to about 150 MB.
 */
const PIECE_BYTES = 1024;
/** The header of a page without the lengths of its segments, and the longest page (RFC 3533 §6). */
const PAGE_HEADER_BYTES = 27;
const MAX_PAGE_BYTES = 65_307;
/** The flag of the first page of a stream. */
const FIRST_PAGE = 2;
/** The headers of the streams must be within the first bytes. */
const HEADER_BYTES = 16 * 1024;

interface OggDecoder {
  readonly ready: Promise<void>;
  decode(bytes: Uint8Array): Decoded | Promise<Decoded>;
  flush(): Decoded | Promise<Decoded>;
  free(): void;
}

/**
 * Decodes Vorbis, Opus or FLAC in Ogg. `readOtherwise` decodes FLAC with samples of an unusual size. Throws a
 * RenditionProblem.
 */
export async function* readOgg(
  source: FileSource,
  readOtherwise: () => AsyncIterable<AudioBlock>,
): AsyncGenerator<AudioBlock> {
  const start = source.position;
  const head = Buffer.from(await source.read(HEADER_BYTES));
  source.position = start;
  if (await isChained(source)) {
    throw new RenditionProblem('the Ogg file has several streams, one after the other');
  }
  const codec = codecIn(head);
  const gain = codec === 'opus' ? outputGain(head) : 1;
  const decoder = new DECODERS[codec]() as OggDecoder;
  await decoder.ready;
  try {
    for await (const { channelData, samplesDecoded, sampleRate, bitDepth } of decoded(
      decoder,
      source,
    )) {
      // A piece without a whole packet has no samples, and its bitDepth is not valid.
      if (samplesDecoded === 0) continue;
      if (codec === 'flac') {
        if (!DECODED_SIZES.includes(bitDepth)) {
          yield* readOtherwise();
          return;
        }
        exactSamples(channelData, bitDepth);
      } else if (gain !== 1) {
        amplify(channelData, gain);
      }
      const order = codec === 'flac' ? undefined : WAV_ORDER[channelData.length];
      yield { sampleRate, channels: order?.map((i) => channelData[i]!) ?? channelData };
    }
  } finally {
    decoder.free();
  }
}

/**
 * The channels of Vorbis (Vorbis I §4.3.9) and Opus in the order of WAV, which all other formats have, by their number: the
 * center is between left and right, and low frequencies are last.
 */
const WAV_ORDER: Readonly<Record<number, readonly number[]>> = {
  3: [0, 2, 1],
  5: [0, 2, 1, 3, 4],
  6: [0, 2, 1, 5, 3, 4],
  7: [0, 2, 1, 6, 5, 3, 4],
  8: [0, 2, 1, 7, 5, 6, 3, 4],
};

const DECODERS = { opus: OggOpusDecoder, vorbis: OggVorbisDecoder, flac: FLACDecoder };

async function* decoded(decoder: OggDecoder, source: FileSource): AsyncGenerator<Decoded> {
  const end = await endOfPages(source);
  for await (const piece of source.pieces(PIECE_BYTES, end)) {
    yield await decoder.decode(piece);
  }
  yield await decoder.flush();
}

/**
 * Whether a stream begins after another one (RFC 3533 §4). The decoders omit the other streams, or use the sample rate of
 * the first one for them.
 */
async function isChained(source: FileSource): Promise<boolean> {
  const start = source.position;
  let isInStream = false;
  try {
    for (;;) {
      const header = await source.read(PAGE_HEADER_BYTES);
      if (header.length < PAGE_HEADER_BYTES || ascii(header.subarray(0, 4)) !== 'OggS')
        return false;
      const isFirstPage = (header[5]! & FIRST_PAGE) !== 0;
      if (isFirstPage && isInStream) return true;
      isInStream ||= !isFirstPage;
      const segments = await source.read(header[26]!);
      await source.skip(segments.reduce((sum, length) => sum + length, 0));
    }
  } finally {
    source.position = start;
  }
}

/**
 * Returns the offset at which the last whole page ends, or the size of the file. The parser treats a truncated page as a
 * whole one, and the decoders turn it into seconds of noise.
 */
async function endOfPages(source: FileSource): Promise<number> {
  const start = source.position;
  const { size } = source;
  source.position = Math.max(start, size - MAX_PAGE_BYTES);
  const tailStart = source.position;
  const tail = Buffer.from(await source.read(MAX_PAGE_BYTES));
  source.position = start;
  const at = tail.lastIndexOf('OggS');
  const headerEnd = at + PAGE_HEADER_BYTES + (tail[at + 26] ?? 255);
  const segments = tail.subarray(at + PAGE_HEADER_BYTES, headerEnd);
  const pageEnd = headerEnd + segments.reduce((sum, length) => sum + length, 0);
  return at >= 0 && pageEnd > tail.length ? tailStart + at : size;
}

function codecIn(head: Buffer): keyof typeof DECODERS {
  if (head.includes('OpusHead')) return 'opus';
  if (head.includes('\x01vorbis')) return 'vorbis';
  if (head.includes('\x7fFLAC')) return 'flac';
  throw new RenditionProblem('the Ogg file has no Vorbis, Opus or FLAC audio');
}

/** The factor that a decoder of Opus must apply (RFC 7845 §5.1). The library does not. */
function outputGain(head: Buffer): number {
  const at = head.indexOf('OpusHead') + 16;
  return at + 2 > head.length ? 1 : 10 ** (viewOf(head).getInt16(at, true) / 256 / 20);
}

function amplify(channels: Float32Array[], gain: number): void {
  for (const samples of channels) {
    for (let i = 0; i < samples.length; i++) {
      samples[i] = samples[i]! * gain;
    }
  }
}
