import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DATABASE_FILE } from '../../app/open/data-folder.ts';
import { OperatorError, StaveError } from '../../common/errors.ts';
import { type Digested, digestOf, writeDurably } from '../../common/files.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';

/** Writes a stream to a new file and returns its size and hash. Makes the folder of the file. */
export async function copyStream(
  openStream: Parameters<typeof writeDurably>[0],
  to: string,
): Promise<Digested> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  return writeDurably(openStream, to);
}

/** The files that are copied at the same time. */
const CONCURRENCY = 4;

export interface CopiedMedia {
  /** The number of examined files. */
  files: number;
  copied: number;
  /** Files of the same length that the target had before. */
  present: number;
  /** Keys whose files do not match the hash in the key; these are not copied. */
  damaged: string[];
  /** Of the copied files. */
  sizeBytes: number;
}

/** What becomes of each file. */
export interface CopyListener {
  /** The target has the file now. */
  onStored?(key: string, sizeBytes: number): void;
  /** The file does not match the hash in its key, and was not copied. */
  onDamaged(key: string): void;
  onMissing?(key: string): void;
  onProgress?(soFar: CopiedMedia): void;
}

/**
 * Copies the files of one media store that another lacks: all of them, or those that `keys` names. Verifies the hash of each
 * file before storing it, so that no damaged file arrives.
 */
export async function copyMediaStore(
  from: MediaStore,
  to: MediaStore,
  listener: CopyListener,
  named: AsyncIterable<string> = from.keys(),
): Promise<CopiedMedia> {
  const result: CopiedMedia = { files: 0, copied: 0, present: 0, damaged: [], sizeBytes: 0 };
  const folder = await mkdtemp(join(tmpdir(), 'stave-media-'));
  const keys = named[Symbol.asyncIterator]();

  const lane = async () => {
    for (let next = await keys.next(); next.done !== true; next = await keys.next()) {
      await copyOne(next.value);
      result.files++;
      listener.onProgress?.(result);
    }
  };
  const copyOne = async (key: string) => {
    const [here, there] = [await from.stat(key), await to.stat(key)];
    if (there !== undefined && (here === undefined || here.sizeBytes === there.sizeBytes)) {
      result.present++;
      listener.onStored?.(key, there.sizeBytes);
      return;
    }
    const fetched = join(folder, key);
    try {
      const path = from.localPath?.(key) ?? fetched;
      const { sha256, sizeBytes } =
        path === fetched
          ? await copyStream(() => from.read(key), fetched)
          : await digestOf(await from.read(key));
      const [name, extension] = key.split('.') as [string, string];
      if (sha256 !== name) {
        result.damaged.push(key);
        listener.onDamaged(key);
        return;
      }
      await to.putFile(path, extension);
      result.copied++;
      result.sizeBytes += sizeBytes;
      listener.onStored?.(key, sizeBytes);
    } catch (error) {
      if (!(error instanceof StaveError && error.kind === 'not_found')) throw error;
      listener.onMissing?.(key);
    } finally {
      await rm(fetched, { force: true });
    }
  };

  const lanes = Array.from({ length: CONCURRENCY }, lane);
  try {
    await Promise.all(lanes);
  } finally {
    // After an error in one lane, the others finish their current file.
    await keys.return?.();
    await Promise.allSettled(lanes);
    await rm(folder, { recursive: true, force: true });
  }
  return result;
}

/** Result codes of SQLite: the second one is that of a shared-memory file that cannot grow (sqlite.org/rescode.html). */
const FULL = 13;
const IOERR_SHMSIZE = 4874;

/** Whether the disk is full, by the error or one of its causes. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode = 0 } = error as NodeJS.ErrnoException & { errcode?: number };
  const isFull = code === 'ENOSPC' || (errcode & 0xff) === FULL || errcode === IOERR_SHMSIZE;
  return isFull || isDiskFull(error.cause);
}

/** Whether the error or one of its causes is EROFS. */
export function isReadOnly(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as NodeJS.ErrnoException).code === 'EROFS' || isReadOnly(error.cause);
}

/**
 * Returns the same error with the original database in its text, because the copy no longer exists
 * when the operator reads it.
 */
export function namingOriginal(error: unknown, copy: string, original: string): unknown {
  return error instanceof OperatorError
    ? new OperatorError(
        error.message.replaceAll(join(copy, DATABASE_FILE), join(original, DATABASE_FILE)),
        { cause: error },
      )
    : error;
}
