import type { Readable } from 'node:stream';
import { StaveError } from '../../../common/errors.ts';
import type { ByteRange, MediaStore } from '../../../engines/blobs/media-store.ts';
import type { ApiResponse } from '../../../engines/http/route/route.ts';
import { type FileRequest, type Representation, representationResponse } from './representation.ts';

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
 * the key.
 */
export async function fileResponse(
  media: MediaStore,
  request: FileRequest,
  file: ServedFile,
): Promise<ApiResponse> {
  return representationResponse(request, await fileRepresentation(media, file));
}

/**
 * Returns the bytes of a file of the media store. The entity tag is strong: the hash in the name of the file. Throws the
 * error of `absent` if the store does not have the key.
 */
export async function fileRepresentation(
  media: MediaStore,
  file: ServedFile,
): Promise<Representation> {
  const stat = await media.stat(file.key);
  if (stat === undefined) {
    throw file.absent();
  }
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

/** Returns the hash that a media key consists of, besides the extension. */
export function hashOf(key: string): string {
  return key.slice(0, key.indexOf('.'));
}

/** Opens the file. A key that was removed since the lookup is absent. */
async function opened(media: MediaStore, file: ServedFile, range?: ByteRange): Promise<Readable> {
  try {
    return await media.read(file.key, range);
  } catch (error) {
    throw error instanceof StaveError && error.kind === 'not_found' ? file.absent() : error;
  }
}
