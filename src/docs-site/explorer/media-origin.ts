import type { MediaStore } from '../../engines/blobs/media-store.ts';

/** A key of no file: only the origin of its URL counts. */
const ANY_KEY = `${'0'.repeat(64)}.mp3`;

/**
 * Returns the origin to which requests for audio are redirected. Undefined if the service sends the audio itself, and
 * while the store cannot make URLs.
 */
export async function mediaOrigin({
  media,
  mediaDelivery,
}: {
  media: Pick<MediaStore, 'presign'>;
  mediaDelivery: 'redirect' | 'proxy';
}): Promise<string | undefined> {
  if (mediaDelivery === 'proxy' || media.presign === undefined) return undefined;
  try {
    const { url } = await media.presign(ANY_KEY, {
      method: 'GET',
      seconds: 1,
      contentType: 'audio/mpeg',
      cacheControl: 'no-store',
    });
    return new URL(url).origin;
  } catch {
    // The audio cannot be played now either; the next page has the origin.
    return undefined;
  }
}
