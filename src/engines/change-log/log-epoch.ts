import { randomBytes } from 'node:crypto';

/** The name of the epoch in the settings of a store. */
export const LOG_EPOCH = 'log_epoch';

interface Settings {
  get(name: string): Promise<string | undefined>;
  add(name: string, value: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
}

/**
 * Gives the change log an epoch if it has none. The epoch identifies one history of the log: after a database was
 * restored, its numbers are assigned again to other changes, so that a position is valid only in its epoch.
 */
export async function ensureLogEpoch(settings: Settings): Promise<void> {
  if ((await settings.get(LOG_EPOCH)) === undefined) await settings.add(LOG_EPOCH, newEpoch());
}

/** Begins a new epoch, in which no earlier position in the log is valid, and returns it. */
export async function renewLogEpoch(settings: Settings): Promise<string> {
  const epoch = newEpoch();
  await settings.set(LOG_EPOCH, epoch);
  return epoch;
}

/** Eight random bytes in hexadecimal digits. */
function newEpoch(): string {
  return randomBytes(8).toString('hex');
}
