import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtempDisposable, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../../../common/errors.ts';
import { meaningOf } from '../../../common/text/explain.ts';
import { AUDIO_EXTENSIONS, extensionOf } from '../../../engines/blobs/content-types.ts';

export type Source =
  | {
      kind: 'catalog';
      path: string;
      /** The file to read: the path itself, or the copy of what came through a pipe. */
      file: string;
      sizeBytes: number;
    }
  /** `only` names the single file of the folder to import; null means all of them. */
  | { kind: 'folder'; path: string; only: string | null };

const STANDARD_INPUT = '-';

/**
 * Examines every path before anything is read. Throws OperatorError if one does not exist. Copies
 * what comes through a pipe (`-`, a FIFO), because an import reads it more than once: `copies` removes
 * the copies when it is disposed of.
 */
export async function openSources(
  paths: readonly string[],
  copies: AsyncDisposableStack,
): Promise<Source[]> {
  if (paths.length === 0) {
    throw new OperatorError('name at least one file or folder to import');
  }
  if (paths.indexOf(STANDARD_INPUT) !== paths.lastIndexOf(STANDARD_INPUT)) {
    throw new OperatorError('name - only once: standard input can be read once');
  }
  return Promise.all(paths.map((path) => openSource(path, copies)));
}

async function openSource(path: string, copies: AsyncDisposableStack): Promise<Source> {
  if (path === STANDARD_INPUT) {
    return { kind: 'catalog', path, ...(await copied(process.stdin, copies)) };
  }
  let stats: Awaited<ReturnType<typeof stat>>;
  try {
    stats = await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `no such file or folder: ${path}`
        : `cannot read ${path}: ${meaningOf(error)}`,
      { cause: error },
    );
  }
  if (stats.isDirectory()) {
    return { kind: 'folder', path, only: null };
  }
  if (stats.isFIFO()) {
    return { kind: 'catalog', path, ...(await copied(createReadStream(path), copies)) };
  }
  if (!stats.isFile()) {
    throw new OperatorError(`${path} is neither a regular file, nor a pipe, nor a folder`);
  }
  return AUDIO_EXTENSIONS.includes(extensionOf(path))
    ? { kind: 'folder', path: dirname(path), only: basename(path) }
    : { kind: 'catalog', path, file: path, sizeBytes: stats.size };
}

/** Copies what comes through a pipe to a file. Throws OperatorError if that fails. */
async function copied(
  stream: Readable,
  copies: AsyncDisposableStack,
): Promise<{ file: string; sizeBytes: number }> {
  try {
    const folder = copies.use(await mkdtempDisposable(join(tmpdir(), 'stave-pipe-')));
    const file = join(folder.path, 'copy');
    await pipeline(stream, createWriteStream(file, { mode: 0o600 }));
    return { file, sizeBytes: (await stat(file)).size };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `cannot copy what comes through the pipe to ${tmpdir()} (${code ?? 'the pipe broke'})`,
      { cause: error },
    );
  }
}
