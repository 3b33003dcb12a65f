import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { TObject } from 'typebox';
import { acceptsGzip } from '../../engines/http/response/negotiation.ts';
import { evaluatePreconditions } from '../../engines/http/response/preconditions.ts';
import {
  type ApiRequest,
  type ApiResponse,
  type Route,
  route,
} from '../../engines/http/route/route.ts';
import { DOCUMENTATION_TAG } from '../openapi/prose.ts';

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
    headers?: Readonly<Record<string, string>>;
  },
): ApiResponse {
  const isZipped = acceptsGzip(String(asked['accept-encoding'] ?? ''));
  const bytes = isZipped ? gzipped : plain;
  // Each encoding needs its own strong entity tag, because its bytes are different.
  const etag = isZipped ? `"${sha256}-gzip"` : `"${sha256}"`;
  const headers = { Vary: 'Accept-Encoding', ...own, 'Cache-Control': cacheControl, ETag: etag };
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

/** Returns a route that is public, has no envelope, and is not in the OpenAPI document. */
export function documentationRoute(
  operationId: string,
  path: string,
  summary: string,
  handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>,
  params?: TObject,
): Route {
  return route({
    operationId,
    method: 'GET',
    path,
    tag: DOCUMENTATION_TAG,
    summary,
    description: 'Documentation, served from the package itself.',
    access: 'public',
    errors: params === undefined ? [] : ['not_found'],
    ...(params !== undefined && { params }),
    data: undefined,
    handle,
  });
}

/** Browsers revalidate the file, unless `headers` say otherwise. */
export function documentationFile(
  contentType: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
) {
  return {
    body: typeof body === 'string' ? Buffer.from(body) : body,
    contentType,
    headers: { 'Cache-Control': 'no-cache', ...headers },
  };
}

/**
 * Returns a function that makes the value of a key when it is first called, and keeps it. A failure is not kept, so that
 * the next request tries again.
 */
export function kept<Value, Key = void>(
  make: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const made = new Map<Key, Promise<Value>>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    value.catch(() => made.delete(key));
    return value;
  };
}

/**
 * Returns a route that serves one file, which is made at the first request. By default, browsers ask each time whether it
 * has changed, because its address does not tell the version.
 */
export function fileRoute(
  operationId: string,
  path: string,
  summary: string,
  {
    make,
    cacheControl = 'no-cache',
    ...form
  }: {
    contentType: string;
    make: () => Promise<StaticFile>;
    cacheControl?: string;
    headers?: Readonly<Record<string, string>>;
  },
): Route {
  const file = kept(make);
  return documentationRoute(operationId, path, summary, async (request) =>
    staticFileResponse(await file(), request, { ...form, cacheControl }),
  );
}
