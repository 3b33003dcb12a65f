import { RenditionProblem } from '../audio-block.ts';
import { type AudioFormat, audioFormat, FORMAT_BYTES } from '../audio-format.ts';
import type { ByteSource } from '../byte-source.ts';
import { id3Size } from '../content.ts';
import { HEADER_BYTES, type StreamInfo, streamInfo } from '../flac-frames.ts';
import { findAiffSamples, findWavSamples, type PcmFormat } from '../pcm-readers.ts';
import { boxesAt } from '../tags/mp4-boxes.ts';
import { NotTaggable, type RandomAccess, readAll } from '../tags/splice.ts';
import { findMoov } from '../tags/tag-mp4.ts';

/** The form of samples without loss. */
export interface SampleFormat {
  sampleRate: number;
  channels: number;
  bytesPerSample: number;
  /** Of a sample, in its highest bits. */
  bits: number;
  isFloat: boolean;
}

/** The decoders that give samples of 32 bits round them to 24. */
const MAX_DECODED_BITS = 24;

/**
 * Reads the form of the samples of a file from its headers. Returns undefined if its coding loses something, or if its samples
 * cannot be decoded exactly.
 *
 * @param extension in lower case and without the dot
 */
export async function sampleFormat(
  file: RandomAccess,
  extension: string,
): Promise<SampleFormat | undefined> {
  try {
    const start = id3Size(await file.read(0, 10));
    const format = audioFormat(await file.read(start, FORMAT_BYTES), extension);
    return await formatOf(file, start, format);
  } catch (error) {
    const isOfFile = error instanceof RenditionProblem || error instanceof NotTaggable;
    // A number that is read at the end of a file that promises more is a RangeError.
    if (isOfFile || error instanceof RangeError) return undefined;
    throw error;
  }
}

async function formatOf(
  file: RandomAccess,
  start: number,
  format: AudioFormat | undefined,
): Promise<SampleFormat | undefined> {
  switch (format) {
    case 'wav':
      return ofPcm((await findWavSamples(sourceOf(file, start)))?.format);
    case 'aiff':
      return ofPcm((await findAiffSamples(sourceOf(file, start))).format);
    case 'flac':
      return ofFlac(streamInfo(await file.read(start, HEADER_BYTES)));
    case 'ogg': {
      const page = await file.read(start, 256);
      const at = page.indexOf('fLaC');
      return at < 0 ? undefined : ofFlac(streamInfo(page.subarray(at)));
    }
    case 'mov':
      return ofMp4(file);
    default:
      return undefined;
  }
}

function ofPcm(format: PcmFormat | undefined): SampleFormat | undefined {
  if (format === undefined) return undefined;
  const { sampleRate, channels, bytesPerSample, kind } = format;
  const isFloat = kind === 'float';
  return { sampleRate, channels, bytesPerSample, bits: bytesPerSample * 8, isFloat };
}

function ofFlac(info: StreamInfo | undefined): SampleFormat | undefined {
  return info && ofDecoded(info.sampleRate, info.channels, info.bitsPerSample);
}

function ofDecoded(sampleRate: number, channels: number, bits: number): SampleFormat | undefined {
  if (bits > MAX_DECODED_BITS) return undefined;
  return { sampleRate, channels, bytesPerSample: Math.ceil(bits / 8), bits, isFloat: false };
}

/** The description of audio is in the box `stsd`, which has another one of ALAC or FLAC in it. */
async function ofMp4(file: RandomAccess): Promise<SampleFormat | undefined> {
  const { start, end } = await findMoov(file);
  const moov = await readAll(file, start, end - start);
  const [box] = boxesAt(moov, [['moov'], ['trak'], ['mdia'], ['minf'], ['stbl'], ['stsd']]);
  if (box === undefined) return undefined;
  const description = moov.subarray(box.start, box.end);
  const flac = description.indexOf('dfLa');
  if (flac >= 0) return ofFlac(streamInfo(description.subarray(flac + 4)));
  // The first one is the type of the description, the second one the box in it.
  const alac = description.indexOf('alac', description.indexOf('alac') + 4);
  if (alac < 0 || description.toString('latin1', 12, 16) !== 'alac') return undefined;
  const at = alac + 8;
  return ofDecoded(description.readUInt32BE(at + 20), description[at + 9]!, description[at + 5]!);
}

function sourceOf(file: RandomAccess, start: number): ByteSource & { position: number } {
  return {
    position: start,
    async read(length) {
      const bytes = await file.read(this.position, length);
      this.position += bytes.length;
      return bytes;
    },
    async skip(length) {
      this.position += length;
    },
  };
}
