import { audioContentType, urlExtension } from '../../engines/blobs/content-types.ts';
import { parsedAudio } from './audio-properties.ts';

/** The columns of a track that decide what is streamed. */
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

/** Returns what is sent of audio. */
export function streamedAudio({ audioKey, audioProperties }: StreamedColumns): StreamedAudio {
  if (audioKey === null) return NOTHING;
  const { bitrate, bytes } = parsedAudio(audioProperties);
  const contentType = audioContentType(audioKey) ?? 'application/octet-stream';
  return {
    streamExtension: urlExtension(audioKey),
    json: `{"contentType":"${contentType}","bitrate":${bitrate},"bytes":${bytes},"isOriginal":true}`,
  };
}
