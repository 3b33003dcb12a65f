import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../../../common/operator-error.ts';

/** Copies of what came through pipes, in a temporary folder. The caller must close it. */
export interface Spool {
  /** Writes the stream to a file. Throws OperatorError if that fails. */
  copy(stream: Readable): Promise<{ file: string; sizeBytes: number }>;
  /** Deletes the copies. */
  close(): Promise<void>;
}

/** Opens a spool. The first copy creates its folder, so an import without pipes creates none. */
export function openSpool(): Spool {
  let folder: Promise<string> | undefined;
  let count = 0;
  return {
    async copy(stream) {
      try {
        folder ??= mkdtemp(join(tmpdir(), 'stave-pipe-'));
        const file = join(await folder, `${count++}`);
        await pipeline(stream, createWriteStream(file, { mode: 0o600 }));
        return { file, sizeBytes: (await stat(file)).size };
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new OperatorError(
          `cannot copy what comes through the pipe to ${tmpdir()} (${code ?? 'the pipe broke'})`,
          { cause: error },
        );
      }
    },
    async close() {
      if (folder !== undefined) {
        await rm(await folder, { recursive: true, force: true });
      }
    },
  };
}
