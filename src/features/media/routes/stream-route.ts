import { Type } from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { audioContentType } from '../../../engines/blobs/content-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { noAudio, SIGNED_MEDIA_ERRORS, type SignedMedia } from './signed-media.ts';

/** `GET /media/stream/{id}`: the audio of a track, for the holder of a signed URL. */
export function streamRoute(signed: SignedMedia): Route {
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
    errors: SIGNED_MEDIA_ERRORS,
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
      const track = await signed.open('stream', request);
      const { audioKey: key } = track.audio;
      if (key === null) {
        throw noAudio();
      }
      const contentType = audioContentType(key) ?? 'application/octet-stream';
      return signed.audioResponse(request, track.ticket, {
        kind: 'stream',
        trackId: track.ticket.id,
        key,
        contentType,
      });
    },
  });
}
