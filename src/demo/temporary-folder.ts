import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { DemoState } from './state.ts';

const PREFIX = 'stave-demo-';

/** Does work in a new temporary folder, which is gone afterwards, and so is one of a killed load. */
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

/** Removes what a killed load left in the temporary folder of the machine. */
export async function removeAbandonedFolder(state: DemoState): Promise<void> {
  const folder = await state.folder();
  if (folder !== undefined && basename(folder).startsWith(PREFIX)) {
    await rm(folder, { recursive: true, force: true });
  }
}
