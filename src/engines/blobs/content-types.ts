/** By file extension. */
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

/** By file extension. Without SVG, because it can contain scripts. */
const ARTWORK_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
};

/** In lower case and without the dot. */
export const AUDIO_EXTENSIONS: readonly string[] = Object.keys(AUDIO_TYPES);

/** In lower case and without the dot. */
export const ARTWORK_EXTENSIONS: readonly string[] = Object.keys(ARTWORK_TYPES);

/** Returns `mp3` for `Song.MP3`, and `""` for a name without an extension. */
export function extensionOf(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  return dot > 0 ? base.slice(dot + 1).toLowerCase() : '';
}

/** The extension in URLs of the audio with a key; '' if there is none, or none that Stave serves. */
export function urlExtension(key: string | null): string {
  const extension = key === null ? '' : extensionOf(key);
  return Object.hasOwn(AUDIO_TYPES, extension) ? extension : '';
}

/** The `Content-Type` of a key or file name; undefined if it is not audio. */
export function audioContentType(name: string): string | undefined {
  return ofExtension(AUDIO_TYPES, name);
}

/** The `Content-Type` of a key or file name; undefined if it is not artwork. */
export function artworkContentType(name: string): string | undefined {
  return ofExtension(ARTWORK_TYPES, name);
}

function ofExtension(types: Readonly<Record<string, string>>, name: string): string | undefined {
  const extension = extensionOf(name);
  return Object.hasOwn(types, extension) ? types[extension] : undefined;
}
