import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isBeneath, openRegularFile } from '../../../common/files/regular-file.ts';
import { extensionOf } from '../../../engines/blobs/content-types.ts';
import type { MediaStore, StoredMedia } from '../../../engines/blobs/media-store.ts';

/** A file that a record names: a key of the media store, or a file below the folder of the catalog file. */
export type Found = ({ key: string } | { path: string }) & { sizeBytes: number };

/**
 * Finds the file that a record names below the folder of its catalog file, or the key in the media
 * store. Never finds a file elsewhere: not by `..`, an absolute path, or a link that leads out of
 * the folder.
 */
export async function findFile(
  folder: string,
  given: string,
  media: Pick<MediaStore, 'stat'>,
): Promise<Found | { problem: string }> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) {
    return { problem: 'must be a path or a key, not a URL: Stave fetches nothing' };
  }
  const isOutside =
    isAbsolute(given) || /^([a-z]:|\\)/i.test(given) || given.split(/[/\\]/).includes('..');
  if (isOutside || given.includes('\0')) {
    return { problem: 'must lie beneath the folder of the file that names it' };
  }
  try {
    const path = await realpath(join(folder, given));
    if (!isBeneath(path, await realpath(folder))) {
      return { problem: 'must lie beneath the folder of the file that names it' };
    }
    const stats = await stat(path);
    if (!stats.isFile()) {
      return { problem: 'must be a regular file' };
    }
    return stats.size === 0 ? { problem: 'is empty' } : { path, sizeBytes: stats.size };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isKey = /^[0-9a-f]{64}\.[a-z0-9]{1,5}$/.test(given);
    const stored = code === 'ENOENT' && isKey ? await media.stat(given) : undefined;
    if (stored !== undefined) {
      return { key: given, sizeBytes: stored.sizeBytes };
    }
    return {
      problem:
        code === 'ENOENT' || code === 'ENOTDIR'
          ? 'names a file that does not exist'
          : `cannot be read (${code})`,
    };
  }
}

/** The extension of a file that a record names. */
export function extensionOfFound(found: Found): string {
  return extensionOf('key' in found ? found.key : found.path);
}

/**
 * Calls `use` with the path of the file. What is in the media store is copied into a temporary file for that time. Throws
 * not_found if the media store has lost it.
 */
export async function withPath<T>(
  found: Found,
  media: MediaStore,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if ('path' in found) {
    return use(found.path);
  }
  const folder = await mkdtemp(join(tmpdir(), 'stave-media-'));
  try {
    const path = join(folder, found.key);
    await pipeline(await media.read(found.key), createWriteStream(path, { mode: 0o600 }));
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns what a media store would make of a file. */
export async function storedForm(path: string, extension: string): Promise<StoredMedia> {
  const hash = createHash('sha256');
  const file = (await openRegularFile(path)).createReadStream();
  await pipeline(file, hash);
  return { key: `${hash.digest('hex')}.${extension}`, sizeBytes: file.bytesRead };
}

/**
 * Recognizes the extension of a picture by its first bytes; undefined if Stave does not serve the
 * format.
 */
export function pictureExtension(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16));
  const text = head.toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) {
    return 'png';
  }
  if (text.startsWith('\xff\xd8\xff')) {
    return 'jpg';
  }
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) {
    return 'gif';
  }
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') {
    return 'webp';
  }
  // ISO base media file format: the brand of still or moving AVIF.
  return /^ftypavi[fs]/.test(text.slice(4)) ? 'avif' : undefined;
}
