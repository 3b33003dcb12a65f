import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DATABASE_FILE } from '../../app/open/data-folder.ts';
import { OperatorError, StaveError } from '../../common/errors.ts';
import { type Digested, writeDurably } from '../../common/files.ts';
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

/**
 * Copies every file of one media store that another lacks. Writes each file to a temporary file and
 * verifies its hash before storing it, so that no damaged file arrives. Skips files that are
 * removed meanwhile.
 */
export async function copyMediaStore(
  from: MediaStore,
  to: MediaStore,
  listener: { onDamaged(key: string): void; onProgress(soFar: CopiedMedia): void },
): Promise<CopiedMedia> {
  const result: CopiedMedia = { files: 0, copied: 0, present: 0, damaged: [], sizeBytes: 0 };
  const folder = await mkdtemp(join(tmpdir(), 'stave-media-'));
  const keys = from.keys()[Symbol.asyncIterator]();

  const lane = async () => {
    for (let next = await keys.next(); next.done !== true; next = await keys.next()) {
      await copyOne(next.value);
      result.files++;
      listener.onProgress(result);
    }
  };
  const copyOne = async (key: string) => {
    const [here, there] = [await from.stat(key), await to.stat(key)];
    if (here === undefined) return;
    if (there?.sizeBytes === here.sizeBytes) {
      result.present++;
      return;
    }
    const path = join(folder, key);
    try {
      const { sha256, sizeBytes } = await copyStream(() => from.read(key), path);
      const [name, extension] = key.split('.') as [string, string];
      if (sha256 !== name) {
        result.damaged.push(key);
        listener.onDamaged(key);
        return;
      }
      await to.putFile(path, extension);
      result.copied++;
      result.sizeBytes += sizeBytes;
    } catch (error) {
      if (!(error instanceof StaveError && error.kind === 'not_found')) throw error;
    } finally {
      await rm(path, { force: true });
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

/** Whether the error or one of its causes is ENOSPC, or SQLITE_FULL (result code 13) of SQLite. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode = 0 } = error as NodeJS.ErrnoException & { errcode?: number };
  return code === 'ENOSPC' || (errcode & 0xff) === 13 || isDiskFull(error.cause);
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
