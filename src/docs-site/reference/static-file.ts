import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '../../engines/http/response/negotiation.ts';
import { evaluatePreconditions } from '../../engines/http/response/preconditions.ts';
import type { ApiRequest, ApiResponse } from '../../engines/http/route/route.ts';

/** A text file that is kept in memory, with and without compression. */
export interface StaticFile {
  plain: Buffer;
  gzipped: Buffer;
  /** SHA-256 of the uncompressed bytes, in hexadecimal. */
  sha256: string;
}

/** How many bytes of a file are written to a socket at a time. A slow reader occupies no more memory. */
const SLICE_BYTES = 64 * 1024;

const compress = promisify(gzip);

/** Compresses a file in the thread pool, and hashes it. */
export async function staticFileOf(content: string | Buffer): Promise<StaticFile> {
  const plain = Buffer.from(content);
  return { plain, gzipped: await compress(plain, { level: 9 }), sha256: hash('sha256', plain) };
}

/** Returns the response with a file: compressed for callers that accept gzip, and 304 for those that have it. */
export function staticFileResponse(
  { plain, gzipped, sha256 }: StaticFile,
  { headers: asked }: Pick<ApiRequest, 'headers'>,
  {
    contentType,
    cacheControl,
    headers: own,
  }: {
    contentType: string;
    cacheControl: string;
    /** More headers of the response. */
    headers?: Readonly<Record<string, string>>;
  },
): ApiResponse {
  const isZipped = acceptsGzip(String(asked['accept-encoding'] ?? ''));
  const bytes = isZipped ? gzipped : plain;
  // Each encoding needs its own strong entity tag, because its bytes are different.
  const etag = isZipped ? `"${sha256}-gzip"` : `"${sha256}"`;
  const headers = { ...own, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding', ETag: etag };
  if (evaluatePreconditions(asked, { etag, modifiedMs: undefined }) === 'not-modified') {
    return { status: 304, headers, body: null, contentType };
  }
  return {
    headers: {
      ...headers,
      ...(isZipped && { 'Content-Encoding': 'gzip' }),
      'Content-Length': String(bytes.length),
    },
    body: Readable.from(slicesOf(bytes)),
    contentType,
  };
}

function* slicesOf(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    yield bytes.subarray(at, at + SLICE_BYTES);
  }
}
