import { Type } from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { fileResponse } from '../../media/routes/file-response.ts';
import { representationResponse } from '../../media/routes/representation.ts';
import { SIGNED_MEDIA_ERRORS, type SignedMedia } from '../../media/routes/signed-media.ts';
import type { AwaitedRenditions } from './awaited-renditions.ts';
import { jsonOfDat, jsonOfGzip } from './waveform-json.ts';

/** `GET /media/waveform/{name}`: the waveform of a track, for the holder of a signed URL. */
export function waveformRoute(signed: SignedMedia, renditions: AwaitedRenditions): Route {
  return route({
    operationId: 'readWaveform',
    method: 'GET',
    path: '/media/waveform/{name}',
    version: API_VERSION,
    tag: 'Media',
    summary: 'Read the waveform of a track',
    description:
      'The URLs in `waveformUrl` (JSON, without an envelope) and `waveformDataUrl` (binary). Both are [BBC ' +
      'audiowaveform data](https://github.com/bbc/audiowaveform/blob/master/doc/DataFormat.md) of version 2 with 8 ' +
      'bits and one channel, and hold the same numbers: the minimum and the maximum of each bin. The query must be ' +
      'sent exactly as received. The JSON is compressed for callers that accept gzip; ranges exist only of the binary ' +
      'form. If the waveform does not exist yet, the request waits up to 10 seconds for it, and then gets ' +
      '`unavailable` with `Retry-After: 5`. A track whose audio cannot be decoded gets `not_found` with the reason.',
    access: 'public',
    errors: SIGNED_MEDIA_ERRORS,
    params: Type.Object({
      name: Type.String({
        description: 'The track’s id, and `.json` or `.dat`.',
        examples: ['2ec42c35-fd63-57d8-8763-47b0328ef627.json'],
      }),
    }),
    data: undefined,
    produces: ['application/json', 'application/octet-stream'],
    async handle(request) {
      const kind = request.params.name.endsWith('.dat') ? 'waveform-dat' : 'waveform';
      const { media } = signed;
      const track = await signed.open(kind, request);
      const imported = track.audio.waveformKey;
      const key = imported ?? (await renditions.key(kind, track, () => request.whenGone()));
      if (kind === 'waveform-dat') {
        const contentType = 'application/octet-stream';
        return fileResponse(media, request, signed.file(track.ticket, { key, contentType }));
      }
      const file = signed.file(track.ticket, { key, contentType: 'application/json' });
      const representation = imported === null ? jsonOfGzip : jsonOfDat;
      return representationResponse(request, await representation(media, request, file));
    },
  });
}
