import { open } from 'node:fs/promises';

/** Makes the bytes of a file, or the names in a folder, survive a loss of power. */
export async function fsyncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
