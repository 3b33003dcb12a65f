import type { Readable } from 'node:stream';
import { StaveError } from '../../../common/errors.ts';
import type { ByteRange, MediaStore } from '../../blobs/media-store.ts';
import type { ApiRequest, ApiResponse } from '../route/route.ts';
import { evaluatePreconditions } from './preconditions.ts';

/** A file, a range of it, or 304. */
export type FileResponse = Extract<ApiResponse, { contentType: string; body: unknown }>;

export type FileRequest = Pick<ApiRequest, 'method' | 'headers'>;

/** The bytes of a response, and how to present them. */
export interface Representation {
  /** With its quotes; a weak one begins with `W/`. */
  etag: string;
  /** Undefined if the bytes have no date. */
  modifiedAt: Date | undefined;
  contentType: string;
  headers: Readonly<Record<string, string>>;
  /** Whether the response may be a range. The length must then be known. */
  hasRanges: boolean;
  /** Undefined if the length is only known after all bytes are made. */
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
): Promise<FileResponse> {
  const { etag, contentType, modifiedAt } = representation;
  const headers = { ...representation.headers, ETag: etag };
  const modifiedMs = modifiedAt && Math.floor(modifiedAt.getTime() / 1000) * 1000;
  const precondition = evaluatePreconditions(request.headers, { etag, modifiedMs });
  if (precondition === 'failed') {
    throw new StaveError('precondition_failed', 'The file is not the one the condition names.');
  }
  if (precondition === 'not-modified') return { status: 304, headers, body: null, contentType };

  const sizeBytes = await representation.sizeBytes();
  const allHeaders = {
    ...headers,
    ...(modifiedMs !== undefined && { 'Last-Modified': new Date(modifiedMs).toUTCString() }),
  };
  const length = sizeBytes === undefined ? undefined : { 'Content-Length': String(sizeBytes) };
  const whole = async () => ({
    headers: { ...allHeaders, ...length },
    body: request.method === 'HEAD' ? null : await representation.open(),
    contentType,
  });
  if (!representation.hasRanges) return whole();

  Object.assign(allHeaders, { 'Accept-Ranges': 'bytes' });
  // Range is defined for GET only (RFC 9110 §14.2).
  const usesRange = precondition === 'proceed' && request.method === 'GET';
  const header = usesRange ? request.headers.range : undefined;
  const range = byteRange(Array.isArray(header) ? header.join(', ') : header, sizeBytes!);
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
      ...allHeaders,
      'Content-Length': String(range.end - range.start + 1),
      'Content-Range': `bytes ${range.start}-${range.end}/${sizeBytes}`,
    },
    body: await representation.open(range),
    contentType,
  };
}

const SPECIFIER = /^bytes=(.*)$/i;
const SPEC = /^(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * Parses a `Range` header for a body of this size (RFC 9110 §14). Returns one range, clipped to the body;
 * 'unsatisfiable' (416); or 'whole' if the header is absent, malformed, in another unit, or names several
 * ranges (docs/contract/streaming.md#byte-ranges requires single ranges; §14.2 permits ignoring others).
 */
export function byteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const set = header === undefined ? undefined : SPECIFIER.exec(header)?.[1];
  if (set === undefined) return 'whole';
  // Ignores empty list elements (§5.6.1).
  const specs = set.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  const spec = specs.length === 1 ? SPEC.exec(specs[0]!) : null;
  if (spec === null) return 'whole';
  const [, first, last, suffix] = spec;
  if (suffix !== undefined) return suffixRange(Number(suffix), sizeBytes);
  const start = Number(first);
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last);
  if (end < start) return 'whole';
  return start >= sizeBytes ? 'unsatisfiable' : { start, end: Math.min(end, sizeBytes - 1) };
}

/** The last bytes of an empty body are satisfiable (§14.1.2), but have no range notation. */
function suffixRange(length: number, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  if (length === 0) return 'unsatisfiable';
  return sizeBytes === 0 ? 'whole' : { start: Math.max(0, sizeBytes - length), end: sizeBytes - 1 };
}

/** A key of the media store, and how to present its bytes. */
export interface ServedFile {
  key: string;
  contentType: string;
  cacheControl: string;
  headers?: Readonly<Record<string, string>>;
  /** Returns the error to throw if the key is missing. */
  absent(): StaveError;
}

/** As `representationResponse`. Also throws the error of `absent` if the store does not have the key. */
export async function fileResponse(
  media: MediaStore,
  request: FileRequest,
  file: ServedFile,
): Promise<FileResponse> {
  return representationResponse(request, await fileRepresentation(media, file));
}

/**
 * The entity tag is strong: the hash in the key. Throws the error of `absent` if the store does not have the key.
 */
export async function fileRepresentation(
  media: MediaStore,
  file: ServedFile,
): Promise<Representation> {
  const stat = await media.stat(file.key);
  if (stat === undefined) throw file.absent();
  const { sizeBytes, modifiedAt } = stat;
  return {
    etag: `"${hashOf(file.key)}"`,
    modifiedAt,
    contentType: file.contentType,
    headers: { ...file.headers, 'Cache-Control': file.cacheControl },
    hasRanges: true,
    sizeBytes: async () => sizeBytes,
    open: (range) => opened(media, file, range),
  };
}

/** Returns a media key without its extension. */
export function hashOf(key: string): string {
  return key.slice(0, key.indexOf('.'));
}

/** A key that was removed since the lookup is absent. */
async function opened(media: MediaStore, file: ServedFile, range?: ByteRange): Promise<Readable> {
  try {
    return await media.read(file.key, range);
  } catch (error) {
    throw error instanceof StaveError && error.kind === 'not_found' ? file.absent() : error;
  }
}
