import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../common/clock.ts';
import { makePrivateFolder } from '../../common/files.ts';
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

/** Copies audio from a bucket to this machine, once for each use. */
export class LocalAudio {
  readonly #media: Pick<MediaStore, 'localPath' | 'read' | 'stat'>;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #abandonedMs: number;

  /**
   * @param options.folder for copies; created when it is first needed
   * @param options.abandonedMs the time after which a copy that is not touched belongs to a process that was killed
   */
  constructor(options: {
    media: Pick<MediaStore, 'localPath' | 'read' | 'stat'>;
    folder: string;
    clock: Clock;
    abandonedMs: number;
  }) {
    this.#media = options.media;
    this.#folder = options.folder;
    this.#clock = options.clock;
    this.#abandonedMs = options.abandonedMs;
  }

  /**
   * Rejects with not_found if the file is missing, with a RenditionProblem if it is too large, and with another error if
   * it cannot be read now, or the signal aborts.
   */
  async open(key: string, signal: AbortSignal): Promise<LocalFile> {
    const found = await this.#media.stat(key);
    if (found === undefined) throw noSuchMedia();
    if (this.#media.localPath !== undefined) {
      return {
        path: this.#media.localPath(key),
        touch: async () => {},
        [Symbol.asyncDispose]: async () => {},
      };
    }
    if (found.sizeBytes > MAX_COPY_BYTES) {
      throw new RenditionProblem(`the file is larger than ${MAX_COPY_BYTES / 1024 ** 3} GB`);
    }
    await makePrivateFolder(this.#folder);
    // The decoders need the extension.
    const path = join(this.#folder, `${randomUUID()}.${extensionOf(key)}`);
    const remove = () => rm(path, { force: true });
    try {
      const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
      await pipeline(await this.#media.read(key), file, { signal });
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
        const seconds = this.#clock.now() / 1_000;
        return utimes(path, seconds, seconds);
      },
      [Symbol.asyncDispose]: remove,
    };
  }

  /** Removes the copies of processes that were killed. */
  async sweep(): Promise<void> {
    if (this.#media.localPath !== undefined) return;
    const names = await readdir(this.#folder).catch((error) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const name of names) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && this.#clock.now() - found.mtimeMs > this.#abandonedMs) {
        await rm(path, { force: true });
      }
    }
  }
}
