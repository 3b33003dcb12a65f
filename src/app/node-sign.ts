import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { newId } from '../common/ids.ts';
import type { RunningNode } from '../common/nodes.ts';
import { PeriodicTasks } from '../common/periodic-tasks.ts';
import { SERVICE_VERSION } from '../common/version.ts';
import type { AppContext } from './context.ts';
import { SERVICE_FILE } from './data-folder.ts';

const SIGN_MS = 15_000;

/** What a service writes into its data folder, so that a command with other settings learns of it. */
export interface ServiceRecord extends RunningNode {
  /** The name of the database that it uses, without secrets. */
  place: string;
}

/**
 * Shows every 15 seconds that a node runs: in the database, with the time of its own clock, and by the time of a file in
 * its data folder. Both are removed at the stop.
 */
export function nodeSign({ config, store, clock, log }: AppContext) {
  const node: RunningNode = {
    node: newId(),
    host: hostname(),
    pid: process.pid,
    version: SERVICE_VERSION,
    dataFolder: config.dataFolder,
  };
  const path = join(config.dataFolder, SERVICE_FILE);
  const tasks = new PeriodicTasks({
    tasks: [
      { name: 'showing the node in the database', run: () => store.nodes.seen(node, clock.now()) },
      {
        name: 'showing the node in the data folder',
        run: () => sign(path, { ...node, place: store.tables.place }, clock.now()),
      },
    ],
    intervalMs: SIGN_MS,
    // The service does not depend on it.
    onError: (error, { name }) => log.debug({ err: error }, `${name} failed`),
  });
  return {
    start: () => tasks.start(),
    async stop() {
      await tasks.stop();
      if (store.isReachable()) await store.nodes.gone(node.node).catch(() => {});
      const record = await readServiceRecord(path);
      if (record?.node === node.node) await rm(path, { force: true }).catch(() => {});
    },
  };
}

/** Reads the record of a data folder; undefined if there is none that can be read. */
export async function readServiceRecord(path: string): Promise<ServiceRecord | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Writes the record, or sets the time of that which is there. */
async function sign(path: string, record: ServiceRecord, now: number): Promise<void> {
  if ((await readServiceRecord(path))?.node === record.node) {
    await utimes(path, now / 1_000, now / 1_000);
    return;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, `${JSON.stringify(record)}\n`, { mode: 0o600 });
}
