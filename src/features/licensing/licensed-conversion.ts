import { unavailable } from '../../common/errors.ts';
import { sampleFormat } from '../../engines/audio/lossless/sample-format.ts';
import { storedFile } from '../../engines/audio/tags/stored-file.ts';
import { extensionOf } from '../../engines/blobs/content-types.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import { parsedAudio } from '../catalog/audio-properties.ts';
import type { TrackAudio } from '../catalog/catalog-stores.ts';
import type { ConversionSource, ConversionTarget } from '../media/conversions.ts';
import type { DownloadFormat } from '../media/signed-url.ts';

/** The rate of MP3s that are made for licenses. */
const MP3_KBPS = 320;
const MAX_FLAC_CHANNELS = 8;

/** What a file is made of, and what it becomes. */
export interface LicensedConversion {
  source: ConversionSource;
  target: ConversionTarget;
}

/**
 * Returns how a delivered file of another format becomes one of a format, or why it cannot be converted without a loss. An MP3 may be made of all files.
 *
 * @param audio that of the track; null for a part, whose number of samples is not stored
 */
export async function conversionOf(
  media: Pick<MediaStore, 'stat' | 'read'>,
  format: DownloadFormat,
  audioKey: string,
  audio: TrackAudio | null,
): Promise<LicensedConversion | string> {
  const extension = extensionOf(audioKey);
  const { sampleRate } = parsedAudio(audio?.audioProperties ?? null);
  const source = { audioKey, samples: audio?.samples ?? null, sampleRate };
  if (format === 'mp3') return { source, target: { format, kbps: MP3_KBPS } };
  const stat = await media.stat(audioKey);
  if (stat === undefined) throw missingFile();
  const samples = await sampleFormat(storedFile(media, audioKey, stat.sizeBytes), extension);
  const refused = (why: string) =>
    `is delivered as ${extension} and is not converted to ${format}: ${why}; ask for the format original or mp3`;
  if (samples === undefined) {
    return refused('its samples cannot be decoded without a loss');
  }
  if (format === 'wav') return { source, target: { format, samples } };
  if (samples.isFloat) return refused('FLAC has no samples of floating point');
  if (samples.channels > MAX_FLAC_CHANNELS) return refused('FLAC has at most 8 channels');
  return { source, target: { format: 'flac' } };
}

/** The folder may not be mounted, so a retry may succeed. */
export function missingFile(): Error {
  return unavailable('The file cannot be read now; try again later.', 30);
}
