import { decodableFormats } from '../engines/audio/audio-format.ts';
import { findUsableFfmpeg } from '../engines/audio/find-ffmpeg.ts';
import type { StreamPolicy } from '../features/catalog/streamed-audio.ts';
import type { Config } from './config/config.ts';

/** The settings that decide what stream URLs send. */
export type StreamSettings = Pick<
  Config,
  'streams' | 'streamKbps' | 'previewThreads' | 'ffmpeg' | 'database'
>;

/**
 * Returns what stream URLs send, by the settings alone, so that all nodes say the same. On PostgreSQL, a node without threads
 * relies on others, which have the same programs.
 */
export async function streamPolicy({
  streams: mode,
  streamKbps: kbps,
  previewThreads,
  ffmpeg: { setting, searchPath },
  database,
}: StreamSettings): Promise<StreamPolicy> {
  const isMade = mode !== 'original' && (previewThreads > 0 || database !== null);
  if (!isMade) return { mode, kbps, formats: [] };
  const path = await findUsableFfmpeg(setting, searchPath);
  return { mode, kbps, formats: decodableFormats(path !== undefined) };
}
