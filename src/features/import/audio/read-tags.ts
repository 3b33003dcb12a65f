import { open, readFile, stat } from 'node:fs/promises';
import { type IAudioMetadata, parseBuffer, parseFile } from 'music-metadata';
import { type AudioChunks, asRiff, lengthOfChunks, readChunks } from './chunks.ts';
import { type EffectTags, effectTags } from './effect-tags.ts';
import { flacLengthSeconds } from './flac-length.ts';

/** The tags of an audio file as written, not yet checked. */
export interface AudioTags {
  /** 0 if unknown. */
  durationSeconds: number;
  title: string | undefined;
  artists: string[];
  albumArtist: string | undefined;
  composers: string[];
  lyricists: string[];
  producers: string[];
  remixers: string[];
  genres: string[];
  moods: string[];
  bpm: number | undefined;
  key: string | undefined;
  date: string | undefined;
  isrcs: string[];
  /** The front cover, or if there is none, the first picture. */
  picture: Uint8Array | undefined;
  /** What a WAV or AIFF file tells about a sound effect; undefined if nothing. */
  effect: EffectTags | undefined;
}

/** Larger pictures are ignored: a cover is smaller, and pictures are copied between threads. */
const MAX_PICTURE_BYTES = 20 * 1024 * 1024;

/** Reads the tags and the true duration of an audio file. Rejects if the file is not audio. */
export async function readTags(path: string): Promise<AudioTags> {
  const chunks = await chunksOf(path);
  const { common, format } = await parse(path, chunks);
  if (format.container === undefined && format.codec === undefined) {
    throw new Error('no audio was found in it');
  }
  const pictures = (common.picture ?? []).filter(({ data }) => data.length <= MAX_PICTURE_BYTES);
  const picture = pictures.find(({ type }) => type === 'Cover (front)') ?? pictures[0];
  return {
    durationSeconds: await lengthOf(path, format),
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
    effect: chunks && (await effectTags(chunks)),
  };
}

/**
 * Files up to this size are parsed in memory. The parser reads a few bytes at a time, which takes
 * minutes for a file that contains little but tags.
 */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

async function chunksOf(path: string): Promise<AudioChunks | undefined> {
  const file = await open(path);
  try {
    return await readChunks(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

async function parse(path: string, chunks: AudioChunks | undefined): Promise<IAudioMetadata> {
  // The parser reads no WAV files of 64 bits.
  if (chunks?.form === 'RF64' || chunks?.form === 'BW64') {
    const parsed = await parseBuffer(asRiff(chunks), { path, mimeType: 'audio/wav' });
    return { ...parsed, format: { ...parsed.format, duration: lengthOfChunks(chunks) } };
  }
  // With `duration`, the parser counts frames if the header has no duration.
  const options = { duration: true };
  const { size } = await stat(path);
  return size > MAX_HELD_BYTES
    ? parseFile(path, options)
    : parseBuffer(await readFile(path), { path, size }, options);
}

interface Format {
  container?: string;
  codec?: string;
  duration?: number;
  sampleRate?: number;
}

async function lengthOf(path: string, format: Format): Promise<number> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const seconds =
      format.container === 'FLAC'
        ? ((await flacLengthSeconds(file, size, format.sampleRate ?? 44_100)) ?? 0)
        : (format.duration ?? 0);
    return isPlausible(seconds, size, format) ? seconds : 0;
  } finally {
    await file.close();
  }
}

/**
 * Whether a file of this size can have this duration. Rejects, for example, a header that claims
 * minutes for seconds of sound.
 */
function isPlausible(seconds: number, sizeBytes: number, { container, codec }: Format): boolean {
  if (!Number.isFinite(seconds) || seconds <= 0) {
    return false;
  }
  const bitsASecond = (sizeBytes * 8) / seconds;
  const isPacked = /mpeg|mp3|aac/i.test(`${container} ${codec}`);
  return bitsASecond >= (isPacked ? 7_500 : 1_000) && bitsASecond <= 60_000_000;
}
