import { constants, type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { OperatorError } from '../operator-error.ts';
import { meaningOf } from '../text/explain.ts';

/**
 * A pipe without a writer would keep `open` waiting forever, in one of the few threads that read all files of the process,
 * and the process could not end. A terminal must not become that of the service.
 */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Opens a regular file to read it, and waits for nothing else that a path may lead to. Everything is checked of the opened
 * file, which nobody can replace in between. The caller closes it.
 *
 * Throws OperatorError that names the file and the problem. Its cause is the system error, if there is one.
 *
 * @param options.name what messages call the file; by default its path
 * @param options.beneath the folder that must contain the file, also after its links were followed
 */
export async function openRegularFile(
  path: string,
  { name = path, beneath }: { name?: string; beneath?: string | undefined } = {},
): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, FLAGS);
    const isRegular = (await file.stat()).isFile();
    if (!isRegular) throw new OperatorError(`${name} is not a regular file`);
    if (
      beneath !== undefined &&
      !isBeneath(await openedPath(file, path), await realpath(beneath))
    ) {
      throw new OperatorError(`${name} must lie beneath the folder ${beneath}`);
    }
    return file;
  } catch (error) {
    await file?.close();
    if (error instanceof OperatorError) throw error;
    // Sockets cannot be opened.
    const isSocket = (error as NodeJS.ErrnoException).code === 'ENXIO';
    throw new OperatorError(
      isSocket ? `${name} is not a regular file` : `cannot read ${name}: ${meaningOf(error)}`,
      { cause: error },
    );
  }
}

/** Whether a real path lies beneath a real folder. */
export function isBeneath(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Returns the real path of an open file. Only Linux tells that of the file itself. */
function openedPath(file: FileHandle, path: string): Promise<string> {
  return process.platform === 'linux' ? readlink(`/proc/self/fd/${file.fd}`) : realpath(path);
}
