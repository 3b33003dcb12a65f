import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const UNFINISHED = '.unfinished';

/** The number of bytes after which a file is synced. The commits of a database on the same disk wait for no more. */
const UNSYNCED_BYTES = 4 * 1024 * 1024;

/**
 * A file that is written from its beginning to its end. What is appended reaches the disk soon, and not all at the
 * end, when the commits of a database on the same disk would wait for it.
 */
export class GradualFile {
  readonly #file: FileHandle;
  #unsynced = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const length = Math.min(bytes.length - at, UNSYNCED_BYTES - this.#unsynced);
      const { bytesWritten } = await this.#file.write(bytes, at, length);
      at += bytesWritten;
      this.#unsynced += bytesWritten;
      if (this.#unsynced < UNSYNCED_BYTES) continue;
      await this.#file.datasync();
      this.#unsynced = 0;
    }
  }
}

/**
 * Replaces a file atomically by what `write` appends: a crash leaves the old file or the new one. Returns what
 * `write` returns.
 */
export async function replaceFile<T>(
  path: string,
  write: (file: GradualFile) => Promise<T>,
): Promise<T> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}${UNFINISHED}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    let result: T;
    try {
      result = await write(new GradualFile(file));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes the incomplete files that crashes have left, if they can be removed: reading does not depend on them. */
export async function removeUnfinished(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder).catch(() => [])) {
    if (name.startsWith(basename(path)) && name.endsWith(UNFINISHED)) {
      await rm(join(folder, name), { force: true }).catch(() => {});
    }
  }
}
