import { AUDIO_EXTENSIONS } from '../blobs/content-types.ts';

/** Stands for files that only ffmpeg decodes, whatever their extension says. */
export const FFMPEG = 'ffmpeg';

/** The extensions of audio that only ffmpeg decodes. */
const OF_FFMPEG: readonly string[] = ['aac', 'm4a', 'mp4', 'webm'];

/** What a node decodes (`RenditionNode.formats`), with or without ffmpeg. */
export function decodableFormats(hasFfmpeg: boolean): string[] {
  if (hasFfmpeg) return [...AUDIO_EXTENSIONS, FFMPEG];
  return AUDIO_EXTENSIONS.filter((extension) => !OF_FFMPEG.includes(extension));
}
