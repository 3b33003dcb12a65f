import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { TrackDelivery } from '../catalog/track.ts';
import type { FieldProblem } from '../common/errors.ts';
import { ARTWORK_EXTENSIONS, AUDIO_EXTENSIONS, extensionOf } from '../media/content-types.ts';
import type { MediaStore } from '../media/media-store.ts';
import { isBeneath } from './audio/folder.ts';
import { AudioProblem, type TagReader } from './audio/tag-reader.ts';
import { roundedDuration } from './canonical/values.ts';
import type { Item } from './item.ts';
import { pictureExtension } from './picture.ts';

/** Larger artwork is taken for a mistake, because clients load it with every track. */
const MAX_ARTWORK_BYTES = 20 * 1024 * 1024;
/** How many files are stored at the same time. */
const CONCURRENCY = 2;
/** How many artwork paths are kept with their keys. The tracks of an album share their artwork. */
const MAX_REMEMBERED = 1_000;

/** The phase that stores audio and artwork in the media store. */
export interface MediaPhase {
  /**
   * Stores the files that the items name, and sets keys and durations. An item with a faulty file
   * becomes a rejected one.
   */
  attach(items: readonly Item[]): Promise<void>;
}

/** With `dryRun`, computes the keys and stores nothing. */
export function openMediaPhase(deps: {
  media: MediaStore;
  tagReader: TagReader;
  dryRun: boolean;
}): MediaPhase {
  return new MediaFiles(deps);
}

class MediaFiles implements MediaPhase {
  readonly #media: MediaStore;
  readonly #tagReader: TagReader;
  readonly #dryRun: boolean;
  readonly #artworkKeys = new Map<string, string>();

  constructor(deps: { media: MediaStore; tagReader: TagReader; dryRun: boolean }) {
    this.#media = deps.media;
    this.#tagReader = deps.tagReader;
    this.#dryRun = deps.dryRun;
  }

  async attach(items: readonly Item[]): Promise<void> {
    const waiting = items.filter(
      ({ prepared, picture }) =>
        prepared.delivery !== null &&
        (prepared.audio !== null || prepared.artwork !== null || picture !== null),
    );
    // Almost every batch of a catalog file names no files; it then starts no lane.
    const lanes = Array.from({ length: Math.min(CONCURRENCY, waiting.length) }, async () => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
        await this.#attachOne(item);
      }
    });
    await Promise.all(lanes);
  }

  async #attachOne(item: Item): Promise<void> {
    if (item.prepared.delivery === null) {
      return;
    }
    const { delivery, audio, artwork } = item.prepared;
    const problems: FieldProblem[] = [];
    if (audio !== null) {
      const found = await find(item.folder, audio, this.#media);
      const problem =
        'problem' in found ? found.problem : await this.#attachAudio(item, delivery, found);
      if (problem !== null) {
        problems.push({ field: 'audio', message: problem });
      }
    }
    if (artwork !== null) {
      const found = await find(item.folder, artwork, this.#media);
      const problem =
        'problem' in found ? found.problem : await this.#attachArtwork(delivery, found);
      if (problem !== null) {
        problems.push({ field: 'artwork', message: problem });
      }
    } else if (item.picture !== null) {
      const extension = pictureExtension(item.picture);
      delivery.artworkKey =
        extension === undefined ? null : await this.#keyOfBytes(item.picture, extension);
    }
    if (problems.length > 0) {
      item.prepared = { delivery: null, id: delivery.id, problems };
    }
  }

  async #attachAudio(item: Item, delivery: TrackDelivery, found: Found): Promise<string | null> {
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
        const { durationSeconds } = await this.#tagReader.read(found.path);
        delivery.durationSeconds = roundedDuration(durationSeconds);
      } catch (error) {
        if (error instanceof AudioProblem) {
          return error.message;
        }
        throw error;
      }
    }
    delivery.audioKey = await this.#keyOfFile(found.path, extension);
    return null;
  }

  async #attachArtwork(delivery: TrackDelivery, found: Found): Promise<string | null> {
    if ('key' in found) {
      if (!ARTWORK_EXTENSIONS.includes(extensionOf(found.key))) {
        return 'must be a PNG, JPEG, GIF, WebP or AVIF picture';
      }
      delivery.artworkKey = found.key;
      return null;
    }
    const remembered = this.#artworkKeys.get(found.path);
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
    const key = await this.#keyOfFile(found.path, extension);
    if (this.#artworkKeys.size >= MAX_REMEMBERED) {
      this.#artworkKeys.clear();
    }
    this.#artworkKeys.set(found.path, key);
    delivery.artworkKey = key;
    return null;
  }

  async #keyOfFile(path: string, extension: string): Promise<string> {
    return this.#dryRun
      ? `${await fileHash(path)}.${extension}`
      : (await this.#media.putFile(path, extension)).key;
  }

  async #keyOfBytes(bytes: Uint8Array, extension: string): Promise<string> {
    return this.#dryRun
      ? `${createHash('sha256').update(bytes).digest('hex')}.${extension}`
      : (await this.#media.putBytes(bytes, extension)).key;
  }
}

type Found = { key: string } | { path: string; sizeBytes: number };

/**
 * Finds the file that a record names below the folder of its catalog file, or the key in the media
 * store. Never finds a file elsewhere: not by `..`, an absolute path, or a link that leads out of
 * the folder.
 */
async function find(
  folder: string,
  given: string,
  media: MediaStore,
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
    if (code === 'ENOENT' && isKey && (await media.stat(given)) !== undefined) {
      return { key: given };
    }
    return {
      problem:
        code === 'ENOENT' || code === 'ENOTDIR'
          ? 'names a file that does not exist'
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
