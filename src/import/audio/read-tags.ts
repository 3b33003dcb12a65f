import { open } from 'node:fs/promises';
import { parseFile } from 'music-metadata';
import { flacLengthSeconds } from './flac-length.ts';

/** What an audio file tells of itself, as delivered; nothing is checked yet. */
export interface AudioTags {
  /** 0 where it cannot be known. */
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
  /** The front cover, or else the first picture. */
  picture: Uint8Array | undefined;
}

/** Larger pictures are not taken: nobody's cover, and it travels between threads. */
const MAX_PICTURE_BYTES = 20 * 1024 * 1024;

/** Reads an audio file's tags and its true length; rejects where the file is not what its name says. */
export async function readTags(path: string): Promise<AudioTags> {
  // `duration` counts frames where the head names no length; tags that claim one are not asked.
  const { common, format } = await parseFile(path, { duration: true });
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
  };
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

/** Whether so many bytes can be so long: a head that claims minutes on seconds of sound is distrusted. */
function isPlausible(seconds: number, sizeBytes: number, { container, codec }: Format): boolean {
  if (!Number.isFinite(seconds) || seconds <= 0) {
    return false;
  }
  const bitsASecond = (sizeBytes * 8) / seconds;
  const isPacked = /mpeg|mp3|aac/i.test(`${container} ${codec}`);
  return bitsASecond >= (isPacked ? 7_500 : 1_000) && bitsASecond <= 60_000_000;
}
