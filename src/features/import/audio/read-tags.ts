import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  type IAudioMetadata,
  type IFormat,
  parseBuffer,
  parseFile,
  parseStream,
} from 'music-metadata';
import {
  type AudioChunks,
  asRiff,
  bytesAt,
  lengthOfChunks,
} from '../../../engines/audio/chunks.ts';
import type { Content } from '../../../engines/audio/content.ts';
import { sampleCount } from '../../../engines/audio/sample-count.ts';
import { PCM, wavFormatOf } from '../../../engines/audio/wav-format.ts';
import {
  cutBox,
  type Examined,
  examine,
  FLAC_SECONDS,
  flacLengthSeconds,
  isShorter,
  partThere,
} from '../../../engines/audio/whole-file.ts';
import { AUDIO_EXTENSIONS, extensionOf } from '../../../engines/blobs/content-types.ts';
import { effectTags } from './effects.ts';
import { FileProblem } from './file-problem.ts';
import { MAX_TAG_BYTES, type TagText, textsOfLastTag, textsOfTag } from './id3.ts';
import { type HeaderProperties, propertiesOf } from './properties.ts';
import { decodedText, recognizedEncoding, type TagEncoding } from './tag-encodings.ts';

export type ReadAudio = Awaited<ReturnType<typeof readTags>>;

/** The tags of an audio file as written, not yet checked. */
export type AudioTags = Omit<ReadAudio, 'facts' | 'tagEncoding'>;

/** What an audio file is, whatever its tags say. */
export interface AudioFacts {
  /** That of its content; the given one if it stands for the same content. */
  extension: string;
  /** What the content is, if the extension says something else. */
  renamed: string | undefined;
  isCutOff: boolean;
  /** The format, if some browsers do not play it. */
  rarelyPlayed: string | undefined;
  /** 0 if unknown. */
  durationSeconds: number;
  properties: HeaderProperties;
}

/** Larger pictures are ignored: a cover is smaller, and pictures are copied between threads. */
const MAX_PICTURE_BYTES = 20 * 1024 * 1024;

/**
 * Reads the tags and the true duration of an audio file. Its content decides what it is, not its extension.
 * @param tagEncoding how to read texts that claim to be Latin-1; by default it is recognized
 */
export async function readTags(path: string, tagEncoding?: TagEncoding) {
  await using file = await open(path);
  const source = await openAudio(file, path);
  const { size, content, extension, chunks } = source;
  const there = await partThere(file, source);
  const { common, format, native } = await parse(source);
  if ((format.container === undefined && format.codec === undefined) || format.hasAudio === false) {
    throw new Error(there < 1 ? 'its end is missing' : 'no audio was found in it');
  }
  const pictures = (common.picture ?? []).filter(({ data }) => data.length <= MAX_PICTURE_BYTES);
  const picture = pictures.find(({ type }) => type === 'Cover (front)') ?? pictures[0];
  const promised = format.duration ?? 0;
  // Where the length is one that the header promises. Other forms are measured by what is there.
  const isPromised = ['mp3', 'm4a', 'mp4', 'aiff', 'aif'].includes(extension);
  const seconds =
    format.container === 'FLAC'
      ? ((await flacLengthSeconds(file, size, format.sampleRate ?? 44_100)) ?? 0)
      : promised * (isPromised ? there : 1);
  const isOwn = Object.keys(native).some((type) => type.startsWith('ID3'));
  const texts = isOwn ? await tagTexts(file, size, chunks) : [];
  const latin1 = texts.filter(({ isLatin1 }) => isLatin1).map(({ text }) => text);
  const recognized = tagEncoding === undefined ? recognizedEncoding(latin1) : undefined;
  const encoding = { encoding: tagEncoding ?? recognized, isNamed: tagEncoding !== undefined };
  const read = (text: string) =>
    latin1.some((whole) => whole.includes(text)) ? decodedText(text, encoding) : text;
  const maybe = (text: string | undefined) => text && read(text);
  const artists = common.artists ?? (common.artist === undefined ? [] : [common.artist]);
  const facts: AudioFacts = {
    extension,
    renamed: content !== undefined && extension !== extensionOf(path) ? content.name : undefined,
    isCutOff:
      there < 1 || (format.container === 'FLAC' && isShorter(seconds, promised, FLAC_SECONDS)),
    rarelyPlayed: rarelyPlayed(extension, format, chunks),
    durationSeconds: isPlausible(seconds, size, format) ? seconds : 0,
    properties: await headerProperties(source, format),
  };
  return {
    facts,
    /** How texts that claim to be Latin-1 were read, if that was recognized. */
    tagEncoding: recognized,
    durationSeconds: facts.durationSeconds,
    title: maybe(common.title),
    ai: Object.values(native)
      .flat()
      .find(({ id }) => id.toUpperCase() === 'TXXX:AI')?.value,
    artists: unsplit(artists, texts).map(read),
    albumArtist: maybe(common.albumartist),
    composers: (common.composer ?? []).map(read),
    lyricists: (common.lyricist ?? []).map(read),
    producers: (common.producer ?? []).map(read),
    remixers: (common.remixer ?? []).map(read),
    genres: (common.genre ?? []).map(read),
    moods: common.mood === undefined ? [] : [read(common.mood)],
    bpm: common.bpm,
    key: common.key,
    date: common.date ?? (common.year === undefined ? undefined : String(common.year)),
    isrcs: common.isrc ?? [],
    picture: picture?.data,
    effect: chunks && (await effectTags(chunks.contents)),
  };
}

/** Reads the properties of an audio file from its headers, in a few milliseconds. */
export async function readProperties(path: string): Promise<HeaderProperties> {
  await using file = await open(path);
  const source = await openAudio(file, path);
  const { format } = await parse(source, { duration: false });
  return await headerProperties(source, format);
}

async function headerProperties(source: AudioSource, format: IFormat): Promise<HeaderProperties> {
  return {
    ...propertiesOf(format),
    samples: await sampleCount(source.file, source, format),
    // Nothing can be made of what has no audio, so it is sent as it is. The parser does not know all codecs of MP4.
    isPlayable:
      (format.codec === undefined && !format.duration) ||
      rarelyPlayed(source.extension, format, source.chunks) === undefined,
  };
}

/** Returns the extension of the content, whatever that of the name is. Throws FileProblem if the content is no audio. */
function audioExtension(path: string, content: Content | undefined): string {
  const given = extensionOf(path);
  if (content === undefined) {
    // Such as an MP3 file with something before its first frame. The parser decides.
    if (AUDIO_EXTENSIONS.includes(given)) return given;
    throw new FileProblem(`must be an audio file (${AUDIO_EXTENSIONS.join(', ')})`);
  }
  const [usual] = content.audio;
  if (usual === undefined) {
    throw new FileProblem(
      `${basename(path)} is ${content.name}, which is no audio that Stave serves`,
    );
  }
  return content.audio.includes(given) ? given : usual;
}

/** Returns the texts of the ID3 tags, wherever the form of the file has them. */
async function tagTexts(
  file: FileHandle,
  size: number,
  chunks: AudioChunks | undefined,
): Promise<TagText[]> {
  const tag = chunks?.contents.get('id3 ') ?? chunks?.contents.get('ID3 ');
  const first = tag ?? (await bytesAt(file, 0, MAX_TAG_BYTES));
  return [
    ...textsOfTag(first),
    ...textsOfLastTag(await bytesAt(file, Math.max(size - 128, 0), 128)),
  ];
}

/** Joins artists that the parser has split at a bare slash, because version 2.3 separates them by it: AC/DC is one. */
function unsplit(names: string[], texts: readonly TagText[]): string[] {
  const isSplit = ({ frame, version, text }: TagText) =>
    /^TPE?1$/.test(frame) &&
    version < 4 &&
    text.includes('/') &&
    sameTexts(trimmed(text.split('/')), names);
  const whole = texts.find(isSplit);
  return whole === undefined ? names : trimmed(whole.text.split(/\s\/\s/));
}

function trimmed(texts: readonly string[]): string[] {
  return texts.map((text) => text.replace(/\0+$/, '').trim());
}

function sameTexts(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, i) => text === others[i]!.trim());
}

/** Smaller files are parsed in memory: the parser reads few bytes at a time, which may take minutes. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

interface AudioSource extends Examined {
  file: FileHandle;
  path: string;
}

/** Recognizes an audio file by its beginning. Throws FileProblem if the content is no audio. */
async function openAudio(file: FileHandle, path: string): Promise<AudioSource> {
  const examined = await examine(file);
  return { ...examined, file, path, extension: audioExtension(path, examined.content) };
}

/**
 * @param options with `duration`, the parser counts frames if the header has no duration. Without it, no more than headers
 *   is read.
 */
async function parse(
  { file, path: given, size, chunks, extension, tagBytes }: AudioSource,
  options = { duration: true },
): Promise<IAudioMetadata> {
  // The parser chooses by the extension.
  const isNamed = extensionOf(given) === extension;
  const path = isNamed ? given : `audio.${extension}`;
  // The parser reads no WAV files of 64 bits.
  if (chunks?.form === 'RF64' || chunks?.form === 'BW64') {
    const parsed = await parseBuffer(asRiff(chunks), { path, mimeType: 'audio/wav' });
    return { ...parsed, format: { ...parsed.format, duration: lengthOfChunks(chunks) } };
  }
  const parsedFrom = async (start: number): Promise<IAudioMetadata> => {
    if (size <= MAX_HELD_BYTES && options.duration) {
      const bytes = (await readFile(given)).subarray(start);
      return parseBuffer(bytes, { path, size: size - start }, options);
    }
    if (isNamed && start === 0) return parseFile(given, options);
    const stream = createReadStream(given, { start });
    return parseStream(stream, { path, size: size - start }, options);
  };
  if (extension === 'flac' && tagBytes > 0) {
    // Comments are the tags of FLAC. Some programs write ID3, which others do not keep up to date.
    const withoutId3 = await parsedFrom(tagBytes);
    if (Object.hasOwn(withoutId3.native, 'vorbis')) return withoutId3;
  }
  const cut = /^m(4a|p4)$/.test(extension) ? await cutBox(file, size) : undefined;
  if (cut === undefined) return await parsedFrom(0);
  if (cut.partThere === 1 && cut.start > MAX_HELD_BYTES) {
    const boxes = createReadStream(given, { end: cut.start - 1 });
    return await parseStream(boxes, { path, size: cut.start }, options);
  }
  // The parser refuses a file that ends within a box, whose index may be complete.
  const whole = await bytesAt(file, 0, Math.min(cut.start, MAX_HELD_BYTES));
  return await parseBuffer(whole, { path, size: whole.length }, options);
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

/** Integers of 8 to 24 bits, also in the extensible form. */
function isPlainPcm({ contents }: AudioChunks): boolean {
  const format = wavFormatOf(contents.get('fmt ') ?? Buffer.alloc(0));
  return format?.encoding === PCM && format.bits >= 8 && format.bits <= 24;
}

/** Returns the name of a format that some browsers do not play; undefined for one that all play. */
function rarelyPlayed(
  extension: string,
  {
    codec = '',
    codecProfile = '',
    sampleRate = 0,
    numberOfChannels = 2,
    bitsPerSample = 16,
  }: IAudioMetadata['format'],
  chunks: AudioChunks | undefined,
): string | undefined {
  const isHigh = bitsPerSample > 24 || sampleRate > 192_000;
  switch (extension) {
    case 'mp3':
      return /layer 3/i.test(codec) ? undefined : 'MPEG layer II';
    case 'aac':
      return /main|ssr|ltp/i.test(codecProfile) ? `AAC ${codecProfile}` : undefined;
    case 'm4a':
    case 'mp4':
      return /aac/i.test(codec) ? undefined : codec || 'MP4';
    case 'flac':
      return isHigh || numberOfChannels > 2
        ? 'FLAC of high resolution or many channels'
        : undefined;
    case 'wav':
      return chunks?.form === 'RIFF' && isPlainPcm(chunks) ? undefined : 'WAV, not of plain PCM';
    case 'aiff':
    case 'aif':
      return 'AIFF';
    default:
      return codec.replace(/ I$/, '') || extension;
  }
}
