import { BoundedMap, keptIn } from '../../common/memory/caches.ts';
import { audioContentType, extensionOf } from '../../engines/blobs/content-types.ts';
import type { TrackFields } from './track-fields.ts';

/** The numbers of an audio file; null if unknown. */
export type AudioProperties = Omit<NonNullable<TrackFields['audio']>, 'format' | 'contentType'>;

/** What streams depend on besides the properties. It follows from the content of a file. */
export interface AudioEncoding {
  /** Of each channel; null if the headers do not tell it. */
  samples: number | null;
  /** Whether all current browsers and AVPlayer play it (docs/contract/streaming.md#what-is-streamed). */
  isPlayable: boolean;
}

/** What the probing of a file gives. */
export type ProbedAudio = AudioProperties & AudioEncoding;

export const UNKNOWN_AUDIO: AudioProperties = {
  sampleRate: null,
  channels: null,
  bitDepth: null,
  bitrate: null,
  bytes: null,
};

/** Returns a JSON array, which `parsedAudio` reads. */
export function serializedAudio(properties: AudioProperties): string {
  const { sampleRate, channels, bitDepth, bitrate, bytes } = properties;
  return JSON.stringify([sampleRate, channels, bitDepth, bitrate, bytes]);
}

/** @param serialized in the form of `serializedAudio`; null if nothing is known yet */
export function parsedAudio(serialized: string | null): AudioProperties {
  if (serialized === null) return UNKNOWN_AUDIO;
  const [sampleRate, channels, bitDepth, bitrate, bytes] = JSON.parse(serialized);
  return { sampleRate, channels, bitDepth, bitrate, bytes };
}

/** The beginnings of the JSON of audio by extension. There are few: keys of audio have those that Stave serves. */
const openings = new BoundedMap<string, string>(100);

/**
 * Returns the JSON of the member `audio` of a track.
 *
 * @param key the media key; null if there is no audio
 * @param properties in the form of `serializedAudio`; null if they are not known yet
 */
export function audioJson(key: string | null, properties: string | null): string {
  if (key === null) return 'null';
  const format = extensionOf(key);
  const opening = keptIn(openings, format, () => {
    const contentType = audioContentType(key) ?? 'application/octet-stream';
    return JSON.stringify({ format, contentType }).slice(0, -1);
  });
  const { sampleRate, channels, bitDepth, bitrate, bytes } = parsedAudio(properties);
  return (
    `${opening},"sampleRate":${sampleRate},"channels":${channels},"bitDepth":${bitDepth},` +
    `"bitrate":${bitrate},"bytes":${bytes}}`
  );
}
