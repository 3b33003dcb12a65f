import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../common/clock.ts';
import { makePrivateFolder, removeAbandoned } from '../../common/files.ts';
import { RenditionProblem } from '../../engines/audio/audio-block.ts';
import { extensionOf } from '../../engines/blobs/content-types.ts';
import { type MediaStore, noSuchMedia } from '../../engines/blobs/media-store.ts';

/** The largest file that is copied from a bucket. Bounds the disk space of a thread. */
const MAX_COPY_BYTES = 4 * 1024 ** 3;

/** An audio file on this machine. Disposal removes it if it is a copy. */
export interface LocalFile extends AsyncDisposable {
  path: string;
  /** Marks a copy as used, so that no other process removes it. */
  touch(): Promise<void>;
}

interface LocalAudioOptions {
  media: Pick<MediaStore, 'localPath' | 'read' | 'stat'>;
  /** For copies; created when it is first needed. */
  folder: string;
  clock: Clock;
  /** The time after which a copy that is not touched belongs to a process that was killed. */
  abandonedMs: number;
}

/** Copies audio from a bucket to this machine, once for each use. */
export class LocalAudio {
  readonly #options: LocalAudioOptions;

  constructor(options: LocalAudioOptions) {
    this.#options = options;
  }

  /**
   * Rejects with not_found if the file is missing, with a RenditionProblem if it is too large, and with another error if
   * it cannot be read now, or the signal aborts.
   */
  async open(key: string, signal: AbortSignal): Promise<LocalFile> {
    const { media, folder, clock } = this.#options;
    const found = await media.stat(key);
    if (found === undefined) throw noSuchMedia();
    if (media.localPath !== undefined) {
      return {
        path: media.localPath(key),
        touch: async () => {},
        [Symbol.asyncDispose]: async () => {},
      };
    }
    if (found.sizeBytes > MAX_COPY_BYTES) {
      throw new RenditionProblem(`the file is larger than ${MAX_COPY_BYTES / 1024 ** 3} GB`);
    }
    await makePrivateFolder(folder);
    // The decoders need the extension.
    const path = join(folder, `${randomUUID()}.${extensionOf(key)}`);
    const remove = () => rm(path, { force: true });
    try {
      const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
      await pipeline(await media.read(key), file, { signal });
      if (file.bytesWritten !== found.sizeBytes) {
        throw new Error(`of ${found.sizeBytes} bytes of audio, ${file.bytesWritten} came`);
      }
    } catch (error) {
      await remove();
      throw error;
    }
    return {
      path,
      touch: () => {
        const seconds = clock.now() / 1_000;
        return utimes(path, seconds, seconds);
      },
      [Symbol.asyncDispose]: remove,
    };
  }

  /** Removes the copies of processes that were killed. */
  async sweep(): Promise<void> {
    const { media, folder, clock, abandonedMs } = this.#options;
    if (media.localPath === undefined) await removeAbandoned(folder, abandonedMs, clock);
  }
}
