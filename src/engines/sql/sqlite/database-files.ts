import { randomUUID } from 'node:crypto';
import { access, constants, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../../common/errors.ts';
import { fsyncPath, makePrivateFolder } from '../../../common/files.ts';
import { translateSqliteError } from './sqlite-error.ts';

/**
 * Creates a database file for its owner alone, and its folder, if they are missing. SQLite would create a file that
 * every user can read, and it gives the WAL the mode of the file. Throws OperatorError if that fails.
 *
 * @param kind what messages call the file
 */
export async function createPrivately(path: string, kind = 'database'): Promise<void> {
  try {
    await makePrivateFolder(dirname(path));
    await createFile(path);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const isFull = reason === 'ENOSPC' || reason === 'EDQUOT';
    throw new OperatorError(
      isFull
        ? `No space is left for the ${kind} ${path}: free some space on its disk and try again.`
        : `The ${kind} ${path} cannot be opened (${reason}): check that its folder is writable for this user.`,
      { cause: error },
    );
  }
}

/**
 * Never opens an existing file: closing it would drop all locks that this process has on it
 * (sqlite.org/howtocorrupt.html, 2.2).
 */
async function createFile(path: string): Promise<void> {
  try {
    await (await open(path, 'ax', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await access(path, constants.R_OK | constants.W_OK);
  }
}

/**
 * Copies all pages in one step. The step runs in a thread of its own on one snapshot, so no writer makes it
 * start again.
 */
const ALL_PAGES = 0x7fffffff;

/**
 * Copies a consistent state of the database into a new file (mode 0600). The file appears complete or not at
 * all. Readers and writers do not wait. Refuses to overwrite a file.
 */
export async function backupDatabase(from: string, to: string): Promise<void> {
  if (await exists(to))
    throw new OperatorError(`The file ${to} exists already: choose another name.`);
  const partial = `${to}.${randomUUID()}.partial`;
  try {
    await (await open(partial, 'wx', 0o600)).close();
    const source = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
    try {
      await backup(source, partial, { rate: ALL_PAGES });
    } finally {
      source.close();
    }
    await fsyncPath(partial);
    await rename(partial, to);
    await fsyncPath(dirname(to));
  } catch (error) {
    await rm(partial, { force: true });
    throw explain(error, from, to);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

function explain(error: unknown, from: string, to: string): unknown {
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return new OperatorError(`The backup ${to} cannot be written (${error.code}).`, {
      cause: error,
    });
  }
  return translateSqliteError(error, from);
}
