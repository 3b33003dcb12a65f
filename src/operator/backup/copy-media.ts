import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StaveError } from '../../common/errors.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import { copyStream } from './copy.ts';

/** How many files are copied at the same time. */
const CONCURRENCY = 4;

/** The result of copying a media store. */
export interface CopiedMedia {
  /** All files that were examined. */
  files: number;
  copied: number;
  /** Files of the same length that the target had before. */
  present: number;
  /** Keys whose files do not match the hash in the key; these are not copied. */
  damaged: string[];
  /** The size of the copied files. */
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
  told: { onDamaged(key: string): void; onProgress(soFar: CopiedMedia): void },
): Promise<CopiedMedia> {
  const result: CopiedMedia = { files: 0, copied: 0, present: 0, damaged: [], sizeBytes: 0 };
  const folder = await mkdtemp(join(tmpdir(), 'stave-media-'));
  const keys = from.keys()[Symbol.asyncIterator]();

  const lane = async () => {
    for (let next = await keys.next(); next.done !== true; next = await keys.next()) {
      await copyOne(next.value);
      result.files++;
      told.onProgress(result);
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
        told.onDamaged(key);
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
