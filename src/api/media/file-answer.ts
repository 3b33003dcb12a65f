import { type SendResult, send } from '@fastify/send';
import { StaveError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { MediaStore } from '../../media/media-store.ts';
import type { Answer, ApiRequest } from '../route.ts';
import { byteRange } from './byte-range.ts';
import { evaluatePreconditions } from './preconditions.ts';

/** What of a request a file answer reads. */
export type FileRequest = Pick<ApiRequest, 'method' | 'headers'>;

/** A key of the media store and how its bytes are to be presented. */
export interface ServedFile {
  key: string;
  contentType: string;
  cacheControl: string;
  /** Headers beyond those of every file. */
  headers?: Readonly<Record<string, string>>;
}

/**
 * Answers a GET or HEAD with a file of the media store: 200, 206, 304, or throws
 * precondition_failed, range_not_satisfiable, or unavailable where a key that the catalog names is
 * not in the store. The bytes come through `@fastify/send`; the conditions are evaluated here, for
 * it knows weak tags of size and date only, and ours is strong: the hash that names the file.
 */
export async function fileAnswer(
  { media, log }: { media: MediaStore; log: Log },
  request: FileRequest,
  file: ServedFile,
): Promise<Answer> {
  const stat = await media.stat(file.key);
  if (stat === undefined) {
    throw missing(log, file.key);
  }
  const etag = `"${file.key.slice(0, file.key.indexOf('.'))}"`;
  const headers = { ...file.headers, 'Cache-Control': file.cacheControl, ETag: etag };
  const modifiedMs = Math.floor(stat.modifiedAt.getTime() / 1000) * 1000;
  const precondition = evaluatePreconditions(request.headers, { etag, modifiedMs });
  if (precondition === 'failed') {
    throw new StaveError('precondition_failed', 'The file is not the one the condition names.');
  }
  if (precondition === 'not-modified') {
    return { status: 304, headers, body: null, contentType: file.contentType };
  }

  // Range is defined for GET alone (RFC 9110 §14.2).
  const honoursRange = precondition === 'proceed' && request.method === 'GET';
  const asked = honoursRange ? request.headers.range : undefined;
  const range = byteRange(Array.isArray(asked) ? asked.join(', ') : asked, stat.sizeBytes);
  if (range === 'unsatisfiable') {
    throw new StaveError(
      'range_not_satisfiable',
      `The range lies outside the file, which has ${stat.sizeBytes} bytes.`,
      { headers: { 'Content-Range': `bytes */${stat.sizeBytes}` } },
    );
  }

  const { root, path } = media.location(file.key);
  // Of the request, send reads these two only.
  const settled = {
    method: request.method,
    headers: range === 'whole' ? {} : { range: `bytes=${range.start}-${range.end}` },
  } as unknown as Parameters<typeof send>[0];
  const sent: SendResult = await send(settled, encodeURI(path), {
    root,
    index: false,
    etag: false,
    cacheControl: false,
    contentType: false,
  });
  if (sent.type !== 'file') {
    throw missing(log, file.key);
  }
  return {
    status: sent.statusCode,
    headers: { ...headers, ...sent.headers },
    body: request.method === 'HEAD' ? null : sent.stream,
    contentType: file.contentType,
  };
}

/** The catalog says there is a file and there is none: a lost or unmounted folder, so worth a retry. */
function missing(log: Log, key: string): StaveError {
  log.error({ key }, 'A file that the catalog names is missing from the media store.');
  return new StaveError('unavailable', 'The file cannot be read now; try again later.', {
    headers: { 'Retry-After': '30' },
  });
}
