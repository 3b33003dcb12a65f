import { audioContentType, urlExtension } from '../../engines/blobs/content-types.ts';
import { parsedAudio } from './audio-properties.ts';

/** What the stream URL of a track sends. */
interface StreamedAudio {
  /** The extension in the URL; '' without audio. */
  streamExtension: string;
  /** The JSON of the member `stream` of a track. */
  json: string;
}

const NOTHING: StreamedAudio = { streamExtension: '', json: 'null' };

/**
 * Returns what is sent of the audio with a media key.
 *
 * @param properties in the form of `serializedAudio`; null if they are not known yet
 */
export function streamedAudio(key: string | null, properties: string | null): StreamedAudio {
  if (key === null) return NOTHING;
  const { bitrate, bytes } = parsedAudio(properties);
  const contentType = audioContentType(key) ?? 'application/octet-stream';
  return {
    streamExtension: urlExtension(key),
    json: `{"contentType":"${contentType}","bitrate":${bitrate},"bytes":${bytes},"isOriginal":true}`,
  };
}
