import { join } from 'node:path';
import { DATABASE_FILE } from '../../app/open/data-folder.ts';
import { OperatorError } from '../../common/operator-error.ts';

/**
 * Whether the system or SQLite (result code 13, SQLITE_FULL) ran out of space, in the error or any
 * of its causes.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  const { code, errcode = 0 } = error as NodeJS.ErrnoException & { errcode?: number };
  return code === 'ENOSPC' || (errcode & 0xff) === 13 || isDiskFull(error.cause);
}

/**
 * Returns the same error with the original database in its text, because the copy no longer exists
 * when the operator reads it.
 */
export function toldOfOriginal(error: unknown, copy: string, original: string): unknown {
  return error instanceof OperatorError
    ? new OperatorError(
        error.message.replaceAll(join(copy, DATABASE_FILE), join(original, DATABASE_FILE)),
        { cause: error },
      )
    : error;
}
