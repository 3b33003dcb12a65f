import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../common/clock.ts';
import { OperatorError } from '../../common/errors.ts';
import type { Log } from '../../common/log.ts';
import { type LockHolder, lockFolder } from '../../engines/sql/sqlite/folder-lock.ts';
import type { Config } from '../config/config.ts';
import { UPLOADS_FOLDER } from './data-folder.ts';
import { locationOf, placeOf } from './open-store.ts';

/**
 * Locks a data folder for this process, until the lock is disposed of or the process ends. Creates the folder if it is
 * missing. A service holds the lock, and so does a command that may not run beside a service. Throws OperatorError if
 * another process has it, or if the folder cannot be used.
 */
export async function lockDataFolder(
  dataFolder: string,
  clock: Clock,
  self: Pick<LockHolder, 'command' | 'address' | 'place'>,
): Promise<Disposable> {
  const since = new Date(clock.now()).toISOString();
  const holder = { ...self, pid: process.pid, host: hostname(), since };
  const locked = await lockFolder(dataFolder, holder);
  if ('lock' in locked) return locked.lock;
  throw new OperatorError(
    `The data folder ${dataFolder} is in use by ${describe(locked.heldBy)}: stop that process, or use another data folder.`,
  );
}

/**
 * Locks the data folder for a service with all its workers. Then removes the uploads that a killed service has left: only
 * the holder of the lock stores uploads.
 */
export async function lockForService(
  config: Config,
  { clock, log }: { clock: Clock; log: Log },
): Promise<Disposable> {
  const { dataFolder, host, port } = config;
  const lock = await lockDataFolder(dataFolder, clock, {
    command: 'stave serve',
    ...(port !== 0 && { address: `${host}:${port}` }),
    place: await placeOf(locationOf(config)),
  });
  const uploads = join(dataFolder, UPLOADS_FOLDER);
  for (const name of await readdir(uploads).catch(() => [])) {
    try {
      await rm(join(uploads, name), { recursive: true, force: true });
    } catch (error) {
      log.warn({ err: error }, 'what is left of an upload cannot be removed');
    }
  }
  return lock;
}

function describe(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'another process';
  const { command, pid, host, address, since } = holder;
  const at = address === undefined ? '' : `, at ${address}`;
  return `\`${command}\` (process ${pid} on ${host}${at}, since ${since})`;
}
