import { randomUUID } from 'node:crypto';
import { open, opendir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { type Clock, systemClock } from '../../../common/clock.ts';
import { OperatorError } from '../../../common/errors.ts';
import {
  fsyncPath,
  makePrivateFolder,
  removeAbandoned,
  unlessMissing,
  writeDurably,
} from '../../../common/files.ts';
import {
  type ByteRange,
  derivedPath,
  isMediaKey,
  type MediaStore,
  mediaPath,
  noSuchMedia,
  refuseUnlessExtension,
  type StoredMedia,
} from '../media-store.ts';

/** Incomplete files are on the same disk, so that a rename is atomic. */
const INCOMING = 'incoming';
/** The age of an incomplete file whose process was killed. */
const ABANDONED_MS = 60 * 60 * 1_000;

/**
 * Creates the folder (mode 0700) if it is missing, unless it is only read. Each file is in a subfolder named by the first two digits of its key.
 * Throws OperatorError if the folder is unusable.
 */
export async function openDiskMediaStore(options: {
  /** Absolute path. */
  folder: string;
  clock?: Clock;
  /** Whether nothing will be stored. */
  readOnly?: boolean;
}): Promise<MediaStore> {
  const { folder, clock = systemClock, readOnly = false } = options;
  const incoming = join(folder, INCOMING);
  if (readOnly) return new DiskMediaStore(folder, incoming);
  await explained(folder, async () => {
    await makePrivateFolder(incoming);
    await removeAbandoned(incoming, ABANDONED_MS, clock);
  });
  return new DiskMediaStore(folder, incoming);
}

class DiskMediaStore implements MediaStore {
  readonly place: string;
  readonly #folder: string;
  readonly #incoming: string;

  constructor(folder: string, incoming: string) {
    this.place = folder;
    this.#folder = folder;
    this.#incoming = incoming;
  }

  async check(): Promise<void> {
    await explained(this.#folder, async () => {
      await makePrivateFolder(this.#incoming);
    });
  }

  async putFile(path: string, extension: string): Promise<StoredMedia> {
    const source = await open(path, 'r');
    try {
      const read = () => source.createReadStream({ autoClose: false, start: 0 });
      return await this.#put(read, extension);
    } finally {
      await source.close();
    }
  }

  putBytes(bytes: Uint8Array, extension: string): Promise<StoredMedia> {
    return this.#put(() => Readable.from([bytes]), extension);
  }

  async stat(key: string): Promise<{ sizeBytes: number; modifiedAt: Date } | undefined> {
    if (!isMediaKey(key)) return undefined;
    const found = await unlessMissing(stat(this.#path(key)));
    return found && { sizeBytes: found.size, modifiedAt: found.mtime };
  }

  async read(key: string, range?: ByteRange, blockBytes?: number): Promise<Readable> {
    const handle = await unlessMissing(open(this.#path(key), 'r'));
    if (handle === undefined) throw noSuchMedia();
    return handle.createReadStream({
      start: range?.start,
      end: range?.end,
      highWaterMark: blockBytes,
    });
  }

  localPath(key: string): string {
    return this.#path(key);
  }

  async remove(key: string): Promise<boolean> {
    if (!isMediaKey(key)) return false;
    const removed = await unlessMissing(rm(this.#path(key)).then(() => true));
    return removed === true;
  }

  async readDerived(name: string): Promise<Buffer | undefined> {
    return unlessMissing(readFile(join(this.#folder, derivedPath(name))));
  }

  keepDerived(name: string, bytes: Uint8Array): Promise<void> {
    return this.#keepDerived(name, () => Readable.from([bytes]));
  }

  async keepDerivedFile(name: string, path: string): Promise<void> {
    const source = await open(path, 'r');
    try {
      await this.#keepDerived(name, () => source.createReadStream({ autoClose: false, start: 0 }));
    } finally {
      await source.close();
    }
  }

  async openDerived(name: string, range: ByteRange): Promise<Readable | undefined> {
    const handle = await unlessMissing(open(join(this.#folder, derivedPath(name)), 'r'));
    return handle?.createReadStream(range);
  }

  async removeDerived(name: string): Promise<void> {
    await rm(join(this.#folder, derivedPath(name)), { force: true });
  }

  async #keepDerived(name: string, read: () => Readable): Promise<void> {
    const path = join(this.#folder, derivedPath(name));
    const temporary = join(this.#incoming, randomUUID());
    await explained(this.#folder, async () => {
      try {
        await writeDurably(read, temporary);
        await makePrivateFolder(dirname(path));
        // The name may be lost in a power failure: the bytes can be made again.
        await rename(temporary, path);
      } finally {
        await rm(temporary, { force: true });
      }
    });
  }

  async *keys(): AsyncIterable<string> {
    for (const fan of await readdir(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(fan)) continue;
      for await (const entry of await opendir(join(this.#folder, fan))) {
        if (isMediaKey(entry.name)) yield entry.name;
      }
    }
  }

  #path(key: string): string {
    return join(this.#folder, mediaPath(key));
  }

  async #put(read: () => Readable, extension: string): Promise<StoredMedia> {
    refuseUnlessExtension(extension);
    return explained(this.#folder, async () => {
      const put = await unlessMissing(this.#putOnce(read, extension));
      // After a pause, such as the sleep of a laptop, another process may have removed the file as abandoned.
      return put ?? this.#putOnce(read, extension);
    });
  }

  async #putOnce(read: () => Readable, extension: string): Promise<StoredMedia> {
    const temporary = join(this.#incoming, randomUUID());
    try {
      const { sha256, sizeBytes } = await writeDurably(read, temporary);
      const key = `${sha256}.${extension}`;
      await this.#accept(temporary, key, sizeBytes);
      return { key, sizeBytes };
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Gives the file its name. An existing file stays, unless its length shows that it is damaged. */
  async #accept(temporary: string, key: string, sizeBytes: number): Promise<void> {
    const path = this.#path(key);
    if ((await unlessMissing(stat(path)))?.size === sizeBytes) return;
    const fan = join(this.#folder, key.slice(0, 2));
    const made = await makePrivateFolder(fan);
    await rename(temporary, path);
    await fsyncPath(fan);
    if (made) await fsyncPath(this.#folder);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full: free some space and try again',
  EDQUOT: 'the quota of this user is used up: free some space and try again',
  EACCES: 'it is not writable for this user: change its owner or mode',
  EPERM: 'it is not writable for this user: change its owner or mode',
  EROFS: 'its disk is read-only: choose another data folder',
  ENOTDIR: 'a part of its path is a file: choose another data folder',
  ENOENT: 'no folder can be made there: choose another data folder',
  EMFILE: 'too many files are open: raise the limit of open files',
  EIO: 'its disk failed: check the disk',
};

async function explained<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw error;
    throw new OperatorError(`The media folder ${folder} cannot be used: ${reason}.`, {
      cause: error,
    });
  }
}
