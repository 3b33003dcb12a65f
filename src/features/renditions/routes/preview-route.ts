import { Type } from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { SIGNED_MEDIA_ERRORS, type SignedMedia } from '../../media/routes/signed-media.ts';
import type { AwaitedRenditions } from './awaited-renditions.ts';

/** `GET /media/preview/{id}`: the preview clip of a track, for the holder of a signed URL. */
export function previewRoute(signed: SignedMedia, renditions: AwaitedRenditions): Route {
  return route({
    operationId: 'streamPreview',
    method: 'GET',
    path: '/media/preview/{id}',
    version: API_VERSION,
    tag: 'Media',
    summary: 'Stream the preview clip of a track',
    description:
      'The URL in `previewUrl`, which works without changes in an `<audio>` element. Its query must be sent exactly ' +
      'as received. The clip is an MP3 of 30 seconds, or of the whole track if that is shorter. Ranges, conditions, ' +
      '`HEAD` and redirects work as for `streamUrl`. If the clip does not exist yet, the request waits up to 10 ' +
      'seconds for it, and then gets `unavailable` with `Retry-After: 5`. A track whose audio cannot be decoded gets ' +
      '`not_found` with the reason.',
    access: 'public',
    errors: SIGNED_MEDIA_ERRORS,
    params: Type.Object({
      id: Type.String({
        description: 'The track’s id.',
        examples: ['2ec42c35-fd63-57d8-8763-47b0328ef627'],
      }),
    }),
    data: undefined,
    produces: ['audio/mpeg'],
    redirects:
      'The clip is at `Location`, which is valid for this method, and no longer than this URL.',
    async handle(request) {
      const track = await signed.open('preview', request);
      const key =
        track.audio.previewKey ??
        (await renditions.key('preview', track, () => request.whenGone()));
      return signed.audioResponse(request, track.ticket, {
        kind: 'preview',
        trackId: track.ticket.id,
        key,
        contentType: 'audio/mpeg',
      });
    },
  });
}
