import { access, constants, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../../../common/files/private-folder.ts';
import { OperatorError } from '../../../common/operator-error.ts';

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
