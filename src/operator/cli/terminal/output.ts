import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommanderError } from 'commander';
import { OperatorError } from '../../../common/errors.ts';
import { explain as explainError, oneLine } from '../../../common/text/explain.ts';
import { printable } from '../../../common/text/shown.ts';
import { csvOf } from './table.ts';

export type Output = ReturnType<typeof openOutput>;

/** Never closes the streams. */
export function openOutput(given: {
  json: boolean;
  /** Whether the tables of results are printed as CSV, and nothing else of them. */
  csv?: boolean;
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
}) {
  const { json, csv = false, stdout, stderr } = given;
  return {
    json,
    /** The terminal for progress bars; undefined if stderr is not a terminal. */
    terminal: stderr.isTTY === true ? (stderr as Writable) : undefined,
    /**
     * Writes the result to stdout: `value` as one line of JSON with --json, the tables of `text` with --csv, otherwise
     * `text`, which is made only when needed.
     */
    result(value: unknown, text: () => string): void {
      if (csv) {
        stdout.write(csvOf(text));
        return;
      }
      const shown = json ? JSON.stringify(value) : printable(text());
      if (shown !== '') stdout.write(`${shown}\n`);
    },
    note(text: string): void {
      stderr.write(`${printable(text)}\n`);
    },
    /** For one line about a problem that does not stop the command. */
    warn(text: string): void {
      stderr.write(`stave: ${printable(text)}\n`);
    },
  };
}

/** Like `printable`, for CSV and NDJSON: keeps both characters of a line end. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\r\n\t]/gu, '\uFFFD');
}

/** Prints text no faster than it is read. */
export async function printText(
  text: AsyncIterable<string>,
  { stdout }: { stdout: Writable },
): Promise<void> {
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
export async function writeNewFile(
  path: string,
  content: AsyncIterable<string | Uint8Array> | readonly (string | Uint8Array)[],
): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new OperatorError(`${path} exists already: name another file`, { cause: error });
  }
  try {
    await pipeline(content, file.createWriteStream({ flush: true }));
  } catch (error) {
    await rm(path, { force: true });
    // The error of a write, such as that of a full disk, does not name the file.
    if (error instanceof Error && 'syscall' in error) Object.assign(error, { path });
    throw error;
  }
}

/** Returns one line that says what went wrong and what to do, without a stack. */
export function explain(error: unknown): string {
  return error instanceof CommanderError
    ? oneLine(error.message.replace(/^error: /, ''))
    : explainError(error);
}
