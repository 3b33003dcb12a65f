import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  constants,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { type Clock, systemClock } from './clock.ts';
import { OperatorError } from './errors.ts';
import { meaningOf } from './text/explain.ts';

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

  /** Shows other processes that the file is still being written. */
  async touch(): Promise<void> {
    const now = new Date(systemClock.now());
    await this.#file.utimes(now, now);
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
 * `write` returns. The name of the unfinished file contains `by`.
 */
export async function replaceFile<T>(
  path: string,
  write: (file: GradualFile) => Promise<T>,
  by = 'one',
): Promise<T> {
  const temporary = `${path}.${by}.${randomBytes(6).toString('hex')}${UNFINISHED}`;
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

/** Returns the bytes of a stream; undefined, without reading further, if there are more than `most`. */
export async function readAtMost(
  stream: AsyncIterable<Buffer | string>,
  most: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > most) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

export interface Digested {
  sizeBytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/** @param write gets each chunk before the next one is read */
export async function digestOf(
  stream: AsyncIterable<Uint8Array>,
  write: (chunk: Uint8Array) => Promise<void> = async () => {},
): Promise<Digested> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    await write(chunk);
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/**
 * Writes a stream to a new file for this user alone, durably and in constant memory. Opens the stream itself, so that
 * nobody misses an error of it.
 */
export async function writeDurably(
  openStream: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>,
  path: string,
): Promise<Digested> {
  const file = await open(path, 'wx', 0o600);
  try {
    const digested = await digestOf(await openStream(), (chunk) => file.writeFile(chunk));
    await file.sync();
    return digested;
  } finally {
    await file.close();
  }
}

/**
 * Removes the incomplete files that crashes have left, if they can be removed: reading does not depend on them. Keeps those
 * that another process, which has this name, has written since a time in milliseconds since the epoch. Returns whether
 * there are such files.
 */
export async function removeUnfinished(
  path: string,
  other?: { by: string; since: number },
): Promise<boolean> {
  const folder = dirname(path);
  let areLeft = false;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(basename(path)) || !name.endsWith(UNFINISHED)) continue;
    const file = join(folder, name);
    const isOther = other !== undefined && name.startsWith(`${basename(path)}.${other.by}.`);
    const writtenAt = isOther ? ((await unlessMissing(stat(file)))?.mtimeMs ?? 0) : 0;
    if (isOther && writtenAt >= other.since) areLeft = true;
    else await rm(file, { force: true }).catch(() => {});
  }
  return areLeft;
}

/** Returns undefined if there is no such file or folder. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes the files of a folder, if there is one, that nobody has changed for this time: their process was killed. */
export async function removeAbandoned(folder: string, ageMs: number, clock: Clock): Promise<void> {
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    const path = join(folder, name);
    const found = await unlessMissing(stat(path));
    if (found !== undefined && clock.now() - found.mtimeMs > ageMs) await rm(path, { force: true });
  }
}

/**
 * A pipe without a writer would keep `open` waiting forever, in one of the few threads that read all files of the process,
 * and the process could not end. A terminal must not become that of the service.
 */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Opens a regular file to read it, and never waits for anything else at the path. All checks are of the opened file,
 * which nobody can replace in between. The caller closes it.
 *
 * Throws OperatorError that names the file and the problem. Its cause is the system error, if there is one.
 *
 * @param options.name what messages call the file; by default its path
 * @param options.beneath the folder that must contain the file, also after its links were followed
 */
export async function openRegularFile(
  path: string,
  { name = path, beneath }: { name?: string; beneath?: string | undefined } = {},
): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, FLAGS);
    const isRegular = (await file.stat()).isFile();
    if (!isRegular) throw new OperatorError(`${name} is not a regular file`);
    if (
      beneath !== undefined &&
      !isBeneath(await openedPath(file, path), await realpath(beneath))
    ) {
      throw new OperatorError(`${name} must lie beneath the folder ${beneath}`);
    }
    return file;
  } catch (error) {
    await file?.close();
    if (error instanceof OperatorError) throw error;
    // Sockets cannot be opened.
    const isSocket = (error as NodeJS.ErrnoException).code === 'ENXIO';
    throw new OperatorError(
      isSocket ? `${name} is not a regular file` : `cannot read ${name}: ${meaningOf(error)}`,
      { cause: error },
    );
  }
}

/** Whether a real path lies beneath a real folder. */
export function isBeneath(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Returns the real path of an open file. Only Linux has the path of the file itself. */
function openedPath(file: FileHandle, path: string): Promise<string> {
  return process.platform === 'linux' ? readlink(`/proc/self/fd/${file.fd}`) : realpath(path);
}

/**
 * Creates a folder and its missing parents, for this user alone (mode 0700). Returns false if a folder
 * or a file of that name exists. Node's recursive mkdir does not return on a file system that refuses
 * new folders with ENOENT, as /proc does.
 */
export async function makePrivateFolder(path: string): Promise<boolean> {
  const made = await unlessMissing(make(path));
  if (made !== undefined) return made;
  const above = dirname(path);
  if (above !== path) await makePrivateFolder(above);
  return make(path);
}

async function make(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns a folder itself, or the nearest one above it that exists. */
export function nearestFolder(folder: string): string {
  const above = dirname(folder);
  return existsSync(folder) || above === folder ? folder : nearestFolder(above);
}

/** Flushes the bytes of a file, or the entries of a folder, to the disk, so that they survive a power loss. */
export async function fsyncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
