import type { Cover } from '../../engines/audio/tags/audio-tags.ts';
import { storedFile } from '../../engines/audio/tags/stored-file.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import { coverType } from '../catalog/streamed-audio.ts';

/** Reads artwork of a size that files of audio may contain; undefined if it is of another type. */
export async function readCover(
  media: Pick<MediaStore, 'read'>,
  artworkKey: string,
  sizeBytes: number,
): Promise<Cover | undefined> {
  const contentType = coverType(artworkKey);
  if (contentType === undefined) return undefined;
  return { contentType, bytes: await storedFile(media, artworkKey, sizeBytes).read(0, sizeBytes) };
}
