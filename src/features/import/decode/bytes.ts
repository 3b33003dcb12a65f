import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { OperatorError } from '../../../common/errors.ts';
import { openRegularFile } from '../../../common/files.ts';
import { meaningOf } from '../../../common/text/explain.ts';
import { UnreadableError } from './decoded.ts';

/** Real catalogs compress to an eighteenth of their size at most. */
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
  try {
    const file = await openInput(input);
    try {
      const chunks = counted(chunksOf(file), onRead);
      let isFirst = true;
      for await (const chunk of (await isGzip(file)) ? unpacked(chunks) : chunks) {
        const bytes = isFirst ? withoutMark(chunk) : chunk;
        isFirst = false;
        if (bytes.length > 0) {
          yield bytes;
        }
      }
    } finally {
      if (file !== input) await file.close();
    }
  } catch (error) {
    throw readingProblem(error, input);
  }
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onRead(chunk.length);
    yield chunk;
  }
}

async function* unpacked(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // Errors of the pipeline reach the loop below through `gunzip`.
  pipeline(Readable.from(chunks), gunzip, () => {});
  let unpackedBytes = 0;
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    unpackedBytes += chunk.length;
    if (unpackedBytes > FREE_UNPACKED_BYTES + gunzip.bytesWritten * MAX_UNPACKED_RATIO) {
      const reason = `the gzip data unpack to more than ${MAX_UNPACKED_RATIO} times their size; the rest was not read`;
      throw new UnreadableError(0, reason);
    }
    yield chunk;
  }
}

export async function isGzip(file: FileHandle): Promise<boolean> {
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return buffer[0] === 0x1f && buffer[1] === 0x8b;
}

/** Returns the first bytes that `readBytes` gives, and whether these are all bytes. */
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

const CHUNK_BYTES = 256 * 1024;

/** A file to read: a path, or a file that the caller has opened, and closes after all reading. */
export type Input = string | FileHandle;

/** Opens an input that is a path. Throws OperatorError if it is no regular file, or cannot be read. */
export async function openInput(input: Input): Promise<FileHandle> {
  return typeof input === 'string' ? openRegularFile(input) : input;
}

export function cannotRead(input: Input, cause: unknown): OperatorError {
  const name = typeof input === 'string' ? input : 'the file';
  return new OperatorError(`cannot read ${name}: ${meaningOf(cause)}`, { cause });
}

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

/** Decodes bytes to text; undefined if they are not valid in any encoding of the file. */
export type TextDecoding = (bytes: Buffer) => string | undefined;

/** Decodes UTF-8, and other bytes in the encoding that the mapping names: files often mix the two. */
export function textDecoding(fallback: string | undefined): TextDecoding {
  const decoder = fallback === undefined ? undefined : new TextDecoder(fallback);
  return (bytes) => (isUtf8(bytes) ? bytes.toString() : decoder?.decode(bytes));
}

/** Names the first byte that is not UTF-8: `byte 0x80 at position 59`, counted from 1. */
export function invalidByte(bytes: Buffer): string {
  const text = bytes.toString();
  let offset = 0;
  let from = 0;
  for (;;) {
    const found = text.indexOf(REPLACEMENT, from);
    offset += Buffer.byteLength(text.slice(from, found));
    // The text may also contain a real replacement character.
    if (found < 0 || bytes.indexOf(REPLACEMENT, offset) !== offset) {
      break;
    }
    offset += 3;
    from = found + 1;
  }
  return `byte 0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')} at position ${offset + 1}`;
}

const REPLACEMENT = '\ufffd';

/** Returns the head without a UTF-8 byte order mark. */
export function withoutMark(head: Buffer): Buffer {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? head.subarray(3) : head;
}
