import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { OperatorError } from '../kernel/operator-error.ts';
import { AUDIO_EXTENSIONS, extensionOf } from '../media/content-types.ts';

/** What a path on the command line turned out to be. */
export type Source =
  | { kind: 'catalog'; path: string; sizeBytes: number }
  /** `only` names the one file of the folder that is meant; null: all of them. */
  | { kind: 'folder'; path: string; only: string | null };

/** Looks at every path before anything is read; throws OperatorError for one that is not there. */
export async function openSources(paths: readonly string[]): Promise<Source[]> {
  if (paths.length === 0) {
    throw new OperatorError('name at least one file or folder to import');
  }
  return Promise.all(paths.map(openSource));
}

async function openSource(path: string): Promise<Source> {
  let stats: Awaited<ReturnType<typeof stat>>;
  try {
    stats = await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `no such file or folder: ${path}`
        : `cannot read ${path}: ${code === 'EACCES' ? 'permission denied' : code}`,
      { cause: error },
    );
  }
  if (stats.isDirectory()) {
    return { kind: 'folder', path, only: null };
  }
  if (!stats.isFile()) {
    throw new OperatorError(`${path} is neither a regular file nor a folder`);
  }
  return AUDIO_EXTENSIONS.includes(extensionOf(path))
    ? { kind: 'folder', path: dirname(path), only: basename(path) }
    : { kind: 'catalog', path, sizeBytes: stats.size };
}

/** The source of a folder's tracks where `--source` names none: two folders must not share ids. */
export function folderSource(path: string): string {
  return `folder:${basename(resolve(path)) || 'root'}`;
}
