import { open } from 'node:fs/promises';

/** Flushes the bytes of a file, or the entries of a folder, to the disk, so that they survive a power loss. */
export async function fsyncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
