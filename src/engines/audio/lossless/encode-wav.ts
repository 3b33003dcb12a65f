import { chunkOf } from '../tags/chunk-list.ts';
import { FLOAT, PCM } from '../wav-format.ts';
import type { SampleFormat } from './sample-format.ts';

/** A size of 32 bits that stands for one of 64 bits in the chunk `ds64`. */
const ELSEWHERE = 0xffff_ffff;
const DS64_BYTES = 28;
const EXTENSIBLE = 0xfffe;
/** The end of the identifier of an extensible format. */
const EXTENSIBLE_TAIL = Buffer.from('000000001000800000aa00389b71', 'hex');
/** The loudspeakers of one to eight channels in the order of FLAC (RFC 9639 §9.1.3) and WAV. */
const SPEAKERS = [0x4, 0x3, 0x7, 0x33, 0x37, 0x3f, 0x70f, 0x63f];
const SILENCE_BYTES = 64 * 1024;

/** Returns the length of a WAV file with this number of samples of each channel. */
export function wavBytes(format: SampleFormat, samples: number): number {
  const audio = audioBytes(format, samples);
  return wavHead(format, samples).length + audio + (audio % 2);
}

function audioBytes({ channels, bytesPerSample }: SampleFormat, samples: number): number {
  return samples * channels * bytesPerSample;
}

/**
 * Returns a WAV file up to its first sample. The chunk `JUNK` is in the place of the lengths of 64 bits that a file of more
 * than 4 GiB has (EBU Tech 3306), so that the length of the head does not depend on that of the audio.
 */
export function wavHead(format: SampleFormat, samples: number): Buffer {
  const audio = audioBytes(format, samples);
  const lengths = Buffer.alloc(DS64_BYTES);
  const fmt = chunkOf('fmt ', formatChunk(format));
  const size = 4 + 8 + DS64_BYTES + fmt.length + 8 + audio + (audio % 2);
  const isLong = size >= ELSEWHERE;
  if (isLong) {
    lengths.writeBigUInt64LE(BigInt(size), 0);
    lengths.writeBigUInt64LE(BigInt(audio), 8);
    lengths.writeBigUInt64LE(BigInt(samples), 16);
  }
  const riff = Buffer.from(isLong ? 'RF64\0\0\0\0WAVE' : 'RIFF\0\0\0\0WAVE', 'latin1');
  riff.writeUInt32LE(isLong ? ELSEWHERE : size, 4);
  const data = Buffer.from('data\0\0\0\0', 'latin1');
  data.writeUInt32LE(isLong ? ELSEWHERE : audio, 4);
  return Buffer.concat([riff, chunkOf(isLong ? 'ds64' : 'JUNK', lengths), fmt, data]);
}

function formatChunk({
  sampleRate,
  channels,
  bytesPerSample,
  bits,
  isFloat,
}: SampleFormat): Buffer {
  const encoding = isFloat ? FLOAT : PCM;
  const isExtensible = channels > 2 || bits % 8 !== 0;
  const chunk = Buffer.alloc(isExtensible ? 40 : isFloat ? 18 : 16);
  const frameBytes = channels * bytesPerSample;
  chunk.writeUInt16LE(isExtensible ? EXTENSIBLE : encoding, 0);
  chunk.writeUInt16LE(channels, 2);
  chunk.writeUInt32LE(sampleRate, 4);
  chunk.writeUInt32LE(sampleRate * frameBytes, 8);
  chunk.writeUInt16LE(frameBytes, 12);
  chunk.writeUInt16LE(bytesPerSample * 8, 14);
  if (!isExtensible) return chunk;
  chunk.writeUInt16LE(22, 16);
  chunk.writeUInt16LE(bits, 18);
  chunk.writeUInt32LE(SPEAKERS[channels - 1] ?? 0, 20);
  chunk.writeUInt16LE(encoding, 24);
  EXTENSIBLE_TAIL.copy(chunk, 26);
  return chunk;
}

/**
 * Yields a WAV file without tags, piece by piece.
 *
 * With a number of samples, the audio is cut or filled up with silence to it, so that the length of the file is `wavBytes`.
 * Without one, the first piece must be replaced by the bytes that are returned at the end.
 */
export async function* encodeWav(
  pieces: AsyncIterable<Uint8Array>,
  format: SampleFormat,
  samples: number | undefined,
): AsyncGenerator<Uint8Array, Uint8Array> {
  yield wavHead(format, samples ?? 0);
  const most = samples === undefined ? Number.POSITIVE_INFINITY : audioBytes(format, samples);
  let written = 0;
  for await (const piece of pieces) {
    const bytes = piece.subarray(0, most - written);
    written += bytes.length;
    if (bytes.length > 0) yield bytes;
    if (written === most) break;
  }
  while (samples !== undefined && written < most) {
    const silence = Buffer.alloc(Math.min(SILENCE_BYTES, most - written), silenceOf(format));
    written += silence.length;
    yield silence;
  }
  if (written % 2 === 1) yield Buffer.alloc(1);
  return wavHead(format, written / audioBytes(format, 1));
}

/** The value of the bytes of a silent sample. */
function silenceOf({ bytesPerSample }: SampleFormat): number {
  return bytesPerSample === 1 ? 0x80 : 0;
}
