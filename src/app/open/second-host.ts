import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../common/errors.ts';
import { sharedFileSystem } from '../../common/shared-file-system.ts';
import {
  type Host,
  holderOnAnotherHost,
  isOfAnotherHost,
  LOCK_FILES,
  type LockHolder,
} from '../../engines/sql/sqlite/folder-lock.ts';

/**
 * Throws OperatorError if a process of another host has locked the data folder, because the locks of a database in it may
 * not reach that host. Opens no file of the database.
 */
export async function refuseSecondHost(dataFolder: string): Promise<void> {
  if ((await sharedFileSystem(dataFolder)) === undefined) return;
  const host = await thisHost();
  const holder = holderOnAnotherHost(dataFolder, host);
  if (holder !== undefined) throw inUse(dataFolder, holder, host);
}

export async function thisHost(): Promise<Host> {
  const [bootId, machineId] = await Promise.all(
    ['/proc/sys/kernel/random/boot_id', '/etc/machine-id'].map(async (path) =>
      (await readFile(path, 'utf8').catch(() => '')).trim(),
    ),
  );
  return { host: hostname(), ...(bootId && { bootId }), ...(machineId && { machineId }) };
}

/** @param holder undefined if it is not known */
export function inUse(
  dataFolder: string,
  holder: LockHolder | undefined,
  self: Host,
): OperatorError {
  const ifGone =
    holder === undefined || !isOfAnotherHost(holder, self)
      ? ''
      : ` If ${holder.host === self.host ? 'the other machine of this name' : holder.host} no longer runs it, delete ${join(dataFolder, LOCK_FILES.holder)}.`;
  return new OperatorError(
    `The data folder ${dataFolder} is in use by ${describe(holder)}: stop that process, or use another data folder.${ifGone}`,
  );
}

function describe(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'another process';
  const { command, pid, host, address, since } = holder;
  const at = address === undefined ? '' : `, at ${address}`;
  return `\`${command}\` (process ${pid} on ${host}${at}, since ${since})`;
}
