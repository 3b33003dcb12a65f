import type { MediaStore } from '../../blobs/media-store.ts';
import type { RandomAccess } from './splice.ts';

/** How much is read at least, because a read of a bucket takes a request. */
const BLOCK_BYTES = 64 * 1024;

/** Returns a file of the media store, of which the last block that was read is kept. */
export function storedFile(
  media: Pick<MediaStore, 'read'>,
  key: string,
  sizeBytes: number,
): RandomAccess {
  let block: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  return {
    sizeBytes,
    async read(offset, length) {
      const start = Math.min(offset, sizeBytes);
      const end = Math.min(offset + length, sizeBytes);
      if (start < block.start || end > block.start + block.bytes.length) {
        const last = Math.min(Math.max(end, start + BLOCK_BYTES), sizeBytes) - 1;
        block = { start, bytes: await readRange(media, key, start, last) };
      }
      return block.bytes.subarray(start - block.start, end - block.start);
    },
  };
}

async function readRange(
  media: Pick<MediaStore, 'read'>,
  key: string,
  start: number,
  end: number,
): Promise<Buffer> {
  if (end < start) return Buffer.alloc(0);
  const pieces: Buffer[] = [];
  for await (const piece of await media.read(key, { start, end })) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
