import { hash } from 'node:crypto';
import { Type } from 'typebox';
import { StaveError } from '../../../common/errors.ts';
import { text } from '../../../common/schema-types.ts';
import { artworkContentType } from '../../../engines/blobs/content-types.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import { evaluatePreconditions } from '../../../engines/http/response/preconditions.ts';
import type { FileRequest } from '../../../engines/http/response/representation.ts';
import { fileResponse } from '../../../engines/http/response/representation.ts';
import { type ApiResponse, type Route, route } from '../../../engines/http/route/route.ts';
import { parseArtworkName } from '../artwork/artwork.ts';
import { contentDisposition } from '../file-name.ts';
import { reservation } from './signed-media.ts';

/** The URL names the content, so responses may be cached forever (RFC 8246). */
const FOREVER = 'public, max-age=31536000, immutable';

const HEADERS = {
  // A browser must not run or load anything that the file of a supplier contains.
  'Content-Security-Policy': "default-src 'none'; sandbox",
};

/** `GET /media/artwork/{name}`: delivered or generated artwork. It needs no signature. */
export function artworkRoute({
  media,
  generated,
  hasArtwork,
  forbidsTraining,
}: {
  media: MediaStore;
  /** Returns a generated PNG. */
  generated(id: string): Promise<Buffer>;
  /** Whether a track or a playlist has this id. Only these have generated artwork. */
  hasArtwork(id: string): boolean | Promise<boolean>;
  /** Whether a track with this artwork forbids that machines learn from it. */
  forbidsTraining(key: string): Promise<boolean>;
}): Route {
  return route({
    operationId: 'readArtwork',
    method: 'GET',
    path: '/media/artwork/{name}',
    tag: 'Media',
    summary: 'Read the artwork of a track or a playlist',
    description:
      'The URL in `artworkUrl`. It has no signature, names its content, and may be ' +
      'cached forever. A track that was delivered without artwork has a generated picture.',
    access: 'public',
    errors: ['not_found', 'precondition_failed', 'range_not_satisfiable'],
    params: Type.Object({
      name: text('As `artworkUrl` has it.', 'generated-1-2ec42c35-fd63-57d8-8763-47b0328ef627.png'),
    }),
    data: undefined,
    produces: ['image/*'],
    async handle(request) {
      const name = parseArtworkName(request.params.name);
      const headers = { ...HEADERS, 'Content-Disposition': dispositionOf(request) };
      if (name !== undefined && 'generatedFor' in name) {
        if (!(await hasArtwork(name.generatedFor))) throw noArtwork();
        return pictureResponse(request, await generated(name.generatedFor), headers);
      }
      const contentType = name && artworkContentType(name.key);
      // Only pictures, because the store also contains audio, which needs a signature.
      if (name === undefined || contentType === undefined) throw noArtwork();
      return fileResponse(media, request, {
        key: name.key,
        contentType,
        cacheControl: FOREVER,
        headers: { ...headers, ...reservation(await forbidsTraining(name.key)) },
        absent: noArtwork,
      });
    },
  });
}

function noArtwork(): StaveError {
  return new StaveError('not_found', 'There is no such artwork.');
}

/** The same picture may belong to several tracks, so its name is that of its content. */
function dispositionOf({
  rawUrl,
  params: { name },
}: {
  rawUrl: string;
  params: { name: string };
}): string {
  const type = rawUrl.endsWith('?download') ? 'attachment' : 'inline';
  return contentDisposition(type, `artwork-${name.slice(-13)}`);
}

function pictureResponse(
  request: FileRequest,
  picture: Buffer,
  given: Readonly<Record<string, string>>,
): ApiResponse {
  const etag = `"${hash('sha256', picture, 'hex')}"`;
  const headers = { ...given, 'Cache-Control': FOREVER, ETag: etag };
  const precondition = evaluatePreconditions(request.headers, { etag, modifiedMs: undefined });
  if (precondition === 'failed') {
    throw new StaveError(
      'precondition_failed',
      'The artwork is not the one that the condition names.',
    );
  }
  const contentType = 'image/png';
  return precondition === 'not-modified'
    ? { status: 304, headers, body: null, contentType }
    : { headers, body: picture, contentType };
}
