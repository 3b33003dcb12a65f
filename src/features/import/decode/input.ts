import type { FileHandle } from 'node:fs/promises';
import { openRegularFile } from '../../../common/files/regular-file.ts';
import { OperatorError } from '../../../common/operator-error.ts';
import { meaningOf } from '../../../common/text/explain.ts';

/** How much of a file is read at once. */
export const CHUNK_BYTES = 256 * 1024;

/** A file to read: a path, or a file that the caller has opened, and closes after all reading. */
export type Input = string | FileHandle;

/** Opens an input that is a path. Throws OperatorError if it is no regular file, or cannot be read. */
export async function openInput(input: Input): Promise<FileHandle> {
  return typeof input === 'string' ? openRegularFile(input) : input;
}

/** Makes the error of an input that cannot be read, from the system error. */
export function cannotRead(input: Input, cause: unknown): OperatorError {
  const name = typeof input === 'string' ? input : 'the file';
  return new OperatorError(`cannot read ${name}: ${meaningOf(cause)}`, { cause });
}

/** Reads an open file from a position up to another one, or up to its end. */
export async function* chunksOf(
  file: FileHandle,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const length = Math.min(CHUNK_BYTES, to - at);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) {
      return;
    }
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
