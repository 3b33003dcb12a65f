import { audioFormat, FORMAT_BYTES } from '../audio-format.ts';
import { id3Size } from '../content.ts';
import type { AudioTags } from './audio-tags.ts';
import { NotTaggable, type RandomAccess, type SplicePlan } from './splice.ts';
import { tagAiff } from './tag-aiff.ts';
import { tagFlac } from './tag-flac.ts';
import { tagMp3 } from './tag-mp3.ts';
import { tagMp4 } from './tag-mp4.ts';
import { tagOgg } from './tag-ogg.ts';
import { tagWav } from './tag-wav.ts';

/**
 * Plans a file with tags and the same audio. Reads only what is beside the audio, up to some megabytes. Undefined if the
 * format has no tags, or the file is not as its format says: then it must be sent as it is.
 *
 * @param extension of the file, in lower case and without the dot
 */
export async function planTags(
  file: RandomAccess,
  extension: string,
  tags: AudioTags,
): Promise<SplicePlan | undefined> {
  try {
    const start = id3Size(await file.read(0, 10));
    switch (audioFormat(await file.read(start, FORMAT_BYTES), extension)) {
      case 'mp3':
        return await tagMp3(file, tags);
      case 'flac':
        return await tagFlac(file, start, tags);
      case 'wav':
        return start === 0 ? await tagWav(file, tags) : undefined;
      case 'aiff':
        return start === 0 ? await tagAiff(file, tags) : undefined;
      case 'mov':
        return start === 0 ? await tagMp4(file, tags) : undefined;
      case 'ogg':
        return start === 0 ? await tagOgg(file, tags) : undefined;
      default:
        return undefined;
    }
  } catch (error) {
    // A number read at the end of a file that promises more is a RangeError.
    if (error instanceof NotTaggable || error instanceof RangeError) return undefined;
    throw error;
  }
}
