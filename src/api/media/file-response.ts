import type { Readable } from 'node:stream';
import { StaveError } from '../../common/errors.ts';
import type { ApiRequest, ApiResponse } from '../../http/route.ts';
import type { ByteRange, MediaStore } from '../../media/media-store.ts';
import { byteRange } from './byte-range.ts';
import { evaluatePreconditions } from './preconditions.ts';

/** The parts of a request that a file response depends on. */
export type FileRequest = Pick<ApiRequest, 'method' | 'headers'>;

/** A key of the media store, and how to present its bytes. */
export interface ServedFile {
  key: string;
  contentType: string;
  cacheControl: string;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
  /** Returns the error to throw if the store does not have the key. */
  absent(): StaveError;
}

/**
 * Responds to a GET or HEAD with a file of the media store: 200, 206 or 304. Throws
 * precondition_failed or range_not_satisfiable, or the error of `absent` if the store does not have
 * the key. The entity tag is strong: the hash in the name of the file.
 */
export async function fileResponse(
  media: MediaStore,
  request: FileRequest,
  file: ServedFile,
): Promise<ApiResponse> {
  const stat = await media.stat(file.key);
  if (stat === undefined) {
    throw file.absent();
  }
  const { sizeBytes } = stat;
  const etag = `"${file.key.slice(0, file.key.indexOf('.'))}"`;
  const headers = { ...file.headers, 'Cache-Control': file.cacheControl, ETag: etag };
  const modifiedMs = Math.floor(stat.modifiedAt.getTime() / 1000) * 1000;
  const precondition = evaluatePreconditions(request.headers, { etag, modifiedMs });
  if (precondition === 'failed') {
    throw new StaveError('precondition_failed', 'The file is not the one the condition names.');
  }
  const { contentType } = file;
  if (precondition === 'not-modified') {
    return { status: 304, headers, body: null, contentType };
  }

  // Range is defined for GET only (RFC 9110 §14.2).
  const usesRange = precondition === 'proceed' && request.method === 'GET';
  const asked = usesRange ? request.headers.range : undefined;
  const range = byteRange(Array.isArray(asked) ? asked.join(', ') : asked, sizeBytes);
  if (range === 'unsatisfiable') {
    throw new StaveError(
      'range_not_satisfiable',
      `The range lies outside the file, which has ${sizeBytes} bytes.`,
      { headers: { 'Content-Range': `bytes */${sizeBytes}` } },
    );
  }

  const told = {
    ...headers,
    'Accept-Ranges': 'bytes',
    'Last-Modified': new Date(modifiedMs).toUTCString(),
  };
  if (range === 'whole') {
    const body = request.method === 'HEAD' ? null : await opened(media, file);
    return { headers: { ...told, 'Content-Length': String(sizeBytes) }, body, contentType };
  }
  return {
    status: 206,
    headers: {
      ...told,
      'Content-Length': String(range.end - range.start + 1),
      'Content-Range': `bytes ${range.start}-${range.end}/${sizeBytes}`,
    },
    body: await opened(media, file, range),
    contentType,
  };
}

/** Opens the file. A key that was removed since the lookup is absent. */
async function opened(media: MediaStore, file: ServedFile, range?: ByteRange): Promise<Readable> {
  try {
    return await media.read(file.key, range);
  } catch (error) {
    throw error instanceof StaveError && error.kind === 'not_found' ? file.absent() : error;
  }
}
