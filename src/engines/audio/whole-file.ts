import { type FileHandle, open } from 'node:fs/promises';
import { type AudioChunks, bytesAt, readChunks } from './chunks.ts';
import { type Content, contentOfFile } from './content.ts';
import { type FlacFrameHeader, flacFrameAt, HEADER_BYTES, streamInfo } from './flac-frames.ts';

/** What the headers of an audio file show. */
export interface Examined {
  size: number;
  content: Content | undefined;
  chunks: AudioChunks | undefined;
  /** The size of the ID3 tags before the audio. */
  tagBytes: number;
  /** The usual one of its content; empty if that is not known. */
  extension: string;
}

/** Recognizes an audio file by its beginning. */
export async function examine(file: FileHandle): Promise<Examined> {
  const { size } = await file.stat();
  const { content, tagBytes } = await contentOfFile(file);
  const [extension = ''] = content?.audio ?? [];
  return { size, content, tagBytes, extension, chunks: await readChunks(file, size) };
}

/** Whether the end of an audio file is missing, as far as its form can tell. */
export async function isCutOff(path: string): Promise<boolean> {
  await using file = await open(path);
  const examined = await examine(file);
  const { extension, size, tagBytes } = examined;
  if (extension !== 'flac') return (await partThere(file, examined)) < 1;
  const info = streamInfo(await bytesAt(file, tagBytes, HEADER_BYTES));
  if (info === undefined) return false;
  const { sampleRate, samples } = info;
  const seconds = (await flacLengthSeconds(file, size, sampleRate)) ?? 0;
  return isShorter(seconds, samples / sampleRate, FLAC_SECONDS);
}

/**
 * Returns which part of its audio a file has, as far as its form can tell: 1, or less if its end is missing. What FLAC
 * misses is seen by its length.
 */
export async function partThere(
  file: FileHandle,
  { size, chunks, tagBytes, extension }: Omit<Examined, 'content'>,
): Promise<number> {
  switch (extension) {
    case 'wav':
    case 'aiff':
    case 'aif':
      return chunks?.partThere ?? 1;
    case 'm4a':
    case 'mp4':
      return (await cutBox(file, size))?.partThere ?? 1;
    case 'mp3':
      return partOfFrames(await bytesAt(file, tagBytes, 200), size - tagBytes);
    case 'ogg':
    case 'oga':
    case 'opus': {
      const tail = await bytesAt(file, Math.max(size - MAX_PAGE_BYTES, 0), MAX_PAGE_BYTES);
      // How much is missing is unknown, and the length is measured by what is there.
      return isPageCut(tail) ? 0.99 : 1;
    }
    default:
      return 1;
  }
}

/** The header of a FLAC file counts samples, so it is nearly exact. */
export const FLAC_SECONDS = 0.1;

/** Whether audio is shorter than something says by more than the greater of a tolerance in seconds and two percent. */
export function isShorter(seconds: number, expected: number, tolerance = 2): boolean {
  return seconds > 0 && expected - seconds > Math.max(tolerance, expected * 0.02);
}

/** Real files have some ten boxes at the top, and fragmented ones two for each fragment. */
const MAX_BOXES = 10_000;
/** The boxes at the top of a file. Other bytes after the last of them, such as ID3 tags, are none. */
const BOXES =
  /^(ftyp|styp|mdat|moov|moof|mfra|free|skip|wide|pnot|pdin|uuid|meta|sidx|ssix|prft|emsg)$/;

/**
 * Returns where the last box of an MP4 file begins, if the file ends within it, and which part of it is there: all of it
 * if it is not a box, but other bytes.
 */
export async function cutBox(
  file: FileHandle,
  size: number,
): Promise<{ start: number; partThere: number } | undefined> {
  let at = 0;
  for (let i = 0; i < MAX_BOXES && at + 8 <= size; i++) {
    const header = await bytesAt(file, at, 16);
    const short = header.readUInt32BE(0);
    // 0: to the end of the file. 1: a size of 64 bits follows.
    if (short === 0 || (short === 1 && header.length < 16)) return undefined;
    const length = short === 1 ? Number(header.readBigUInt64BE(8)) : short;
    if (length < 8) return undefined;
    if (at + length > size) {
      const isBox = BOXES.test(header.toString('latin1', 4, 8));
      return { start: at, partThere: isBox ? (size - at) / length : 1 };
    }
    at += length;
  }
  return undefined;
}

/** Compares an MP3 file with the number of bytes in its first frame, which Xing and LAME write. */
function partOfFrames(frame: Buffer, sizeBytes: number): number {
  const text = frame.toString('latin1');
  const at = Math.max(text.indexOf('Xing'), text.indexOf('Info'));
  if (at < 0 || at + 16 > frame.length) return 1;
  const flags = frame.readUInt32BE(at + 4);
  if ((flags & 2) === 0) return 1;
  const promised = frame.readUInt32BE(at + ((flags & 1) === 0 ? 8 : 12));
  return promised > sizeBytes * 1.02 ? sizeBytes / promised : 1;
}

/** A page of Ogg has at most 27 bytes of header, 255 lengths and 255 times 255 bytes. */
export const MAX_PAGE_BYTES = 27 + 255 + 255 * 255;

/** Whether the last page of an Ogg file is longer than what is left of the file. */
function isPageCut(tail: Buffer): boolean {
  const at = tail.lastIndexOf('OggS');
  if (at < 0) return false;
  const count = tail[at + 26] ?? 255;
  const lengths = tail.subarray(at + 27, at + 27 + count);
  const length = 27 + count + lengths.reduce((sum, one) => sum + one, 0);
  return lengths.length < count || at + length > tail.length;
}

/** How many bytes at the end are searched. The largest frame of a usual file is a tenth of it. */
const TAIL_BYTES = 512 * 1024;

/**
 * Returns the duration of a FLAC file in seconds, computed from the numbers of its last frames (RFC
 * 9639 §9.1), because the sample count in the header may be absent or wrong. Undefined if the end
 * of the file has no two consecutive frames.
 */
export async function flacLengthSeconds(
  file: FileHandle,
  sizeBytes: number,
  sampleRate: number,
): Promise<number | undefined> {
  const length = Math.min(TAIL_BYTES, sizeBytes);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, sizeBytes - length);
  const frames = framesIn(buffer);
  for (let i = frames.length - 1; i > 0; i--) {
    const last = frames[i]!;
    // Random bytes sometimes look like a frame header, but almost never like two consecutive ones.
    const before = frames.findLast(
      (frame, j) =>
        j < i &&
        frame.isVariable === last.isVariable &&
        frame.number + (frame.isVariable ? frame.samples : 1) === last.number,
    );
    if (before !== undefined) {
      const start = last.isVariable ? last.number : last.number * before.samples;
      return (start + last.samples) / (last.sampleRate ?? sampleRate);
    }
  }
  return undefined;
}

function framesIn(bytes: Buffer): FlacFrameHeader[] {
  const frames: FlacFrameHeader[] = [];
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const frame = flacFrameAt(bytes, at);
    if (frame !== undefined) {
      frames.push(frame);
    }
  }
  return frames;
}
