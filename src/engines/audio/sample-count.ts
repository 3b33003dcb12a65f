import { type FileHandle, open } from 'node:fs/promises';
import { type AudioChunks, bytesAt } from './chunks.ts';
import { HEADER_BYTES, streamInfo } from './flac-frames.ts';
import { FLOAT, PCM, wavFormatOf } from './wav-format.ts';
import { type Examined, examine, flacLengthSeconds, MAX_PAGE_BYTES } from './whole-file.ts';

/** What a parser found in the headers of the file. */
interface ParsedFormat {
  sampleRate?: number | undefined;
  /** In seconds. */
  duration?: number | undefined;
}

type Source = Omit<Examined, 'content'>;

/** Fewer bits for a second are no audio, but a wrong header. */
const LEAST_BITS = 1_000;

/**
 * Returns the number of samples of each channel that a file has, by its headers; null if they do not tell it. Reads only the
 * two ends of a file, so that a copy of these gives the same number.
 */
export async function sampleCount(
  file: FileHandle,
  source: Source,
  format: ParsedFormat,
): Promise<number | null> {
  const samples = Math.round((await samplesOf(file, source, format)) ?? 0);
  const mostSeconds = (source.size * 8) / LEAST_BITS;
  const isPlausible = samples >= 1 && samples <= mostSeconds * (format.sampleRate ?? 0);
  return isPlausible ? samples : null;
}

/** What is skipped at the ends of whole files is at most 0.012 s in all recordings of the tests. A frame of FLAC has 0.09 s. */
const SKIPPED_SECONDS = 0.05;

/** Whether a decoder returned less of an MP3 or FLAC file than its headers tell. Other forms do not tell it exactly. */
export async function hasSkipped(
  path: string,
  samples: number,
  sampleRate: number,
): Promise<boolean> {
  await using file = await open(path);
  const source = await examine(file);
  if (source.extension !== 'mp3' && source.extension !== 'flac') return false;
  const expected = (await sampleCount(file, source, { sampleRate })) ?? 0;
  return expected - samples > SKIPPED_SECONDS * sampleRate;
}

async function samplesOf(
  file: FileHandle,
  { extension, size, chunks, tagBytes }: Source,
  { sampleRate = 0, duration = 0 }: ParsedFormat,
): Promise<number | undefined> {
  switch (extension) {
    case 'wav':
      return chunks && samplesOfWav(chunks);
    case 'aiff':
    case 'aif':
      return chunks && samplesOfAiff(chunks);
    case 'flac': {
      const info = streamInfo(await bytesAt(file, tagBytes, HEADER_BYTES));
      if (info === undefined) return undefined;
      const seconds = await flacLengthSeconds(file, size, info.sampleRate);
      return seconds === undefined ? info.samples : seconds * info.sampleRate;
    }
    case 'ogg':
    case 'oga':
    case 'opus': {
      const end = await endOfOgg(file, size);
      // Positions of Opus have 48 kHz, whatever the rate of the audio that was encoded.
      return end && end.position * (end.isOpus ? sampleRate / OPUS_RATE : 1);
    }
    case 'mp3':
      return samplesOfMp3(await bytesAt(file, tagBytes, MP3_HEADER_BYTES));
    case 'm4a':
    case 'mp4':
    case 'webm':
      return duration * sampleRate;
    default:
      // ADTS says nothing of its length.
      return undefined;
  }
}

function samplesOfWav({ contents, audioBytes }: AudioChunks): number | undefined {
  const format = wavFormatOf(contents.get('fmt ') ?? Buffer.alloc(0));
  if (format === undefined) return undefined;
  if (format.encoding === PCM || format.encoding === FLOAT) {
    return Math.floor(audioBytes / format.blockBytes);
  }
  const fact = contents.get('fact');
  return fact !== undefined && fact.length >= 4 ? fact.readUInt32LE(0) : undefined;
}

function samplesOfAiff({ contents, partThere }: AudioChunks): number | undefined {
  const common = contents.get('COMM');
  if (common === undefined || common.length < 6) return undefined;
  return Math.floor(common.readUInt32BE(2) * partThere);
}

const OPUS_RATE = 48_000;
/** The position of a page on which no packet ends. */
const NO_POSITION = 0xffff_ffff_ffff_ffffn;

/** The position of the last page (RFC 3533 §6), without what decoders of Opus skip (RFC 7845 §5.1). */
async function endOfOgg(
  file: FileHandle,
  size: number,
): Promise<{ position: number; isOpus: boolean } | undefined> {
  const head = await bytesAt(file, 0, 64);
  const opus = head.indexOf('OpusHead');
  const skipped = opus >= 0 && opus + 12 <= head.length ? head.readUInt16LE(opus + 10) : 0;
  const tail = await bytesAt(file, Math.max(size - 2 * MAX_PAGE_BYTES, 0), 2 * MAX_PAGE_BYTES);
  let end = tail.length;
  while (end > 0) {
    const at = tail.lastIndexOf('OggS', end - 1);
    if (at < 0) return undefined;
    const position = at + 14 <= tail.length ? tail.readBigUInt64LE(at + 6) : NO_POSITION;
    if (position !== NO_POSITION)
      return { position: Number(position) - skipped, isOpus: opus >= 0 };
    end = at;
  }
  return undefined;
}

/** The header of the first frame, with the frame of Xing and LAME in it. */
const MP3_HEADER_BYTES = 256;
/** The lengths of what Xing may contain: frames, bytes, table of contents, quality. */
const XING_FIELDS = [4, 4, 100, 4];

/** The frames that Xing counts, without the delay and the padding of the encoder that LAME writes. */
function samplesOfMp3(frame: Buffer): number | undefined {
  const text = frame.toString('latin1');
  const at = Math.max(text.indexOf('Xing'), text.indexOf('Info'));
  if (at < 0 || at + 12 > frame.length) return undefined;
  const flags = frame.readUInt32BE(at + 4);
  if ((flags & 1) === 0) return undefined;
  // MPEG 1 has two granules in a frame, MPEG 2 and 2.5 have one.
  const samplesOfFrame = (frame[1]! & 0x18) === 0x18 ? 1152 : 576;
  const fields = XING_FIELDS.filter((_, i) => (flags & (1 << i)) !== 0);
  const lame = fields.reduce((end, bytes) => end + bytes, at + 8);
  const hasGaps = lame + 24 <= frame.length && /^L(AME|av)/.test(text.slice(lame));
  const gaps = hasGaps ? frame.readUIntBE(lame + 21, 3) : 0;
  return frame.readUInt32BE(at + 8) * samplesOfFrame - (gaps >> 12) - (gaps & 0xfff);
}
