import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { DemoState } from './state.ts';

const PREFIX = 'stave-demo-';

/**
 * Calls `work` with a new temporary folder, and deletes the folder afterwards. First deletes the
 * folder of a killed load.
 */
export async function inTemporaryFolder(
  state: DemoState,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  await removeAbandonedFolder(state);
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  try {
    await state.setFolder(folder);
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await state.setFolder(null);
  }
}

/** Deletes the temporary folder of a killed load. */
export async function removeAbandonedFolder(state: DemoState): Promise<void> {
  const folder = await state.folder();
  if (folder !== undefined && basename(folder).startsWith(PREFIX)) {
    await rm(folder, { recursive: true, force: true });
  }
}
