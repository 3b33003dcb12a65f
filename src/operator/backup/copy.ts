import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Size and checksum of what was copied. */
export interface Copied {
  sizeBytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/**
 * Writes a stream to a new file durably, in constant memory, and returns size and checksum. Opens
 * the stream itself, so that no error of the stream occurs before a listener is attached.
 */
export async function copyStream(
  openStream: () => Readable | Promise<Readable>,
  to: string,
): Promise<Copied> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  let sizeBytes = 0;
  await pipeline(
    await openStream(),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }),
  );
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Returns size and checksum of a file. */
export async function digestFile(path: string): Promise<Copied> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}
