/** The content types of the audio that Stave stores and serves, by file extension. */
const AUDIO_TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  // RFC 7845 §9: Opus in Ogg; `audio/opus` names the RTP payload.
  opus: 'audio/ogg; codecs=opus',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  aac: 'audio/aac',
  wav: 'audio/wav',
  aiff: 'audio/aiff',
  aif: 'audio/aiff',
  webm: 'audio/webm',
};

/** The content types of the artwork that Stave stores and serves. SVG is excluded because it can contain scripts. */
const ARTWORK_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
};

/** The extensions of audio files, in lower case and without the dot. */
export const AUDIO_EXTENSIONS: readonly string[] = Object.keys(AUDIO_TYPES);

/** The extensions of artwork files, in lower case and without the dot. */
export const ARTWORK_EXTENSIONS: readonly string[] = Object.keys(ARTWORK_TYPES);

/** The extension of a file name, such as `mp3` of `Song.MP3`; `""` if it has none. */
export function extensionOf(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  return dot > 0 ? base.slice(dot + 1).toLowerCase() : '';
}

/** The `Content-Type` of audio with this key or file name; undefined if it is not audio. */
export function audioContentType(name: string): string | undefined {
  return ofExtension(AUDIO_TYPES, name);
}

/** The `Content-Type` of artwork with this key or file name; undefined if it is not artwork. */
export function artworkContentType(name: string): string | undefined {
  return ofExtension(ARTWORK_TYPES, name);
}

function ofExtension(types: Readonly<Record<string, string>>, name: string): string | undefined {
  const extension = extensionOf(name);
  return Object.hasOwn(types, extension) ? types[extension] : undefined;
}
