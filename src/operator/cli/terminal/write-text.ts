import { type FileHandle, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../../../common/operator-error.ts';
import type { Shell } from '../shell.ts';
import { withoutControls } from './output.ts';

/** Prints text no faster than it is read. */
export async function printText(text: AsyncIterable<string>, { stdout }: Shell): Promise<void> {
  try {
    await pipeline(
      text,
      async function* (chunks: AsyncIterable<string>) {
        for await (const chunk of chunks) yield withoutControls(chunk);
      },
      stdout,
      { end: false },
    );
  } catch (error) {
    // A reader that has left (`stave usage export … | head`) is not an error.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** Writes a new file, which only this user can read. Removes it if it cannot be written as a whole. */
export async function writeNewFile(path: string, text: AsyncIterable<string>): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new OperatorError(`${path} exists already: name another file`, { cause: error });
  }
  try {
    await pipeline(text, file.createWriteStream({ flush: true }));
  } catch (error) {
    await rm(path, { force: true });
    // The error of a write, such as that of a full disk, does not name the file.
    if (error instanceof Error && 'syscall' in error) Object.assign(error, { path });
    throw error;
  }
}
