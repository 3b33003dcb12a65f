import type { Clock } from '../../../common/clock.ts';
import { type ErrorKind, StaveError, unavailable } from '../../../common/errors.ts';
import type { Log } from '../../../common/log.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import {
  fileResponse,
  representationResponse,
  type ServedFile,
} from '../../../engines/http/response/representation.ts';
import type { ApiRequest, ApiResponse } from '../../../engines/http/route/route.ts';
import type { TrackState } from '../../availability/availability.ts';
import type {
  PartAudio,
  ServedTrack,
  TrackAudio,
  TrackWithParts,
} from '../../catalog/catalog-stores.ts';
import type { CatalogStore } from '../../catalog/store/catalog-store.ts';
import type { Converted } from '../conversions.ts';
import { contentDisposition, mediaFileName } from '../file-name.ts';
import type { MediaRequestCounter, SentMedia } from '../media-requests.ts';
import {
  type LicensedCopy,
  type SignedUrls,
  type UrlKind,
  type UrlTicket,
  urlExpired,
} from '../signed-url.ts';

export const SIGNED_MEDIA_ERRORS = [
  'invalid_signature',
  'url_expired',
  'not_found',
  'gone',
  'precondition_failed',
  'range_not_satisfiable',
  'unavailable',
] as const satisfies readonly ErrorKind[];

export const SIGNED_MEDIA_ROUTE = {
  method: 'GET',
  access: 'public',
  errors: SIGNED_MEDIA_ERRORS,
  data: undefined,
} as const;

/** After a longer wait, the track is read again, because it may have been taken down meanwhile. */
const LONG_WAIT_MS = 500;

export const AUDIO_REDIRECT =
  'The audio is at `Location`, which is valid for this method, and no longer than this URL.';

export interface SignedMediaDependencies {
  signedUrls: SignedUrls;
  catalog: Pick<CatalogStore, 'trackAudio' | 'trackParts' | 'partAudio'>;
  media: MediaStore;
  /** With `redirect`, responses redirect to the media store if the store can serve the file itself. */
  mediaDelivery: 'redirect' | 'proxy';
  /** Whether the client still permits URLs issued at that time. Each request calls it, so it must read only memory. */
  acceptsUrl(clientId: string, issuedAt: number): boolean;
  /** Whether the link to a collection still permits the URL of a guest. */
  acceptsLink(ticket: UrlTicket): Promise<boolean>;
  mediaRequestCounter?: MediaRequestCounter | undefined;
  /** Counts a response with audio that a guest of a link begins to play. */
  countLinkUse?(use: { linkId: string; opens: number; plays: number }): void;
  clock: Clock;
  log: Log;
}

type SentOfTrack = { kind: SentMedia; trackId: string };

/** What names a file of a track. */
interface NamedFile {
  track: ServedTrack;
  extension: string;
  /** The name of a stem or a version. */
  part?: string;
}

/** A file of a track. */
interface FileOfTrack extends NamedFile {
  key: string;
  contentType: string;
}

export interface SignedTrack {
  ticket: UrlTicket;
  audio: TrackAudio;
}

/** The files of tracks for the holders of signed URLs. */
export class SignedMedia {
  readonly #deps: SignedMediaDependencies;

  constructor(deps: SignedMediaDependencies) {
    this.#deps = deps;
  }

  get media(): MediaStore {
    return this.#deps.media;
  }

  /**
   * Returns the track of the URL of a request. Throws invalid_signature or url_expired; `gone` for a track that is not
   * live, and not_found for one that is not in the catalog.
   */
  async open(
    kind: Exclude<UrlKind, 'part' | 'archive' | 'download'>,
    request: Pick<ApiRequest, 'rawUrl' | 'note'>,
  ): Promise<SignedTrack> {
    const ticket = this.#verified(kind, request);
    const { clientId, linkId } = ticket;
    request.note({ clientId, trackId: ticket.id, ...(linkId !== undefined && { linkId }) });
    return { ticket, audio: await this.#audioOf(ticket) };
  }

  /** Returns the part of the URL of a request. Throws like `open`; not_found also for a part that was removed. */
  async openPart(
    request: Pick<ApiRequest, 'rawUrl' | 'note'>,
  ): Promise<{ ticket: UrlTicket; part: PartAudio }> {
    const ticket = this.#verified('part', request);
    request.note({ clientId: ticket.clientId });
    this.#refuseWithdrawn(ticket);
    const part = await this.#deps.catalog.partAudio(ticket.id);
    if (part === undefined) {
      throw new StaveError('not_found', 'The track has no such part any more.');
    }
    request.note({ clientId: ticket.clientId, trackId: part.trackId });
    refuseUnlessLive(part.state);
    return { ticket, part };
  }

  /** Returns the track of the URL of a request, with its parts. Throws like `open`. */
  async openArchive(
    request: Pick<ApiRequest, 'rawUrl' | 'note'>,
  ): Promise<{ ticket: UrlTicket; track: TrackWithParts }> {
    const ticket = this.#verified('archive', request);
    request.note({ clientId: ticket.clientId, trackId: ticket.id });
    this.#refuseWithdrawn(ticket);
    const track = await this.#deps.catalog.trackParts(ticket.id);
    if (track === undefined) throw new StaveError('not_found', 'There is no such track.');
    refuseUnlessLive(track.state);
    return { ticket, track };
  }

  /** Returns what the URL of a file of a license says. Throws invalid_signature or url_expired. */
  openDownload(request: Pick<ApiRequest, 'rawUrl' | 'note'>): UrlTicket & { copy: LicensedCopy } {
    const ticket = this.#verified('download', request);
    request.note({ clientId: ticket.clientId });
    this.#refuseWithdrawn(ticket);
    return { ...ticket, copy: ticket.copy! };
  }

  /** Checks client and track again after a wait. Throws like `open`, but does not check the expiry. */
  async recheck({ ticket }: SignedTrack): Promise<void> {
    await this.#audioOf(ticket);
  }

  /** Responds with an audio file, or redirects to it, and counts the response for the track. */
  async audioResponse(
    request: ApiRequest,
    ticket: UrlTicket,
    { kind, trackId, ...file }: SentOfTrack & FileOfTrack,
  ): Promise<ApiResponse> {
    const response = await this.#audioOrRedirect(request, ticket, this.file(ticket, file));
    return this.counted(request, ticket, { kind, trackId, response });
  }

  /** Responds with an MP3 that was made of the audio of a track, and counts the response. Never redirects. */
  async mp3Response(
    request: ApiRequest,
    signed: SignedTrack,
    mp3: Converted,
  ): Promise<ApiResponse> {
    const { ticket, audio: track } = signed;
    const response = await representationResponse(request, {
      ...mp3,
      open: async (range) => {
        const startedAt = performance.now();
        const bytes = await mp3.open(range);
        // What is not made yet takes seconds.
        if (mp3.isMade && performance.now() - startedAt < LONG_WAIT_MS) return bytes;
        await this.recheck(signed).catch((error) => {
          bytes.destroy();
          throw error;
        });
        return bytes;
      },
      modifiedAt: undefined,
      contentType: 'audio/mpeg',
      headers: {
        ...headersOf(ticket, { track, extension: 'mp3' }),
        'Cache-Control': this.cacheControl(ticket),
      },
      hasRanges: true,
    });
    return this.counted(request, ticket, { kind: 'stream', trackId: ticket.id, response });
  }

  /** Counts a response for a track, unless it has no body, and returns it. */
  counted(
    { method, headers }: Pick<ApiRequest, 'method' | 'headers'>,
    { clientId, mode, linkId }: UrlTicket,
    { kind, trackId, response }: SentOfTrack & { response: ApiResponse },
  ): ApiResponse {
    if (method === 'GET' && response.status !== 304) {
      this.#deps.mediaRequestCounter?.count({ trackId, clientId, mode, kind });
      if (linkId !== undefined && isBeginning(headers.range)) {
        this.#deps.countLinkUse?.({ linkId, opens: 0, plays: 1 });
      }
    }
    return response;
  }

  async #audioOrRedirect(
    request: ApiRequest,
    ticket: UrlTicket,
    file: ServedFile,
  ): Promise<ApiResponse> {
    const { media, mediaDelivery } = this.#deps;
    const { key, contentType, cacheControl, headers } = file;
    const remainingSeconds = this.#remainingSeconds(ticket);
    // A link that ends cannot end a URL of the storage.
    const isLinked = ticket.linkId !== undefined;
    if (mediaDelivery !== 'redirect' || media.presign === undefined || isLinked) {
      return fileResponse(media, request, file);
    }
    const { url, seconds } = await media.presign(key, {
      method: request.method === 'HEAD' ? 'HEAD' : 'GET',
      seconds: Math.max(1, remainingSeconds),
      contentType,
      cacheControl,
      contentDisposition: headers?.['Content-Disposition'],
    });
    const cacheSeconds = Math.min(seconds, remainingSeconds);
    return { redirect: url, headers: { 'Cache-Control': `private, max-age=${cacheSeconds}` } };
  }

  file(ticket: UrlTicket, { key, contentType, ...named }: FileOfTrack): ServedFile {
    return {
      key,
      contentType,
      cacheControl: this.cacheControl(ticket),
      headers: headersOf(ticket, named),
      absent: () => this.missing(key),
    };
  }

  /** Clients may keep the response as long as the URL is valid. Browsers of guests ask each time, because a link may end. */
  cacheControl(ticket: UrlTicket): string {
    if (ticket.linkId !== undefined) return 'private, no-cache';
    return `private, max-age=${this.#remainingSeconds(ticket)}`;
  }

  /**
   * Returns the error for a file that the media store lacks, or has with another length. The folder may not be mounted,
   * so a retry may succeed.
   */
  missing(key: string): StaveError {
    this.#deps.log.error({ key }, 'A file that the catalog names is missing from the media store.');
    return unavailable('The file cannot be read now; try again later.', 30);
  }

  /** The URL may expire while its request waits. */
  #remainingSeconds({ expiresAt }: UrlTicket): number {
    return Math.max(0, Math.floor((expiresAt - this.#deps.clock.now()) / 1000));
  }

  #verified(kind: UrlKind, { rawUrl }: Pick<ApiRequest, 'rawUrl'>): UrlTicket {
    const { signedUrls, clock } = this.#deps;
    return signedUrls.verify(kind, rawUrl, clock.now());
  }

  async #audioOf(ticket: UrlTicket): Promise<TrackAudio> {
    this.#refuseWithdrawn(ticket);
    const { kind, linkId, clientId } = ticket;
    if (linkId !== undefined && !(await this.#deps.acceptsLink(ticket))) {
      throw urlExpired(kind, { clientId });
    }
    const audio = await this.#deps.catalog.trackAudio(ticket.id);
    if (audio === undefined) throw noAudio();
    refuseUnlessLive(audio.state);
    return audio;
  }

  /** Throws url_expired for a URL that its client does not permit any more. */
  #refuseWithdrawn({ kind, clientId, issuedAt }: UrlTicket): void {
    if (!this.#deps.acceptsUrl(clientId, issuedAt)) throw urlExpired(kind, { clientId });
  }
}

/** Whether a request wants the beginning of a file. Safari asks for two bytes before. */
function isBeginning(range: string | string[] | undefined): boolean {
  return range === undefined || /^bytes=0-(?!1$)/.test(String(range));
}

function headersOf(
  { isDownload }: UrlTicket,
  { track, extension, part }: NamedFile,
): Readonly<Record<string, string>> {
  const name = mediaFileName(track, extension, part);
  return {
    'Content-Disposition': contentDisposition(isDownload ? 'attachment' : 'inline', name),
    ...reservation(track.forbidsTraining),
  };
}

function refuseUnlessLive(state: TrackState): void {
  if (state !== 'live') throw new StaveError('gone', 'The track was taken down.');
}

/** Reserves the right of text and data mining (W3C TDMRep), and says the same in the draft of IETF AI preferences. */
export function reservation(forbidsTraining: boolean): Readonly<Record<string, string>> {
  return forbidsTraining ? { 'TDM-Reservation': '1', 'Content-Usage': 'train-ai=n' } : {};
}

export function noAudio(): StaveError {
  return new StaveError('not_found', 'The track has no audio.');
}
