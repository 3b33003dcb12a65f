import { createHash } from 'node:crypto';
import type { FieldProblem } from '../../../common/errors.ts';
import { openRegularFile } from '../../../common/files/regular-file.ts';
import { ARTWORK_EXTENSIONS, AUDIO_EXTENSIONS } from '../../../engines/blobs/content-types.ts';
import type { MediaStore, StoredMedia } from '../../../engines/blobs/media-store.ts';
import type { CatalogStore } from '../../catalog/catalog-stores.ts';
import type { TrackDelivery } from '../../catalog/track.ts';
import { AudioProblem, type TagReader } from '../audio/tag-reader.ts';
import { roundedDuration } from '../canonical/values.ts';
import type { Item } from '../item.ts';
import {
  extensionOfFound,
  type Found,
  findFile,
  pictureExtension,
  storedForm,
} from './found-file.ts';
import { type AudioOfItem, namesParts, PartFiles, PreviewFiles } from './part-and-preview-files.ts';

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
  catalog: Pick<CatalogStore, 'trackRecord' | 'trackParts'>;
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

  readonly #previews: PreviewFiles;
  readonly #parts: PartFiles;

  constructor(deps: Parameters<typeof openMediaPhase>[0]) {
    this.#media = deps.media;
    this.#tagReader = deps.tagReader;
    this.#dryRun = deps.dryRun;
    const keyOfFile = (path: string, extension: string) => this.#keyOfFile(path, extension);
    this.#parts = new PartFiles({
      ...deps,
      storedFile: (path, extension) => this.#storedFile(path, extension),
    });
    this.#previews = new PreviewFiles({
      ...deps,
      keyOfFile,
      keyOfBytes: (bytes, extension) => this.#keyOfBytes(bytes, extension),
    });
  }

  async attach(items: readonly Item[]): Promise<void> {
    const waiting = items.filter(namesFiles);
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
    let audioFile: AudioOfItem;
    if (audio !== null) {
      const found = await findFile(item.folder, audio, this.#media);
      const problem =
        'problem' in found ? found.problem : await this.#attachAudio(item, delivery, found);
      if (problem !== null) {
        problems.push({ field: 'audio', message: problem });
      }
      audioFile = problem !== null || 'problem' in found ? 'faulty' : found;
    }
    if (artwork !== null) {
      const found = await findFile(item.artworkFolder ?? item.folder, artwork, this.#media);
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
    problems.push(...(await this.#previews.attach(item, audioFile)));
    const parts = await this.#parts.check(item);
    problems.push(...parts.problems);
    if (problems.length > 0) {
      item.prepared = { delivery: null, id: delivery.id, problems };
      return;
    }
    await parts.store(delivery);
  }

  async #attachAudio(item: Item, delivery: TrackDelivery, found: Found): Promise<string | null> {
    const extension = extensionOfFound(found);
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
      if (!ARTWORK_EXTENSIONS.includes(extensionOfFound(found))) {
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
    return (await this.#storedFile(path, extension)).key;
  }

  #storedFile(path: string, extension: string): Promise<StoredMedia> {
    return this.#dryRun ? storedForm(path, extension) : this.#media.putFile(path, extension);
  }

  async #keyOfBytes(bytes: Uint8Array, extension: string): Promise<string> {
    return this.#dryRun
      ? `${createHash('sha256').update(bytes).digest('hex')}.${extension}`
      : (await this.#media.putBytes(bytes, extension)).key;
  }
}

function namesFiles({ prepared, picture }: Item): boolean {
  return (
    prepared.delivery !== null &&
    (prepared.audio !== null ||
      prepared.artwork !== null ||
      prepared.preview !== null ||
      prepared.waveform !== null ||
      namesParts(prepared) ||
      picture !== null)
  );
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await openRegularFile(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
