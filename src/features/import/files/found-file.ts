import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtempDisposable, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isBeneath, openRegularFile } from '../../../common/files.ts';
import { AUDIO_EXTENSIONS, extensionOf } from '../../../engines/blobs/content-types.ts';
import type { MediaStore, StoredMedia } from '../../../engines/blobs/media-store.ts';
import type { CatalogStore } from '../../catalog/store/catalog-store.ts';
import { FileProblem } from '../audio/file-problem.ts';
import type { TagReader } from '../audio/tag-reader.ts';

export interface MediaContext {
  catalog: Pick<CatalogStore, 'trackRecord' | 'trackParts'>;
  media: Pick<MediaStore, 'stat' | 'read' | 'localPath' | 'putFile' | 'putBytes'>;
  tagReader: TagReader;
}

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

/** Finds a file and calls `take` with it. Returns what is wrong with the file; null if nothing is. */
export async function problemWith(
  folder: string,
  given: string,
  media: Pick<MediaStore, 'stat'>,
  take: (found: Found) => Promise<void>,
): Promise<string | null> {
  const found = await findFile(folder, given, media);
  if ('problem' in found) return found.problem;
  try {
    await take(found);
    return null;
  } catch (error) {
    if (error instanceof FileProblem) return error.message;
    throw error;
  }
}

export function extensionOfFound(found: Found): string {
  return extensionOf('key' in found ? found.key : found.path);
}

/** Returns the extension of an audio file. Throws FileProblem if it is that of no audio. */
export function audioExtension(found: Found): string {
  const extension = extensionOfFound(found);
  if (!AUDIO_EXTENSIONS.includes(extension)) {
    throw new FileProblem(`must be an audio file (${AUDIO_EXTENSIONS.join(', ')})`);
  }
  return extension;
}

/**
 * Calls `use` with the path of the file. What is in the media store is copied into a temporary file for that time. Throws
 * not_found if the media store has lost it.
 */
export async function withPath<T>(
  found: Found,
  media: Pick<MediaStore, 'read'>,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if ('path' in found) {
    return use(found.path);
  }
  await using folder = await mkdtempDisposable(join(tmpdir(), 'stave-media-'));
  const path = join(folder.path, found.key);
  await pipeline(await media.read(found.key), createWriteStream(path, { mode: 0o600 }));
  return await use(path);
}

/** Returns what a media store would make of a file. */
export async function storedForm(path: string, extension: string): Promise<StoredMedia> {
  const hash = createHash('sha256');
  const file = (await openRegularFile(path)).createReadStream();
  await pipeline(file, hash);
  return { key: `${hash.digest('hex')}.${extension}`, sizeBytes: file.bytesRead };
}

/** Recognizes the extension of a picture by its first bytes; undefined if Stave does not serve the format. */
export function pictureExtension(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16));
  const text = head.toString('latin1');
  return PICTURES.find(([form]) => form.test(text))?.[1];
}

const PICTURES: readonly (readonly [form: RegExp, extension: string])[] = [
  [/^\x89PNG\r\n.\n/s, 'png'],
  [/^\xff\xd8\xff/, 'jpg'],
  [/^GIF8[79]a/, 'gif'],
  [/^RIFF.{4}WEBP/s, 'webp'],
  // ISO base media file format: the brand of still or moving AVIF.
  [/^.{4}ftypavi[fs]/s, 'avif'],
];
