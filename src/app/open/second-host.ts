import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../common/errors.ts';
import { sharedFileSystem } from '../../common/shared-file-system.ts';
import {
  holderOnAnotherHost,
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

export async function thisHost(): Promise<Pick<LockHolder, 'host' | 'bootId'>> {
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined);
  return { host: hostname(), ...(bootId !== undefined && { bootId: bootId.trim() }) };
}

/** @param holder undefined if it is not known */
export function inUse(
  dataFolder: string,
  holder: LockHolder | undefined,
  { host }: Pick<LockHolder, 'host'>,
): OperatorError {
  const ifGone =
    holder === undefined || holder.host === host
      ? ''
      : ` If ${holder.host} no longer runs it, delete ${join(dataFolder, LOCK_FILES.holder)}.`;
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
