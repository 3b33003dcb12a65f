import { type Mp3Kbps, mp3Bytes } from '../../engines/audio/mp3/mp3-layout.ts';
import type { Cover } from '../../engines/audio/tags/audio-tags.ts';
import { coverFrameBytes, id3Tag } from '../../engines/audio/tags/id3.ts';
import {
  artworkContentType,
  audioContentType,
  extensionOf,
  urlExtension,
} from '../../engines/blobs/content-types.ts';
import { parsedAudio } from './audio-properties.ts';

/** What stream URLs send. */
export interface StreamPolicy {
  /** `playable` sends an MP3 instead of a file that some browser does not play, and `mp3` instead of most files. */
  mode: 'playable' | 'mp3' | 'original';
  /** Of the MP3s that are made. */
  kbps: Mp3Kbps;
  /** The formats of which an MP3 can be made, in the form of `decodableFormats`; empty if none can be made. */
  formats: readonly string[];
}

export const ORIGINALS: StreamPolicy = { mode: 'original', kbps: 192, formats: [] };

/** The columns of a track that decide what is sent. */
export interface StreamedColumns {
  /** The media key; null if the track has no audio. */
  audioKey: string | null;
  /** In the form of `serializedAudio`; null if they are not known yet. */
  audioProperties: string | null;
  /** Of each channel; null if that is unknown. */
  samples: number | null;
  /** Null until the audio was probed. */
  isPlayable: boolean | number | null;
}

/** What the stream URL of a track sends. */
interface StreamedAudio {
  /** The extension in the URL; '' without audio. */
  streamExtension: string;
  /** The JSON of the member `stream` of a track. */
  json: string;
}

const NOTHING: StreamedAudio = { streamExtension: '', json: 'null' };

/** What the tag before an MP3 says. */
export interface StreamTags {
  name: string;
  isrc: string;
  performers: readonly string[];
}

/** The columns of the artwork that is sent with an MP3. */
export interface CoverColumns {
  /** The media key; null without artwork. */
  artworkKey: string | null;
  /** In the form of `coverBytes`; null if it is not known yet: then nothing is sent. */
  coverBytes: number | null;
}

/** Larger artwork is not sent with an MP3. */
const MAX_COVER_BYTES = 300_000;

/** Returns the size of artwork if it is sent with an MP3: JPEG or PNG of at most 300 KB; otherwise 0. */
export function coverBytes(artworkKey: string, sizeBytes: number): number {
  return coverType(artworkKey) === undefined || sizeBytes > MAX_COVER_BYTES ? 0 : sizeBytes;
}

/** Returns the type of artwork that files of audio may contain. */
export function coverType(artworkKey: string): Cover['contentType'] | undefined {
  const contentType = artworkContentType(artworkKey);
  return contentType === 'image/jpeg' || contentType === 'image/png' ? contentType : undefined;
}

/** Returns the ID3 tag that precedes an MP3 of a track. */
export function streamTag({ name, isrc, performers }: StreamTags, cover?: Cover): Buffer {
  return id3Tag({ title: name, artists: performers, isrc, cover });
}

function tagBytes(tags: StreamTags, { artworkKey, coverBytes: bytes }: CoverColumns): number {
  const type = artworkKey && bytes ? coverType(artworkKey) : undefined;
  return streamTag(tags).length + (type === undefined ? 0 : coverFrameBytes(type, bytes!));
}

/** Returns what is sent of audio. `tags` is called for an MP3. */
export function streamedAudio(
  columns: StreamedColumns & CoverColumns,
  policy: StreamPolicy,
  tags: () => StreamTags,
): StreamedAudio {
  const { audioKey, audioProperties, samples } = columns;
  if (audioKey === null) return NOTHING;
  const { bitrate, bytes, sampleRate } = parsedAudio(audioProperties);
  if (needsMp3({ audioKey, bitrate, isPlayable: columns.isPlayable }, policy)) {
    const isKnown = samples !== null && sampleRate !== null;
    const size = isKnown
      ? tagBytes(tags(), columns) + mp3Bytes(samples, sampleRate, policy.kbps)
      : null;
    return {
      streamExtension: 'mp3',
      json: `{"contentType":"audio/mpeg","bitrate":${policy.kbps * 1000},"bytes":${size},"isOriginal":false}`,
    };
  }
  const contentType = audioContentType(audioKey) ?? 'application/octet-stream';
  return {
    streamExtension: urlExtension(audioKey),
    json: `{"contentType":"${contentType}","bitrate":${bitrate},"bytes":${bytes},"isOriginal":true}`,
  };
}

/** What usually plays everywhere. It decides for audio that was not probed. */
const PLAYABLE_EXTENSIONS: readonly string[] = ['mp3', 'flac', 'wav', 'm4a', 'mp4', 'aac'];

/** Whether an MP3 is sent instead of the audio. */
export function needsMp3(
  {
    audioKey,
    bitrate,
    isPlayable,
  }: { audioKey: string; bitrate: number | null; isPlayable: boolean | number | null },
  { mode, kbps, formats }: StreamPolicy,
): boolean {
  const extension = extensionOf(audioKey);
  if (mode === 'original' || !formats.includes(extension)) return false;
  const plays = Boolean(isPlayable ?? PLAYABLE_EXTENSIONS.includes(extension));
  if (mode === 'playable' || !plays) return !plays;
  return extension !== 'mp3' || bitrate === null || bitrate > kbps * 1000;
}
