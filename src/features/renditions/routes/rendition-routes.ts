import { Type } from 'typebox';
import { StaveError, unavailable } from '../../../common/errors.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import { text } from '../../../common/schema-types.ts';
import { CallerGone } from '../../../engines/http/response/errors.ts';
import {
  fileResponse,
  representationResponse,
} from '../../../engines/http/response/representation.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  noAudio,
  SIGNED_MEDIA_ROUTE,
  type SignedMedia,
  type SignedTrack,
} from '../../media/routes/signed-media.ts';
import type { RenditionKind, TrackSound } from '../rendition.ts';
import type { RenditionQueue } from '../rendition-queue.ts';
import { jsonOfDat, jsonOfGzip } from './waveform-json.ts';

/** Returns the operations on previews and waveforms (docs/contract/previews.md). */
export function renditionRoutes(
  signed: SignedMedia,
  {
    renditions,
    openCounts,
  }: { renditions: Pick<RenditionQueue, 'find' | 'ensure'>; openCounts: OpenCounts },
): Route[] {
  const keyOf = renditionKeys(renditions, openCounts);
  const keyOfTrack: KeyOfTrack = (kind, track, gone) => keyOf(kind, wantedBy(signed, track), gone);
  return [previewRoute(signed, keyOfTrack), waveformRoute(signed, keyOfTrack)];
}

/** `GET /media/preview/{id}`: the preview clip of a track, for the holder of a signed URL. */
function previewRoute(signed: SignedMedia, keyOf: KeyOfTrack): Route {
  return route({
    ...SIGNED_MEDIA_ROUTE,
    operationId: 'streamPreview',
    path: '/media/preview/{id}',
    tag: 'Media',
    summary: 'Stream the preview clip of a track',
    description:
      'The URL in `previewUrl`, which works without changes in an `<audio>` element. Its query must be sent exactly ' +
      'as received. The clip is an MP3 of 30 seconds, or of the whole track if that is shorter. Ranges, conditions, ' +
      '`HEAD` and redirects work as for `streamUrl`. If the clip does not exist yet, the request waits up to 10 ' +
      'seconds for it, and then gets `unavailable` with `Retry-After: 5`. A track whose audio cannot be decoded gets ' +
      '`not_found` with the reason.',
    params: Type.Object({
      id: text('The track’s id, and `.mp3`.', '2ec42c35-fd63-57d8-8763-47b0328ef627.mp3'),
    }),
    produces: ['audio/mpeg'],
    redirects:
      'The clip is at `Location`, which is valid for this method, and no longer than this URL.',
    async handle(request) {
      const track = await signed.open('preview', request);
      const key =
        track.audio.previewKey ?? (await keyOf('preview', track, () => request.whenGone()));
      return signed.audioResponse(request, track.ticket, {
        kind: 'preview',
        trackId: track.ticket.id,
        key,
        contentType: 'audio/mpeg',
        track: track.audio,
        extension: 'mp3',
      });
    },
  });
}

/** `GET /media/waveform/{name}`: the waveform of a track, for the holder of a signed URL. */
function waveformRoute(signed: SignedMedia, keyOf: KeyOfTrack): Route {
  return route({
    ...SIGNED_MEDIA_ROUTE,
    operationId: 'readWaveform',
    path: '/media/waveform/{name}',
    tag: 'Media',
    summary: 'Read the waveform of a track',
    description:
      'The URLs in `waveformUrl` (JSON, without an envelope) and `waveformDataUrl` (binary). Both are [BBC ' +
      'audiowaveform data](https://github.com/bbc/audiowaveform/blob/master/doc/DataFormat.md) of version 2 with 8 ' +
      'bits and one channel, and hold the same numbers: the minimum and the maximum of each bin. The query must be ' +
      'sent exactly as received. The JSON is compressed for callers that accept gzip; ranges exist only of the binary ' +
      'form. If the waveform does not exist yet, the request waits up to 10 seconds for it, and then gets ' +
      '`unavailable` with `Retry-After: 5`. A track whose audio cannot be decoded gets `not_found` with the reason.',
    params: Type.Object({
      name: text(
        'The track’s id, and `.json` or `.dat`.',
        '2ec42c35-fd63-57d8-8763-47b0328ef627.json',
      ),
    }),
    produces: ['application/json', 'application/octet-stream'],
    async handle(request) {
      const kind = request.params.name.endsWith('.dat') ? 'waveform-dat' : 'waveform';
      const { media } = signed;
      const track = await signed.open(kind, request);
      const imported = track.audio.waveformKey;
      const key = imported ?? (await keyOf(kind, track, () => request.whenGone()));
      const file = (contentType: string) =>
        signed.file(track.ticket, {
          ...{ key, contentType },
          track: track.audio,
          extension: kind === 'waveform' ? 'json' : 'dat',
        });
      if (kind === 'waveform-dat') {
        return fileResponse(media, request, file('application/octet-stream'));
      }
      const representation = imported === null ? jsonOfGzip : jsonOfDat;
      return representationResponse(
        request,
        await representation(media, request, file('application/json')),
      );
    },
  });
}

const WAIT_MS = 10_000;
const RETRY_SECONDS = 5;
/** The most requests that wait on a node. Further ones also put their rendition first, but must retry at once. */
const MAX_OF_CLIENT = 100;
const MAX_IN_ALL = 400;

const NAMES: Readonly<Record<RenditionKind, string>> = {
  preview: 'preview clip',
  waveform: 'waveform',
  'waveform-dat': 'waveform',
};

/** The audio whose rendition a client requests. */
interface WantedRendition {
  sound: TrackSound;
  clientId: string;
  /** Called after a wait. Throws if the client no longer gets the rendition. */
  recheck(): Promise<void>;
}

/** Returns the media key of a rendition. May wait while it is being made. */
export type RenditionKeyOf = (
  kind: RenditionKind,
  wanted: WantedRendition,
  gone: () => AbortSignal,
) => Promise<string>;

type KeyOfTrack = (
  kind: RenditionKind,
  track: SignedTrack,
  gone: () => AbortSignal,
) => Promise<string>;

function wantedBy(signed: SignedMedia, track: SignedTrack): WantedRendition {
  const { clientId } = track.ticket;
  return { sound: track.audio, clientId, recheck: () => signed.recheck(track) };
}

/**
 * The function throws `not_found` with the reason if there will be no such rendition, `unavailable` while it is being
 * made, and CallerGone if the caller does not wait.
 *
 * @param open counts the waiting requests
 */
export function renditionKeys(
  renditions: Pick<RenditionQueue, 'find' | 'ensure'>,
  open: OpenCounts,
): RenditionKeyOf {
  const wait = async (kind: RenditionKind, wanted: WantedRendition, gone: AbortSignal) => {
    if (gone.aborted) throw new CallerGone();
    const { sound, clientId, recheck } = wanted;
    const ofClient = `rendition ${clientId}`;
    const inAll = 'rendition';
    const putFirst = () => renditions.ensure(sound, kind, 0, gone);
    if (!open.enter(ofClient, MAX_OF_CLIENT)) return putFirst();
    try {
      if (!open.enter(inAll, MAX_IN_ALL)) return await putFirst();
      try {
        const outcome = await renditions.ensure(sound, kind, WAIT_MS, gone);
        if (gone.aborted) throw new CallerGone();
        await recheck();
        return outcome;
      } finally {
        open.leave(inAll);
      }
    } finally {
      open.leave(ofClient);
    }
  };
  return async (kind, wanted, gone) => {
    const { sound } = wanted;
    if (sound.audioKey === null) throw noAudio();
    const known = await renditions.find(sound, kind);
    const outcome = known.state === 'pending' ? await wait(kind, wanted, gone()) : known;
    if (outcome.state === 'failed') {
      throw new StaveError('not_found', `The track has no ${NAMES[kind]}: ${outcome.reason}.`);
    }
    if (outcome.state === 'pending') {
      throw unavailable(`The ${NAMES[kind]} is being made; try again.`, RETRY_SECONDS);
    }
    return outcome.file.mediaKey;
  };
}
