import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isBeneath } from '../../../common/files.ts';
import { extensionOf } from '../../../engines/blobs/content-types.ts';

export interface AudioFile {
  path: string;
  /** Relative to the folder, with `/` between names. */
  relative: string;
  sizeBytes: number;
  /** Why the file cannot be imported; null if it can. */
  problem: string | null;
}

const MAX_DEPTH = 32;

/**
 * Yields the files below a folder that have one of the extensions, ordered by name within each folder, so that every walk
 * gives the same order. Calls `onSkipped` for other files. Skips names that begin with a dot. Follows links to files
 * below the folder only, and never links to folders.
 */
export async function* filesBelow(
  root: string,
  extensions: readonly string[],
  onSkipped: (extension: string) => void = () => {},
): AsyncGenerator<AudioFile> {
  const realRoot = await realpath(root);
  yield* walk({ folder: root, relative: '', realRoot, depth: 0, extensions, onSkipped });
}

async function* walk(place: {
  folder: string;
  relative: string;
  realRoot: string;
  depth: number;
  extensions: readonly string[];
  onSkipped: (extension: string) => void;
}): AsyncGenerator<AudioFile> {
  const entries = await readdir(place.folder, { withFileTypes: true });
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    const { name } = entry;
    if (name.startsWith('.')) {
      continue;
    }
    const path = join(place.folder, name);
    const relative = place.relative === '' ? name : `${place.relative}/${name}`;
    if (entry.isDirectory()) {
      if (place.depth < MAX_DEPTH) {
        yield* walk({ ...place, folder: path, relative, depth: place.depth + 1 });
      }
    } else if (place.extensions.includes(extensionOf(name))) {
      yield await audioFile(path, relative, place.realRoot);
    } else {
      place.onSkipped(extensionOf(name));
    }
  }
}

/** Examines one file; `realRoot` is the folder that links may not leave. */
export async function audioFile(
  path: string,
  relative: string,
  realRoot: string,
): Promise<AudioFile> {
  const file = { path, relative, sizeBytes: 0 };
  try {
    const target = await realpath(path);
    if (!isBeneath(target, realRoot)) {
      return { ...file, problem: 'a link that leads out of the folder' };
    }
    const stats = await stat(target);
    if (!stats.isFile()) {
      return { ...file, problem: 'not a regular file' };
    }
    return {
      ...file,
      sizeBytes: stats.size,
      problem: stats.size === 0 ? 'the file is empty' : null,
    };
  } catch (error) {
    return {
      ...file,
      problem: `the file cannot be read (${(error as NodeJS.ErrnoException).code})`,
    };
  }
}

/** Returns the file's name without its extension, which names a track without a title. */
export function titleOf(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
