import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UnreadableError } from './decoded.ts';
import { withoutMark } from './format.ts';
import { CHUNK_BYTES, cannotRead, chunksOf, type Input, openInput } from './input.ts';

/**
 * Real catalogs compress to between a third and an eighteenth of their size. Data that compress
 * better contain no catalog.
 */
const MAX_UNPACKED_RATIO = 30;
/** How many bytes may be decompressed whatever the ratio. */
const FREE_UNPACKED_BYTES = 16 * 1024 * 1024;

/**
 * Reads the bytes of a file, decompressed if they are gzip (by content, not by name) and without a
 * byte order mark. Reads on demand, so that neither a long file nor a gzip bomb fills the memory.
 * Calls `onRead` with the number of bytes read of the file itself. Throws UnreadableError if the
 * gzip data are damaged, OperatorError if the file cannot be read.
 */
export async function* readBytes(
  input: Input,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer> {
  let isFirst = true;
  try {
    for await (const chunk of unpacked(readChunks(input, onRead))) {
      const bytes = isFirst ? withoutMark(chunk) : chunk;
      isFirst = false;
      if (bytes.length > 0) {
        yield bytes;
      }
    }
  } catch (error) {
    throw readingProblem(error, input);
  }
}

async function* readChunks(input: Input, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  const file = await openInput(input);
  try {
    for await (const chunk of chunksOf(file)) {
      onRead(chunk.length);
      yield chunk;
    }
  } finally {
    if (file !== input) await file.close();
  }
}

async function* unpacked(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    const first = await chunks.next();
    if (first.done === true) {
      return;
    }
    const all = prepended(first.value, chunks);
    if (!isGzip(first.value)) {
      yield* all;
      return;
    }
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    // Errors of the pipeline reach the loop below through `gunzip`.
    pipeline(Readable.from(all), gunzip, () => {});
    let unpackedBytes = 0;
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      unpackedBytes += chunk.length;
      if (unpackedBytes > FREE_UNPACKED_BYTES + gunzip.bytesWritten * MAX_UNPACKED_RATIO) {
        const reason = `the gzip data unpack to more than ${MAX_UNPACKED_RATIO} times their size; the rest was not read`;
        throw new UnreadableError(0, reason);
      }
      yield chunk;
    }
  } finally {
    // Closes the file even if the caller stops early.
    await chunks.return(undefined);
  }
}

/** Whether bytes begin as gzip does. */
function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Whether a file is compressed with gzip, by its first bytes. */
export async function isGzipFile(path: string): Promise<boolean> {
  for await (const chunk of readChunks(path, () => {})) {
    return isGzip(chunk);
  }
  return false;
}

async function* prepended(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/**
 * Returns the first bytes that `readBytes` gives, up to `length`, and whether these are all bytes.
 */
export async function readHead(
  input: Input,
  length: number,
): Promise<{ head: Buffer; whole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readBytes(input)) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > length) {
      break;
    }
  }
  return { head: Buffer.concat(chunks).subarray(0, length), whole: size <= length };
}

function readingProblem(error: unknown, input: Input): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code?.startsWith('Z_')) {
    return new UnreadableError(
      0,
      code === 'Z_BUF_ERROR'
        ? 'the gzip data end too early; the rest was not read'
        : `the gzip data are damaged (${message}); the rest was not read`,
      { cause: error },
    );
  }
  return code === undefined ? error : cannotRead(input, error);
}
