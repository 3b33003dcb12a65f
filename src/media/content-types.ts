/** Audio that Stave stores and serves, by file extension. */
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

/** Pictures that Stave stores and serves. SVG is not among them: it can carry script. */
const ARTWORK_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
};

/** Extensions of audio files, without the dot, in lower case. */
export const AUDIO_EXTENSIONS: readonly string[] = Object.keys(AUDIO_TYPES);

/** Extensions of artwork files, without the dot, in lower case. */
export const ARTWORK_EXTENSIONS: readonly string[] = Object.keys(ARTWORK_TYPES);

/** `mp3` of `Song.MP3`; `""` where the name has none. */
export function extensionOf(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  return dot > 0 ? base.slice(dot + 1).toLowerCase() : '';
}

/** The `Content-Type` of audio under this key or file name; undefined where it is no audio. */
export function audioContentType(name: string): string | undefined {
  return ofExtension(AUDIO_TYPES, name);
}

/** The `Content-Type` of artwork under this key or file name; undefined where it is none. */
export function artworkContentType(name: string): string | undefined {
  return ofExtension(ARTWORK_TYPES, name);
}

function ofExtension(types: Readonly<Record<string, string>>, name: string): string | undefined {
  const extension = extensionOf(name);
  return Object.hasOwn(types, extension) ? types[extension] : undefined;
}
