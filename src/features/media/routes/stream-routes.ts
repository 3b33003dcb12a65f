import { Type } from 'typebox';
import { BoundedMap } from '../../../common/memory/caches.ts';
import { text } from '../../../common/schema-types.ts';
import type { Cover } from '../../../engines/audio/tags/audio-tags.ts';
import { audioContentType, extensionOf } from '../../../engines/blobs/content-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { parsedAudio } from '../../catalog/audio-properties.ts';
import {
  type CoverColumns,
  needsMp3,
  type StreamPolicy,
  streamTag,
} from '../../catalog/streamed-audio.ts';
import type { Conversions } from '../conversions.ts';
import { AUDIO_REDIRECT, noAudio, SIGNED_MEDIA_ROUTE, type SignedMedia } from './signed-media.ts';

/** The pictures that are kept, of at most 300 KB. */
const MAX_COVERS = 50;

/** What decides what a stream URL sends. */
export interface StreamSources {
  streamPolicy: StreamPolicy;
  conversions: Conversions;
}

/** `GET /media/stream/{id}`: the audio of a track, for the holder of a signed URL. */
export function streamRoute(
  signed: SignedMedia,
  { streamPolicy, conversions }: StreamSources,
): Route {
  const covers = new BoundedMap<string, Cover>(MAX_COVERS);
  // Players request many ranges of a file.
  const coverOf = async ({ artworkKey, coverBytes }: CoverColumns) => {
    if (artworkKey === null || !coverBytes) return undefined;
    const kept = covers.get(artworkKey);
    if (kept !== undefined) return kept;
    const { readCover } = await import('../cover.ts');
    // A track plays without its artwork, too.
    const read = await readCover(signed.media, artworkKey, coverBytes).catch(() => undefined);
    if (read !== undefined) covers.set(artworkKey, read);
    return read;
  };
  return route({
    ...SIGNED_MEDIA_ROUTE,
    operationId: 'streamTrack',
    path: '/media/stream/{id}',
    tag: 'Media',
    summary: 'Stream the audio of a track',
    description:
      'The URL in `streamUrl`, which works without changes in an `<audio>` element: no ' +
      'header is needed. Its query (`expires`, `issued`, `client`, `mode`, `signature`) must be ' +
      'sent exactly as received; `&download` at the end makes a browser save the file under its name. A download that began in time completes. Seeks and resumes work ' +
      'through `Range` (one range), `If-Range`, `HEAD` and the strong `ETag`. The response may be a ' +
      'redirect to the storage of the audio, which supports ranges, too.',
    params: Type.Object({
      id: text(
        'The track’s id, and the extension of the file.',
        '2ec42c35-fd63-57d8-8763-47b0328ef627.mp3',
      ),
    }),
    produces: ['audio/*'],
    redirects: AUDIO_REDIRECT,
    async handle(request) {
      const track = await signed.open('stream', request);
      const { audioKey: key, audioProperties, ...columns } = track.audio;
      if (key === null) throw noAudio();
      const { bitrate, sampleRate } = parsedAudio(audioProperties);
      if (needsMp3({ audioKey: key, bitrate, isPlayable: columns.isPlayable }, streamPolicy)) {
        const source = { audioKey: key, samples: columns.samples, sampleRate };
        const tag = streamTag(track.audio, await coverOf(track.audio));
        const mp3 = await conversions.open(source, { format: 'mp3' }, tag);
        if (mp3 !== undefined) return signed.mp3Response(request, track, mp3);
      }
      const contentType = audioContentType(key) ?? 'application/octet-stream';
      return signed.audioResponse(request, track.ticket, {
        kind: 'stream',
        trackId: track.ticket.id,
        key,
        contentType,
        track: track.audio,
        extension: extensionOf(key),
      });
    },
  });
}

/** `GET /media/part/{partId}`: a stem or an alternate version, for the holder of a signed URL. */
export function partRoute(signed: SignedMedia): Route {
  return route({
    ...SIGNED_MEDIA_ROUTE,
    operationId: 'streamPart',
    path: '/media/part/{partId}',
    tag: 'Stems',
    summary: 'Stream a stem or an alternate version',
    description:
      'The `url` of a part in the list of the stems of its track. Its query must be sent exactly as received. Ranges, ' +
      'conditions, `HEAD` and redirects work as for `streamUrl`. A part that was removed gets `not_found`, and one of a ' +
      'track that was taken down `gone`.',
    params: Type.Object({
      partId: text(
        'The part’s id, and the extension of the file.',
        '6d5d9c3e-5d57-5b0c-9a6f-0b0b52c7a1de.wav',
      ),
    }),
    produces: ['audio/*'],
    redirects: AUDIO_REDIRECT,
    async handle(request) {
      const { ticket, part } = await signed.openPart(request);
      const contentType = audioContentType(part.audioKey) ?? 'application/octet-stream';
      return signed.audioResponse(request, ticket, {
        kind: 'part',
        trackId: part.trackId,
        key: part.audioKey,
        contentType,
        track: part,
        extension: extensionOf(part.audioKey),
        part: part.part,
      });
    },
  });
}
