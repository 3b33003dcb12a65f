import { Type } from 'typebox';
import type { CatalogStore } from '../../catalog/store.ts';
import type { Clock } from '../../kernel/clock.ts';
import { StaveError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { API_VERSION } from '../../kernel/version.ts';
import { audioContentType } from '../../media/content-types.ts';
import type { MediaStore } from '../../media/media-store.ts';
import { type StreamUrls, urlExpired } from '../../media/signed-url.ts';
import { type Route, route } from '../route.ts';
import { fileAnswer } from './file-answer.ts';

/** Everything the stream route needs. */
export interface StreamRouteDependencies {
  streamUrls: StreamUrls;
  catalog: Pick<CatalogStore, 'trackAudio'>;
  media: MediaStore;
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
      'through `Range` (one range), `If-Range`, `HEAD` and the strong `ETag`.',
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
      return fileAnswer({ media, log }, request, {
        key: audio.audioKey,
        contentType: audioContentType(audio.audioKey) ?? 'application/octet-stream',
        cacheControl: `private, max-age=${remainingSeconds}`,
      });
    },
  });
}
