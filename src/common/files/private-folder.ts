import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents, for this user alone (mode 0700). Returns false if a folder
 * or a file of that name exists. Node's recursive mkdir does not return on a file system that refuses
 * new folders with ENOENT, as /proc does.
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
