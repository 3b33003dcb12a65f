import { hash } from 'node:crypto';
import { Type } from 'typebox';
import { StaveError } from '../../kernel/errors.ts';
import { API_VERSION } from '../../kernel/version.ts';
import { type GeneratedArtwork, parseArtworkName } from '../../media/artwork.ts';
import { artworkContentType } from '../../media/content-types.ts';
import type { MediaStore } from '../../media/media-store.ts';
import { type Answer, type Route, route } from '../route.ts';
import { type FileRequest, fileAnswer } from './file-answer.ts';
import { evaluatePreconditions } from './preconditions.ts';

/** The name stands for the bytes, so they may be kept for ever (RFC 8246). */
const FOR_EVER = 'public, max-age=31536000, immutable';

const HEADERS = {
  // Whatever a supplier's picture holds, opened by itself it can run nothing and load nothing.
  'Content-Security-Policy': "default-src 'none'; sandbox",
};

/** `GET /media/artwork/{name}`: a track's picture, delivered or generated; needs no signature. */
export function artworkRoute({
  media,
  generated,
  hasArtwork,
}: {
  media: MediaStore;
  generated: GeneratedArtwork;
  /** Whether there is a track or a playlist of that id: for nothing else is a picture drawn. */
  hasArtwork(id: string): boolean | Promise<boolean>;
}): Route {
  return route({
    operationId: 'readArtwork',
    method: 'GET',
    path: '/media/artwork/{name}',
    version: API_VERSION,
    tag: 'Media',
    summary: 'Read the artwork of a track or a playlist',
    description:
      'The address that `artworkUrl` holds. It needs no signature, names its content, and may be ' +
      'cached for ever. A track that came without artwork has a generated picture.',
    access: 'public',
    errors: ['not_found', 'precondition_failed', 'range_not_satisfiable'],
    params: Type.Object({ name: Type.String({ description: 'As `artworkUrl` has it.' }) }),
    data: undefined,
    produces: ['image/*'],
    async handle(request) {
      const name = parseArtworkName(request.params.name);
      if (name !== undefined && 'generatedFor' in name) {
        if (!(await hasArtwork(name.generatedFor))) throw noArtwork();
        return pictureAnswer(request, await generated.picture(name.generatedFor));
      }
      const contentType = name && artworkContentType(name.key);
      // Only pictures: the same store holds the audio, which needs a signature.
      if (name === undefined || contentType === undefined) {
        throw noArtwork();
      }
      return fileAnswer(media, request, {
        key: name.key,
        contentType,
        cacheControl: FOR_EVER,
        headers: HEADERS,
        absent: noArtwork,
      });
    },
  });
}

function noArtwork(): StaveError {
  return new StaveError('not_found', 'There is no such artwork.');
}

function pictureAnswer(request: FileRequest, picture: Buffer): Answer {
  const etag = `"${hash('sha256', picture, 'hex')}"`;
  const headers = { ...HEADERS, 'Cache-Control': FOR_EVER, ETag: etag };
  const precondition = evaluatePreconditions(request.headers, { etag, modifiedMs: undefined });
  if (precondition === 'failed') {
    throw new StaveError('precondition_failed', 'The artwork is not the one the condition names.');
  }
  const contentType = 'image/png';
  return precondition === 'not-modified'
    ? { status: 304, headers, body: null, contentType }
    : { headers, body: picture, contentType };
}
