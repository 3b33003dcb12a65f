import { Type } from 'typebox';
import type { CatalogStore } from '../../catalog/store.ts';
import type { Clock } from '../../common/clock.ts';
import { StaveError } from '../../common/errors.ts';
import type { Log } from '../../common/log.ts';
import { API_VERSION } from '../../common/version.ts';
import { unavailable } from '../../http/errors.ts';
import { type Route, route } from '../../http/route.ts';
import { audioContentType } from '../../media/content-types.ts';
import type { MediaStore } from '../../media/media-store.ts';
import { type SignedUrls, urlExpired } from '../../media/signed-url.ts';
import { fileResponse } from './file-response.ts';

/** What the stream route needs. */
export interface StreamRouteDependencies {
  signedUrls: SignedUrls;
  catalog: Pick<CatalogStore, 'trackAudio'>;
  media: MediaStore;
  /** With `redirect`, the response redirects to the media store if the store can serve the file itself. */
  mediaDelivery: 'redirect' | 'proxy';
  /**
   * Whether the client still permits URLs issued at that time. It is called on each request, so it must read
   * only memory.
   */
  acceptsUrl(clientId: string, issuedAt: number): boolean;
  clock: Clock;
  log: Log;
}

/** `GET /media/stream/{id}`: the audio of a track, for the holder of a signed URL. */
export function streamRoute({
  signedUrls,
  catalog,
  media,
  mediaDelivery,
  acceptsUrl: isAccepted,
  clock,
  log,
}: StreamRouteDependencies): Route {
  return route({
    operationId: 'streamTrack',
    method: 'GET',
    path: '/media/stream/{id}',
    version: API_VERSION,
    tag: 'Media',
    summary: 'Stream the audio of a track',
    description:
      'The URL in `streamUrl`, which works without changes in an `<audio>` element: no ' +
      'header is needed. Its query (`expires`, `issued`, `client`, `mode`, `signature`) must be ' +
      'sent exactly as received. A download that began in time completes. Seeks and resumes work ' +
      'through `Range` (one range), `If-Range`, `HEAD` and the strong `ETag`. The response may be a ' +
      'redirect to the storage of the audio, which supports ranges, too.',
    access: 'public',
    errors: [
      'invalid_signature',
      'url_expired',
      'not_found',
      'gone',
      'precondition_failed',
      'range_not_satisfiable',
      'unavailable',
    ],
    params: Type.Object({
      id: Type.String({
        description: 'The track’s id.',
        examples: ['2ec42c35-fd63-57d8-8763-47b0328ef627'],
      }),
    }),
    data: undefined,
    produces: ['audio/*'],
    redirects:
      'The audio is at `Location`, which is valid for this method, and no longer than this URL.',
    async handle(request) {
      const now = clock.now();
      const ticket = signedUrls.verify('stream', request.rawUrl, now);
      request.note({ clientId: ticket.clientId, trackId: ticket.trackId });
      if (!isAccepted(ticket.clientId, ticket.issuedAt)) {
        throw urlExpired();
      }
      const audio = await catalog.trackAudio(ticket.trackId);
      if (audio !== undefined && audio.state !== 'live') {
        throw new StaveError('gone', 'The track was taken down.');
      }
      if (audio === undefined || audio.audioKey === null) {
        throw new StaveError('not_found', 'The track has no audio.');
      }
      const remainingSeconds = Math.floor((ticket.expiresAt - now) / 1000);
      const { audioKey: key } = audio;
      const contentType = audioContentType(key) ?? 'application/octet-stream';
      const cacheControl = `private, max-age=${remainingSeconds}`;
      if (mediaDelivery === 'redirect' && media.presign !== undefined) {
        const { url, seconds } = await media.presign(key, {
          method: request.method === 'HEAD' ? 'HEAD' : 'GET',
          seconds: Math.max(1, remainingSeconds),
          contentType,
          cacheControl,
        });
        const keptSeconds = Math.min(seconds, remainingSeconds);
        return { redirect: url, headers: { 'Cache-Control': `private, max-age=${keptSeconds}` } };
      }
      return fileResponse(media, request, {
        key,
        contentType,
        cacheControl,
        absent: () => missing(log, key),
      });
    },
  });
}

/**
 * Returns the error for a file that the catalog names and the media store lacks. The folder may be not
 * mounted, so a retry may succeed.
 */
function missing(log: Log, key: string): StaveError {
  log.error({ key }, 'A file that the catalog names is missing from the media store.');
  return unavailable('The file cannot be read now; try again later.', 30);
}
