import { OperatorError } from '../../../common/errors.ts';

/** Primary result codes of SQLite (sqlite.org/rescode.html) that the program distinguishes. */
const BUSY = 5;
const LOCKED = 6;

/** The messages for the primary result codes that only the operator can fix. */
const OPERATOR_MESSAGES: Readonly<Record<number, (path: string) => string>> = {
  [BUSY]: (path) => `The database is busy: another process keeps ${path} locked; try again later.`,
  [LOCKED]: (path) => `The database is busy: ${path} is locked; try again later.`,
  3: (path) =>
    `No permission to use the database ${path}: make it readable and writable for this user.`,
  8: (path) =>
    `The database ${path} cannot be written: make the file and its folder writable for this user.`,
  10: (path) =>
    `Reading or writing the database ${path} failed: check the disk, then run "stave doctor".`,
  11: (path) => `The database ${path} is damaged: restore a backup with "stave restore".`,
  13: (path) =>
    `No space is left for the database ${path}: free some space on its disk and try again.`,
  14: (path) =>
    `The database ${path} cannot be opened: check that its folder is there and writable for this user.`,
  26: (path) =>
    `The file ${path} is not a database: move it away, or restore a backup with "stave restore".`,
};

/** Whether the lock of another connection caused the error, so that trying again helps. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
}

/** Returns the reason to wait if the lock of another connection caused the error, or the error that was translated. */
export function whyBusy(error: unknown, path: string): string | undefined {
  const isCause = isBusy(error) || (error instanceof Error && isBusy(error.cause));
  return isCause ? `another process keeps ${path} locked` : undefined;
}

/**
 * Returns a one-line OperatorError for errors of the disk, the file and locks, otherwise the error itself.
 */
export function translateSqliteError(error: unknown, path: string): unknown {
  const message = OPERATOR_MESSAGES[primaryCode(error)];
  return message === undefined ? error : new OperatorError(message(path), { cause: error });
}

/** Returns the primary code, which is the low byte of an extended one; 0 if the error is not from SQLite. */
function primaryCode(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error)) return 0;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
}
