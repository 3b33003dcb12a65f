import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Clock } from '../../../common/clock.ts';
import { StaveError, unavailable } from '../../../common/errors.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import { text } from '../../../common/schema-types.ts';
import type { ByteRange } from '../../../engines/blobs/media-store.ts';
import {
  type FileResponse,
  representationResponse,
} from '../../../engines/http/response/representation.ts';
import { type ApiRequest, type Route, route } from '../../../engines/http/route/route.ts';
import { contentDisposition } from '../../media/file-name.ts';
import type { MediaRequestCounter } from '../../media/media-requests.ts';
import {
  reservation,
  SIGNED_MEDIA_ROUTE,
  type SignedMedia,
} from '../../media/routes/signed-media.ts';
import type { LicensedCopy, UrlTicket } from '../../media/signed-url.ts';
import type { RenditionKeyOf } from '../../renditions/routes/rendition-routes.ts';
import type { IssuedLicense } from '../issued-license.ts';
import type { LicensedFile } from '../licensed-file.ts';
import { fileNameOf, type LicensedFiles } from '../licensed-files.ts';
import type { OpenDownloads } from '../open-downloads.ts';
import type { IssuedLicenseStore } from '../store/issued-license-store.ts';
import type { LicenseDownloadStore } from '../store/license-download-store.ts';

/** The files that a node sends at the same time: each may take some megabytes of memory for its tags. */
const MAX_IN_ALL = 128;
const MAX_OF_CLIENT = 32;
const RETRY_SECONDS = 10;

interface Dependencies {
  signed: Pick<SignedMedia, 'openDownload' | 'cacheControl'>;
  issuedLicenses: Pick<IssuedLicenseStore, 'findAny'>;
  downloads: Pick<LicenseDownloadStore, 'record'>;
  files: LicensedFiles;
  open: OpenDownloads;
  openCounts: OpenCounts;
  clipKeyOf: RenditionKeyOf;
  mediaRequestCounter?: MediaRequestCounter | undefined;
  clock: Clock;
}

/** `GET /media/download/{id}`: a file of a license, for the holder of a signed URL. */
export function downloadFileRoute(deps: Dependencies): Route {
  const { signed } = deps;
  return route({
    ...SIGNED_MEDIA_ROUTE,
    operationId: 'downloadLicensedFile',
    path: '/media/download/{id}',
    tag: 'Licensing',
    summary: 'Download a file of a license',
    description:
      'The `url` of a file in the response to `POST /v1/licenses/{number}/downloads`. Its query must be sent exactly as ' +
      'received. The tags are written while the file is sent, so the response is never a redirect; `Content-Length` is ' +
      'exact. Ranges, conditions and `HEAD` work as for `streamUrl`. When the license is revoked, the URL gets `gone`, ' +
      'and a download under way ends within a second.',
    params: Type.Object({
      id: text('The id of the track or of the part.', '2ec42c35-fd63-57d8-8763-47b0328ef627'),
    }),
    produces: ['audio/*'],
    async handle(request) {
      const ticket = signed.openDownload(request);
      const leave = enter(deps.openCounts, ticket.clientId);
      try {
        const response = await respond(deps, request, ticket);
        if (response.body instanceof Readable) response.body.once('close', leave);
        else leave();
        return response;
      } catch (error) {
        leave();
        throw error;
      }
    },
  });
}

async function respond(
  deps: Dependencies,
  request: ApiRequest,
  ticket: UrlTicket & { copy: LicensedCopy },
): Promise<FileResponse> {
  const { signed, issuedLicenses, files, open } = deps;
  const license = await issuedLicenses.findAny(ticket.copy.license);
  if (license === undefined) throw new StaveError('not_found', 'There is no such license.');
  refuseRevoked(license);
  const file = await files.find(license, ticket.id, ticket.copy.format);
  const { track } = file.record;
  request.note({ clientId: ticket.clientId, trackId: track.id });
  const composed = await files.compose(file, await keyOf(file, deps, request));
  const name = fileNameOf(file, ticket.copy.copy);
  const { etag, contentType, sizeBytes } = composed;
  const count = () => counted(deps, file, ticket.copy, sizeBytes);
  return representationResponse(request, {
    ...{ etag, contentType },
    modifiedAt: undefined,
    headers: {
      'Cache-Control': signed.cacheControl(ticket),
      'Content-Disposition': contentDisposition('attachment', name),
      ...reservation(file.audio.forbidsTraining),
    },
    hasRanges: true,
    sizeBytes: async () => sizeBytes,
    async open(range?: ByteRange) {
      const bytes = await composed.open(range);
      const stream = Readable.from(onceBegun(bytes, count), { objectMode: false });
      open.add(license.number, stream);
      return stream;
    },
  });
}

/** Takes a place, and returns the function that leaves it. Throws `unavailable` if all places are taken. */
function enter(open: OpenCounts, clientId: string): () => void {
  const ofClient = `download ${clientId}`;
  if (!open.enter(ofClient, MAX_OF_CLIENT)) throw busy(MAX_OF_CLIENT, ' to this client');
  if (!open.enter('download', MAX_IN_ALL)) {
    open.leave(ofClient);
    throw busy(MAX_IN_ALL, '');
  }
  return () => {
    open.leave(ofClient);
    open.leave('download');
  };
}

function busy(count: number, whom: string): StaveError {
  return unavailable(
    `This node sends ${count} licensed files${whom} already; try again when one has ended.`,
    RETRY_SECONDS,
  );
}

function refuseRevoked({ number, revokedAt }: IssuedLicense): void {
  if (revokedAt !== null) throw new StaveError('gone', `License ${number} was revoked.`);
}

/** Returns the delivered audio of a file. May wait for the clip of a test license. */
async function keyOf(
  { key, license, audio }: LicensedFile,
  { clipKeyOf, issuedLicenses }: Dependencies,
  request: ApiRequest,
): Promise<string> {
  if (key !== null) return key;
  const wanted = {
    sound: audio,
    clientId: license.clientId,
    async recheck() {
      refuseRevoked((await issuedLicenses.findAny(license.number)) ?? license);
    },
  };
  return clipKeyOf('preview', wanted, () => request.whenGone());
}

/** Counts a file once a day. */
async function counted(
  { downloads, mediaRequestCounter, clock }: Dependencies,
  { license, record, partId }: LicensedFile,
  { format }: LicensedCopy,
  bytes: number,
): Promise<void> {
  const trackId = record.track.id;
  const { number, clientId, mode } = license;
  const isFirst = await downloads.record(number, {
    ...{ trackId, partId, format, at: clock.now(), bytes },
  });
  if (isFirst) mediaRequestCounter?.count({ trackId, clientId, mode, kind: 'download' });
}

/** Calls back before the first bytes. */
async function* onceBegun(
  pieces: AsyncIterable<Uint8Array>,
  begin: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let hasBegun = false;
  for await (const bytes of pieces) {
    if (!hasBegun) await begin();
    hasBegun = true;
    yield bytes;
  }
}
