import { Type } from 'typebox';
import type { CatalogStore } from '../../catalog/store.ts';
import type { Clock } from '../../kernel/clock.ts';
import { StaveError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { API_VERSION } from '../../kernel/version.ts';
import { audioContentType } from '../../media/content-types.ts';
import type { MediaStore } from '../../media/media-store.ts';
import { type StreamUrls, urlExpired } from '../../media/signed-url.ts';
import { unavailable } from '../errors.ts';
import { type Route, route } from '../route.ts';
import { fileAnswer } from './file-answer.ts';

/** Everything the stream route needs. */
export interface StreamRouteDependencies {
  streamUrls: StreamUrls;
  catalog: Pick<CatalogStore, 'trackAudio'>;
  media: MediaStore;
  /** `redirect` sends the holder of a URL to the media store itself, where that can answer. */
  mediaDelivery: 'redirect' | 'proxy';
  /** Whether the client still vouches for a URL of that time of issue; asked on each request, so in memory. */
  honoursUrl(clientId: string, issuedAt: number): boolean;
  clock: Clock;
  log: Log;
}

/** `GET /media/stream/{id}`: the audio of a track, for whoever holds a signed URL. */
export function streamRoute({
  streamUrls,
  catalog,
  media,
  mediaDelivery,
  honoursUrl,
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
      'The address that `streamUrl` holds, which works as it stands in an `<audio>` element: no ' +
      'header is needed. Its query (`expires`, `issued`, `client`, `mode`, `signature`) is to be ' +
      'sent exactly as given. A download that began in time completes. Seeks and resumes work ' +
      'through `Range` (one range), `If-Range`, `HEAD` and the strong `ETag`. The answer may be a ' +
      'redirect to where the audio lies, which serves ranges too.',
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
    params: Type.Object({ id: Type.String({ description: 'The track’s id.' }) }),
    data: undefined,
    produces: ['audio/*'],
    redirects:
      'The audio lies at `Location`, which works for this method, and no longer than this URL.',
    async handle(request) {
      const now = clock.now();
      const ticket = streamUrls.verify(request.rawUrl, now);
      if (!honoursUrl(ticket.clientId, ticket.issuedAt)) {
        throw urlExpired();
      }
      const audio = await catalog.trackAudio(ticket.trackId);
      if (audio?.state === 'taken_down') {
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
      return fileAnswer(media, request, {
        key,
        contentType,
        cacheControl,
        absent: () => missing(log, key),
      });
    },
  });
}

/** The catalog says there is a file and there is none: a lost or unmounted folder, so worth a retry. */
function missing(log: Log, key: string): StaveError {
  log.error({ key }, 'A file that the catalog names is missing from the media store.');
  return unavailable('The file cannot be read now; try again later.', 30);
}
