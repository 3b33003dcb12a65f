import { digestOf } from '../../common/files.ts';
import { explain } from '../../common/text/explain.ts';
import { type MediaStore, mediaPath } from '../../engines/blobs/media-store.ts';
import {
  isMissing,
  mediaOf,
  noFinishedBackup,
  type Repository,
  readBackups,
} from './repository.ts';

/** What is wrong with a file of a repository. */
interface Problem {
  /** The times of the backups that need the file; empty if the file is the manifest of one. */
  backups: string[];
  /** The path in the repository. */
  file: string;
  problem: string;
}

export interface Verified {
  backups: number;
  /** Files that are in several backups count once. */
  files: number;
  sizeBytes: number;
  problems: Problem[];
}

interface Needed {
  store: MediaStore;
  path: string;
  key: string;
  sizeBytes: number;
  backups: string[];
}

/**
 * Checks that every file of every backup is there with its length; with `deep`, also reads all files and compares their
 * content with the hashes in their names. Throws OperatorError if there is no backup.
 */
export async function verify(
  repository: Repository,
  { deep, onFile }: { deep: boolean; onFile(sizeBytes: number): void },
): Promise<Verified> {
  const { backups, unreadable } = await readBackups(repository);
  if (backups.length + unreadable.length === 0) throw noFinishedBackup(repository);
  const problems: Problem[] = unreadable.map(({ key, problem }) => ({
    ...{ backups: [], file: `backups/${mediaPath(key)}`, problem },
  }));
  const needed = new Map<string, Needed>();
  for (const { manifest } of backups) {
    const need = (folder: 'databases' | 'media', file: { key: string; sizeBytes: number }) => {
      const path = `${folder}/${mediaPath(file.key)}`;
      const entry = needed.get(path) ?? { ...file, path, store: repository[folder], backups: [] };
      entry.backups.push(manifest.createdAt);
      needed.set(path, entry);
    };
    need('databases', manifest.database);
    need('databases', manifest.mediaList);
    for (const file of (await mediaOf(repository, manifest)) ?? []) need('media', file);
  }
  for (const file of needed.values()) {
    // The lists of media are always read, because the check depends on them.
    const problem = await problemOf(file, deep || file.key.endsWith('.txt'));
    if (problem !== undefined) {
      problems.push({ backups: file.backups, file: file.path, problem });
    }
    onFile(file.sizeBytes);
  }
  const sizeBytes = [...needed.values()].reduce((sum, file) => sum + file.sizeBytes, 0);
  return { backups: backups.length, files: needed.size, sizeBytes, problems };
}

async function problemOf(file: Needed, deep: boolean): Promise<string | undefined> {
  const found = await file.store.stat(file.key);
  if (found === undefined) return 'missing';
  if (found.sizeBytes !== file.sizeBytes) return 'of another length';
  if (!deep) return undefined;
  try {
    const { sha256 } = await digestOf(await file.store.read(file.key));
    return file.key.startsWith(`${sha256}.`) ? undefined : 'damaged';
  } catch (error) {
    return isMissing(error) ? 'missing' : explain(error);
  }
}
