import { type FileHandle, open, readFile } from 'node:fs/promises';
import { type IAudioMetadata, parseBuffer, parseFile } from 'music-metadata';
import { type FlacFrameHeader, flacFrameAt } from '../../../engines/audio/flac-frames.ts';
import { effectTags } from './effects.ts';

/** The tags of an audio file as written, not yet checked. */
export type AudioTags = Awaited<ReturnType<typeof readTags>>;

/** Larger pictures are ignored: a cover is smaller, and pictures are copied between threads. */
const MAX_PICTURE_BYTES = 20 * 1024 * 1024;

/** Reads the tags and the true duration of an audio file. Rejects if the file is not audio. */
export async function readTags(path: string) {
  await using file = await open(path);
  const { size } = await file.stat();
  const chunks = await readChunks(file, size);
  const { common, format } = await parse(path, size, chunks);
  if (format.container === undefined && format.codec === undefined) {
    throw new Error('no audio was found in it');
  }
  const pictures = (common.picture ?? []).filter(({ data }) => data.length <= MAX_PICTURE_BYTES);
  const picture = pictures.find(({ type }) => type === 'Cover (front)') ?? pictures[0];
  const seconds =
    format.container === 'FLAC'
      ? ((await flacLengthSeconds(file, size, format.sampleRate ?? 44_100)) ?? 0)
      : (format.duration ?? 0);
  return {
    /** 0 if unknown. */
    durationSeconds: isPlausible(seconds, size, format) ? seconds : 0,
    title: common.title,
    artists: common.artists ?? (common.artist === undefined ? [] : [common.artist]),
    albumArtist: common.albumartist,
    composers: common.composer ?? [],
    lyricists: common.lyricist ?? [],
    producers: common.producer ?? [],
    remixers: common.remixer ?? [],
    genres: common.genre ?? [],
    moods: common.mood === undefined ? [] : [common.mood],
    bpm: common.bpm,
    key: common.key,
    date: common.date ?? (common.year === undefined ? undefined : String(common.year)),
    isrcs: common.isrc ?? [],
    picture: picture?.data,
    effect: chunks && (await effectTags(chunks.contents)),
  };
}

/** Smaller files are parsed in memory: the parser reads few bytes at a time, which may take minutes. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

async function parse(
  path: string,
  size: number,
  chunks: AudioChunks | undefined,
): Promise<IAudioMetadata> {
  // The parser reads no WAV files of 64 bits.
  if (chunks?.form === 'RF64' || chunks?.form === 'BW64') {
    const parsed = await parseBuffer(asRiff(chunks), { path, mimeType: 'audio/wav' });
    return { ...parsed, format: { ...parsed.format, duration: lengthOfChunks(chunks) } };
  }
  // With `duration`, the parser counts frames if the header has no duration.
  const options = { duration: true };
  return size > MAX_HELD_BYTES
    ? parseFile(path, options)
    : parseBuffer(await readFile(path), { path, size }, options);
}

/** Whether a file of this size can have this duration: a header may claim minutes for seconds. */
function isPlausible(
  seconds: number,
  sizeBytes: number,
  { container, codec }: IAudioMetadata['format'],
): boolean {
  if (!Number.isFinite(seconds) || seconds <= 0) {
    return false;
  }
  const bitsASecond = (sizeBytes * 8) / seconds;
  const isPacked = /mpeg|mp3|aac/i.test(`${container} ${codec}`);
  return bitsASecond >= (isPacked ? 7_500 : 1_000) && bitsASecond <= 60_000_000;
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

export interface AudioChunks {
  /** `RF64` and `BW64` are WAV files of any size. */
  form: 'RIFF' | 'RF64' | 'BW64' | 'FORM';
  /** The content of chunks with tags, by their name. Of several of one name, the first. */
  contents: ReadonlyMap<string, Buffer>;
  /** The size of the audio in bytes; 0 if there is none. */
  audioBytes: number;
}

/** Real files have some tens. */
const MAX_CHUNKS = 1000;
/** The largest chunk that is read, and the size of all of them. */
const MAX_CHUNK_BYTES = 1024 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;
/** A size of 32 bits that stands for one of 64 bits in the chunk `ds64`. */
const ELSEWHERE = 0xffff_ffff;

/** Chunks that contain the audio, or room for later chunks. */
const NOT_READ = new Set(['data', 'SSND', 'JUNK', 'junk', 'FLLR', 'PAD ']);

/** Reads the chunks of a WAV or AIFF file. Returns undefined for another file. */
export async function readChunks(
  file: FileHandle,
  fileBytes: number,
): Promise<AudioChunks | undefined> {
  const head = await bytesAt(file, 0, 12);
  const form = formOf(head);
  if (form === undefined) {
    return undefined;
  }
  const contents = new Map<string, Buffer>();
  let audioBytes = 0;
  let total = 0;
  let at = 12;
  for (let count = 0; count < MAX_CHUNKS && at + 8 <= fileBytes; count++) {
    const header = await bytesAt(file, at, 8);
    if (header.length < 8) {
      break;
    }
    const name = header.toString('latin1', 0, 4);
    const given = form === 'FORM' ? header.readUInt32BE(4) : header.readUInt32LE(4);
    const size = Math.min(
      given === ELSEWHERE ? longSize(contents.get('ds64'), name) : given,
      fileBytes - at - 8,
    );
    if (name === 'data' || name === 'SSND') {
      audioBytes = audioBytes || size;
    }
    const isRead = !NOT_READ.has(name) && !contents.has(name);
    if (isRead && size <= MAX_CHUNK_BYTES && total + size <= MAX_BYTES) {
      contents.set(name, await bytesAt(file, at + 8, size));
      total += size;
    }
    at += 8 + size + (size % 2);
  }
  return { form, contents, audioBytes };
}

function formOf(head: Buffer): AudioChunks['form'] | undefined {
  const form = /^(?:(RIFF|RF64|BW64).{4}WAVE|(FORM).{4}AIF[FC])/s.exec(head.toString('latin1'));
  return (form?.[1] ?? form?.[2]) as AudioChunks['form'] | undefined;
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Returns the size of a chunk that `ds64` tells; without one more than any file has. */
function longSize(ds64: Buffer | undefined, name: string): number {
  if (ds64 === undefined || ds64.length < 28) {
    return Number.MAX_SAFE_INTEGER;
  }
  if (name === 'data') {
    return Number(ds64.readBigUInt64LE(8));
  }
  for (let at = 28; at + 12 <= ds64.length; at += 12) {
    if (ds64.toString('latin1', at, at + 4) === name) {
      return Number(ds64.readBigUInt64LE(at + 4));
    }
  }
  return Number.MAX_SAFE_INTEGER;
}

/** Makes a WAV file without audio of its chunks, for a parser that reads only files of 32 bits. */
export function asRiff({ contents }: AudioChunks): Buffer {
  const parts = [...contents].flatMap(([name, content]) => {
    const header = Buffer.alloc(8);
    header.write(name, 'latin1');
    header.writeUInt32LE(content.length, 4);
    return [header, content, Buffer.alloc(content.length % 2)];
  });
  const head = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1');
  head.writeUInt32LE(4 + parts.reduce((sum, part) => sum + part.length, 0), 4);
  return Buffer.concat([head, ...parts]);
}

/** Returns the length of the audio that the format tells; 0 if it is unknown. */
export function lengthOfChunks({ contents, audioBytes }: AudioChunks): number {
  const format = contents.get('fmt ');
  const bytesASecond = format !== undefined && format.length >= 12 ? format.readUInt32LE(8) : 0;
  return bytesASecond > 0 ? audioBytes / bytesASecond : 0;
}
