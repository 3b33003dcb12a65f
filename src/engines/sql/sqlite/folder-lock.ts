import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPrivately } from './database-files.ts';
import { isBusy, translateSqliteError } from './sqlite-error.ts';

/** The files of a lock in its folder. */
export const LOCK_FILES = {
  /** The file that the holder keeps locked. It is empty. */
  lock: 'lock',
  /** A database with what the last holder says of itself. It is locked for moments, so that one process at a time looks at the lock. */
  holder: 'lock.db',
};

const TURN_MS = 10_000;

/** What the holder of a lock says of itself, in plain data. Later versions may add members. */
export interface LockHolder {
  /** Such as `stave serve`. */
  command: string;
  pid: number;
  host: string;
  /** Of the kernel; another one after each start of the machine. Absent if the system does not show it. */
  bootId?: string;
  /** Of the installation of the system; it stays when the machine is started again. Absent in most containers. */
  machineId?: string;
  /** ISO 8601, UTC. */
  since: string;
  /** HOST:PORT. Absent if it is not known, or if the process does not listen. */
  address?: string;
  /** The name of the database that it uses, without secrets. Absent if that is not a service. */
  place?: string;
}

/**
 * Takes the lock of a folder for this process, and creates the folder if it is missing. Returns the lock, or who has it;
 * `undefined` if that is not known. The kernel keeps the lock: it ends when it is disposed of, and with the process,
 * however that ends. Throws OperatorError if the files cannot be made or used.
 *
 * Where other hosts use the folder, too, their kernels may not know the lock: a lock whose holder on another host has not
 * released it counts as held.
 *
 * No other code of the process may open the files: closing them would release the lock
 * (sqlite.org/howtocorrupt.html, 2.2).
 *
 * @param options.isShared whether other hosts may use the folder
 * @param options.turnMs how long it waits for other processes that look at the lock; each takes some milliseconds
 */
export async function lockFolder(
  folder: string,
  holder: LockHolder,
  { isShared = false, turnMs = TURN_MS }: { isShared?: boolean; turnMs?: number } = {},
): Promise<{ lock: Disposable } | { heldBy: LockHolder | undefined }> {
  for (const name of Object.values(LOCK_FILES)) await createPrivately(join(folder, name), 'lock');
  return inTurn(folder, turnMs, (record) => {
    const lock = tryLock(folder);
    if (lock === undefined) return { heldBy: readHolder(record) };
    try {
      const former = isShared ? readHolder(record) : undefined;
      if (former !== undefined && isOfAnotherHost(former, holder)) {
        lock.close();
        return { heldBy: former };
      }
      record.exec('CREATE TABLE IF NOT EXISTS holder (facts TEXT NOT NULL); DELETE FROM holder');
      record.prepare('INSERT INTO holder (facts) VALUES (?)').run(JSON.stringify(holder));
      record.exec('COMMIT');
    } catch (error) {
      lock.close();
      throw error;
    }
    return { lock: isShared ? releasing(folder, lock, turnMs) : lock };
  });
}

/** What distinguishes a host from others. */
export type Host = Pick<LockHolder, 'host' | 'bootId' | 'machineId'>;

/** Returns the holder on another host that has not released the lock of a folder that hosts share. Changes no file. */
export function holderOnAnotherHost(folder: string, self: Host): LockHolder | undefined {
  const path = join(folder, LOCK_FILES.holder);
  if (!existsSync(path)) return undefined;
  using record = new DatabaseSync(path, { readOnly: true, timeout: TURN_MS });
  const holder = readHolder(record);
  return holder !== undefined && isOfAnotherHost(holder, self) ? holder : undefined;
}

/**
 * A container has another name than its host, but the same boot id. A machine that was started again has another boot id,
 * but the same name and machine id; another machine of that name has another machine id, if both are known.
 */
export function isOfAnotherHost(holder: Host, self: Host): boolean {
  if (holder.bootId === undefined || self.bootId === undefined) return false;
  if (holder.bootId === self.bootId) return false;
  if (holder.host !== self.host) return true;
  const ids = new Set([holder.machineId, self.machineId]);
  return ids.size === 2 && !ids.has(undefined);
}

/** Tells other hosts when the lock is released, also by `process.exit`. */
function releasing(folder: string, lock: DatabaseSync, turnMs: number): Disposable {
  const release = () =>
    inTurn(folder, turnMs, (record) => record.exec('DELETE FROM holder; COMMIT'));
  const atExit = () => {
    try {
      release();
    } catch {
      // The next start names the file to delete.
    }
  };
  process.on('exit', atExit);
  return {
    [Symbol.dispose]() {
      process.off('exit', atExit);
      try {
        release();
      } finally {
        lock.close();
      }
    },
  };
}

/** Returns who has the lock of a folder; undefined if nobody has it, or if that cannot be known. Changes no file. */
export function holderOf(folder: string): LockHolder | undefined {
  if (!Object.values(LOCK_FILES).every((name) => existsSync(join(folder, name)))) return undefined;
  try {
    return inTurn(folder, TURN_MS, (record) => {
      const lock = tryLock(folder);
      lock?.close();
      return lock === undefined ? readHolder(record) : undefined;
    });
  } catch {
    return undefined;
  }
}

/**
 * Does something while no other process looks at the lock, so that the record is always that of the holder. What is not
 * committed is rolled back.
 */
function inTurn<T>(folder: string, turnMs: number, work: (record: DatabaseSync) => T): T {
  const path = join(folder, LOCK_FILES.holder);
  try {
    using record = new DatabaseSync(path, { timeout: turnMs });
    record.exec('BEGIN IMMEDIATE');
    return work(record);
  } catch (error) {
    throw translateSqliteError(error, path);
  }
}

/** Returns a connection that keeps the file locked until it is closed; undefined if another one does. */
function tryLock(folder: string): DatabaseSync | undefined {
  const path = join(folder, LOCK_FILES.lock);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is written, so no file of a journal is needed.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw translateSqliteError(error, path);
  }
}

function readHolder(record: DatabaseSync): LockHolder | undefined {
  try {
    const row = record.prepare('SELECT facts FROM holder').get();
    return row && JSON.parse(row.facts as string);
  } catch {
    return undefined;
  }
}
