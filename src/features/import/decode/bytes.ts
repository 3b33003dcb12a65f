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

export interface BytesOptions {
  /** Called with the number of bytes read of the file itself. */
  onRead?: ((bytes: number) => void) | undefined;
  /** The encoding that the mapping names. */
  encoding?: string | undefined;
  /** Called before the first bytes of a file in UTF-16. */
  onUtf16?: (encoding: string) => void;
}

/**
 * Reads the bytes of a file, decompressed if they are gzip (by content, not by name), in UTF-8 if
 * they are UTF-16, and without a byte order mark. Reads on demand, so that neither a long file nor a
 * gzip bomb fills the memory. Throws UnreadableError if the gzip data or the UTF-16 are damaged,
 * OperatorError if the file cannot be read.
 */
export async function* readBytes(
  input: Input,
  { onRead = () => {}, encoding, onUtf16 }: BytesOptions = {},
): AsyncGenerator<Buffer> {
  try {
    const file = await openInput(input);
    try {
      const chunks = counted(chunksOf(file), onRead);
      let isFirst = true;
      let decode: Utf16Decoding | undefined;
      for await (const chunk of (await isGzip(file)) ? unpacked(chunks) : chunks) {
        if (isFirst) {
          const utf16 = utf16Of(chunk, encoding);
          if (utf16 !== undefined) {
            onUtf16?.(utf16.toUpperCase());
            decode = utf16Decoding(utf16);
          }
        }
        const bytes = decode?.(chunk) ?? (isFirst ? withoutMark(chunk) : chunk);
        isFirst = false;
        if (bytes.length > 0) {
          yield bytes;
        }
      }
      decode?.();
    } finally {
      if (file !== input) await file.close();
    }
  } catch (error) {
    throw readingProblem(error, input);
  }
}

/** Returns the encoding of bytes in UTF-16, by their mark, by the NUL bytes of Latin text, or as `named`. */
function utf16Of(head: Buffer, named = ''): string | undefined {
  const mark = head.toString('hex', 0, 4);
  if (mark.startsWith('feff')) return 'utf-16be';
  if (mark.startsWith('fffe')) return mark === UTF_32_MARK ? undefined : 'utf-16le';
  const sample = [...head.subarray(0, 256)];
  const [even = 0, odd = 0] = [0, 1].map(
    (place) => sample.filter((byte, i) => byte === 0 && i % 2 === place).length / sample.length,
  );
  if (odd > 0.4 && even < 0.05) return 'utf-16le';
  if (even > 0.4 && odd < 0.05) return 'utf-16be';
  // Text of other scripts has NUL bytes in its line breaks and separators.
  return isUtf16(named) && head.includes(0) ? new TextDecoder(named).encoding : undefined;
}

const UTF_32_MARK = 'fffe0000';

function isUtf16(encoding: string): boolean {
  return /^\s*(utf-?16|ucs-?2|unicode|csunicode|iso-10646-ucs-2)/i.test(encoding);
}

/** Decodes the next bytes to UTF-8. Without bytes, it ends the text, and passes over half a code unit at the end. */
type Utf16Decoding = (bytes?: Buffer) => Buffer;

function utf16Decoding(encoding: string): Utf16Decoding {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let half = Buffer.alloc(0);
  return (bytes) => {
    try {
      if (bytes === undefined) return Buffer.from(decoder.decode());
      const given = Buffer.concat([half, bytes]);
      const whole = given.length - (given.length % 2);
      half = given.subarray(whole);
      return Buffer.from(decoder.decode(given.subarray(0, whole), { stream: true }));
    } catch (error) {
      const reason = `the file has bytes that are not ${encoding.toUpperCase()}; the rest was not read`;
      throw new UnreadableError(0, reason, { cause: error });
    }
  };
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

/** Returns the first bytes that `readBytes` gives, whether these are all bytes, and the encoding if it is UTF-16. */
export async function readHead(
  input: Input,
  length: number,
  encoding?: string,
): Promise<{ head: Buffer; whole: boolean; utf16: string | undefined }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let utf16: string | undefined;
  const onUtf16 = (found: string) => {
    utf16 = found;
  };
  for await (const chunk of readBytes(input, { encoding, onUtf16 })) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > length) {
      break;
    }
  }
  return { head: Buffer.concat(chunks).subarray(0, length), whole: size <= length, utf16 };
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
  const decoder =
    fallback === undefined || isUtf16(fallback) ? undefined : new TextDecoder(fallback);
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
