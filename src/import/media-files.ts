import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FieldProblem } from '../kernel/errors.ts';
import { ARTWORK_EXTENSIONS, AUDIO_EXTENSIONS, extensionOf } from '../media/content-types.ts';
import type { MediaStore } from '../media/media-store.ts';
import { isBeneath } from './audio/folder.ts';
import { AudioProblem, type TagReader } from './audio/tag-reader.ts';
import { roundedDuration } from './canonical/values.ts';
import type { Item } from './item.ts';
import { pictureExtension } from './picture.ts';

/** Larger artwork is a mistake: clients load it beside every track. */
const MAX_ARTWORK_BYTES = 20 * 1024 * 1024;
/** How many files are stored at a time. */
const CONCURRENCY = 2;
/** Albums share their artwork: so many paths are remembered with their keys. */
const MAX_REMEMBERED = 1_000;

/** The phase that puts audio and artwork into the media store. */
export interface MediaPhase {
  /** Stores what the items name and fills in keys and lengths; an item whose files are no good turns into a rejected one. */
  attach(items: readonly Item[]): Promise<void>;
}

/** With `dryRun` the keys are computed and nothing is stored. */
export function openMediaPhase({
  media,
  tagReader,
  dryRun,
}: {
  media: MediaStore;
  tagReader: TagReader;
  dryRun: boolean;
}): MediaPhase {
  const artworkKeys = new Map<string, string>();

  const keyOfFile = async (path: string, extension: string) =>
    dryRun ? `${await fileHash(path)}.${extension}` : (await media.putFile(path, extension)).key;
  const keyOfBytes = async (bytes: Uint8Array, extension: string) =>
    dryRun
      ? `${createHash('sha256').update(bytes).digest('hex')}.${extension}`
      : (await media.putBytes(bytes, extension)).key;

  async function attachOne(item: Item): Promise<void> {
    if (item.prepared.delivery === null) {
      return;
    }
    const { delivery, audio, artwork } = item.prepared;
    const problems: FieldProblem[] = [];
    if (audio !== null) {
      const found = await find(item.folder, audio, media);
      const problem = 'problem' in found ? found.problem : await attachAudio(found);
      if (problem !== null) {
        problems.push({ field: 'audio', message: problem });
      }
    }
    if (artwork !== null) {
      const found = await find(item.folder, artwork, media);
      const problem = 'problem' in found ? found.problem : await attachArtwork(found);
      if (problem !== null) {
        problems.push({ field: 'artwork', message: problem });
      }
    } else if (item.picture !== null) {
      const extension = pictureExtension(item.picture);
      delivery.artworkKey =
        extension === undefined ? null : await keyOfBytes(item.picture, extension);
    }
    if (problems.length > 0) {
      item.prepared = { delivery: null, id: delivery.id, problems };
    }

    async function attachAudio(found: Found): Promise<string | null> {
      const extension = extensionOf('key' in found ? found.key : found.path);
      if (!AUDIO_EXTENSIONS.includes(extension)) {
        return `must be an audio file (${AUDIO_EXTENSIONS.join(', ')})`;
      }
      if ('key' in found) {
        delivery.audioKey = found.key;
        return null;
      }
      if (delivery.durationSeconds === 0 && !item.isRead) {
        try {
          const { durationSeconds } = await tagReader.read(found.path);
          delivery.durationSeconds = roundedDuration(durationSeconds);
        } catch (error) {
          if (error instanceof AudioProblem) {
            return error.message;
          }
          throw error;
        }
      }
      delivery.audioKey = await keyOfFile(found.path, extension);
      return null;
    }

    async function attachArtwork(found: Found): Promise<string | null> {
      if ('key' in found) {
        if (!ARTWORK_EXTENSIONS.includes(extensionOf(found.key))) {
          return 'must be a PNG, JPEG, GIF, WebP or AVIF picture';
        }
        delivery.artworkKey = found.key;
        return null;
      }
      const remembered = artworkKeys.get(found.path);
      if (remembered !== undefined) {
        delivery.artworkKey = remembered;
        return null;
      }
      if (found.sizeBytes > MAX_ARTWORK_BYTES) {
        return `must be ${MAX_ARTWORK_BYTES / 1024 / 1024} MiB at most`;
      }
      const extension = pictureExtension(await firstBytes(found.path));
      if (extension === undefined) {
        return 'must be a PNG, JPEG, GIF, WebP or AVIF picture';
      }
      const key = await keyOfFile(found.path, extension);
      if (artworkKeys.size >= MAX_REMEMBERED) {
        artworkKeys.clear();
      }
      artworkKeys.set(found.path, key);
      delivery.artworkKey = key;
      return null;
    }
  }

  return {
    async attach(items) {
      const waiting = items.filter(
        ({ prepared, picture }) =>
          prepared.delivery !== null &&
          (prepared.audio !== null || prepared.artwork !== null || picture !== null),
      );
      // Nearly every batch of a catalog names no files at all, and costs nothing here.
      const lanes = Array.from({ length: Math.min(CONCURRENCY, waiting.length) }, async () => {
        for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
          await attachOne(item);
        }
      });
      await Promise.all(lanes);
    },
  };
}

type Found = { key: string } | { path: string; sizeBytes: number };

/**
 * The file that a record names, beneath the folder of its catalog file, or a key that the media
 * store holds. Never a file elsewhere: not by `..`, an absolute path, or a link that leads out.
 */
async function find(
  folder: string,
  given: string,
  media: MediaStore,
): Promise<Found | { problem: string }> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) {
    return { problem: 'must be a path or a key, not an address: Stave fetches nothing' };
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
    if (code === 'ENOENT' && isKey && (await media.stat(given)) !== undefined) {
      return { key: given };
    }
    return {
      problem:
        code === 'ENOENT' || code === 'ENOTDIR'
          ? 'names a file that is not there'
          : `cannot be read (${code})`,
    };
  }
}

async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
