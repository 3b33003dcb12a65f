import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing, for this user alone (mode 0700); false where
 * there is one, or a file, of that name. Node's own recursive mkdir never ends where a file system
 * refuses new folders with ENOENT, as /proc does.
 */
export async function makePrivateFolder(path: string): Promise<boolean> {
  try {
    return await make(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
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
