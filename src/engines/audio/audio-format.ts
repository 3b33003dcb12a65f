import { AUDIO_EXTENSIONS } from '../blobs/content-types.ts';

/** Formats by their decoder: `mov` is MP4 and M4A, `matroska` is WebM. */
export type AudioFormat = 'wav' | 'aiff' | 'mp3' | 'flac' | 'ogg' | 'aac' | 'mov' | 'matroska';

export const FORMAT_BYTES = 16;

/**
 * Returns the format of a file whose first FORMAT_BYTES after its ID3 tags are these; undefined if it is unknown. The
 * extension, in lower case and without the dot, decides only if the bytes do not.
 */
export function audioFormat(bytes: Uint8Array, extension: string): AudioFormat | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  if (/^(?:RIFF|RIFX|RF64|BW64).{4}WAVE/s.test(text)) return 'wav';
  if (/^FORM.{4}AIF[FC]/s.test(text)) return 'aiff';
  if (text.startsWith('fLaC')) return 'flac';
  if (text.startsWith('OggS')) return 'ogg';
  if (text.slice(4, 8) === 'ftyp') return 'mov';
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'matroska';
  if (extension === 'mp3' || extension === 'flac') {
    // The file may begin with frames, or with bytes that players skip.
    return extension;
  }
  // The sync code of ADTS. In place of its layer, which is 0, a frame of MPEG audio has 1 to 3.
  if (bytes[0] === 0xff && (bytes[1]! & 0xf6) === 0xf0) return 'aac';
  return bytes[0] === 0xff && (bytes[1]! & 0xe0) === 0xe0 ? 'mp3' : undefined;
}

/** Stands for files that only ffmpeg decodes, whatever their extension says. */
export const FFMPEG = 'ffmpeg';

const FFMPEG_EXTENSIONS: readonly string[] = ['aac', 'm4a', 'mp4', 'webm'];

export function decodableFormats(hasFfmpeg: boolean): string[] {
  if (hasFfmpeg) return [...AUDIO_EXTENSIONS, FFMPEG];
  return AUDIO_EXTENSIONS.filter((extension) => !FFMPEG_EXTENSIONS.includes(extension));
}
