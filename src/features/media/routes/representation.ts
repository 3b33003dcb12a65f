import type { Readable } from 'node:stream';
import { StaveError } from '../../../common/errors.ts';
import type { ByteRange } from '../../../engines/blobs/media-store.ts';
import { evaluatePreconditions } from '../../../engines/http/response/preconditions.ts';
import type { ApiRequest, ApiResponse } from '../../../engines/http/route/route.ts';
import { byteRange } from './byte-range.ts';

/** The parts of a request that the response with a representation depends on. */
export type FileRequest = Pick<ApiRequest, 'method' | 'headers'>;

/** Bytes that a response consists of, and how to present them. */
export interface Representation {
  /** With its quotes; a weak one begins with `W/`. */
  etag: string;
  /** Undefined if the bytes have no date. */
  modifiedAt: Date | undefined;
  contentType: string;
  headers: Readonly<Record<string, string>>;
  /** Whether the response may be a range. The length must then be known. */
  hasRanges: boolean;
  /** Returns the length; undefined if it is only known when all bytes were made. */
  sizeBytes(): Promise<number | undefined>;
  open(range?: ByteRange): Promise<Readable>;
}

/**
 * Responds to a GET or HEAD with a representation: 200, 206 or 304. Throws precondition_failed or
 * range_not_satisfiable.
 */
export async function representationResponse(
  request: FileRequest,
  representation: Representation,
): Promise<ApiResponse> {
  const { etag, contentType, modifiedAt } = representation;
  const headers = { ...representation.headers, ETag: etag };
  const modifiedMs = modifiedAt && Math.floor(modifiedAt.getTime() / 1000) * 1000;
  const precondition = evaluatePreconditions(request.headers, { etag, modifiedMs });
  if (precondition === 'failed') {
    throw new StaveError('precondition_failed', 'The file is not the one the condition names.');
  }
  if (precondition === 'not-modified') {
    return { status: 304, headers, body: null, contentType };
  }

  const sizeBytes = await representation.sizeBytes();
  const told = {
    ...headers,
    ...(modifiedMs !== undefined && { 'Last-Modified': new Date(modifiedMs).toUTCString() }),
  };
  const length = sizeBytes === undefined ? undefined : { 'Content-Length': String(sizeBytes) };
  const whole = async () => ({
    headers: { ...told, ...length },
    body: request.method === 'HEAD' ? null : await representation.open(),
    contentType,
  });
  if (!representation.hasRanges) return whole();

  Object.assign(told, { 'Accept-Ranges': 'bytes' });
  // Range is defined for GET only (RFC 9110 §14.2).
  const usesRange = precondition === 'proceed' && request.method === 'GET';
  const asked = usesRange ? request.headers.range : undefined;
  const range = byteRange(Array.isArray(asked) ? asked.join(', ') : asked, sizeBytes!);
  if (range === 'unsatisfiable') {
    throw new StaveError(
      'range_not_satisfiable',
      `The range lies outside the file, which has ${sizeBytes} bytes.`,
      { headers: { 'Content-Range': `bytes */${sizeBytes}` } },
    );
  }
  if (range === 'whole') return whole();
  return {
    status: 206,
    headers: {
      ...told,
      'Content-Length': String(range.end - range.start + 1),
      'Content-Range': `bytes ${range.start}-${range.end}/${sizeBytes}`,
    },
    body: await representation.open(range),
    contentType,
  };
}
