import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../common/clock.ts';
import type { Log } from '../../common/log.ts';
import { sharedFileSystem } from '../../common/shared-file-system.ts';
import { type LockHolder, lockFolder } from '../../engines/sql/sqlite/folder-lock.ts';
import type { Config } from '../config/config.ts';
import { UPLOADS_FOLDER } from './data-folder.ts';
import { locationOf, placeOf } from './open-store.ts';
import { inUse, thisHost } from './second-host.ts';

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
  const host = await thisHost();
  const holder = { ...self, ...host, pid: process.pid, since };
  const isShared = (await sharedFileSystem(dataFolder)) !== undefined;
  const locked = await lockFolder(dataFolder, holder, { isShared });
  if ('lock' in locked) return locked.lock;
  throw inUse(dataFolder, locked.heldBy, host);
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
  const fileSystem = await sharedFileSystem(dataFolder);
  if (fileSystem !== undefined) {
    log.warn(
      { dataFolder, fileSystem },
      'other hosts may use the data folder, and damage what is in it',
    );
  }
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
