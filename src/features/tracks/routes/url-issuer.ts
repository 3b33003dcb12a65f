import { type Caller, seesPreviews } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { SpareBuffers, type TakenBytes } from '../../../common/memory/caches.ts';
import { sendQueued } from '../../../engines/http/response/send-queue.ts';
import type { IssuedEnvelope, IssueTo } from '../../../engines/http/route/route.ts';
import type { TrackDocument } from '../../catalog/track.ts';
import { ID_LENGTH } from '../../catalog/track-document.ts';
import { artworkPath } from '../../media/artwork/artwork.ts';
import {
  SIGNATURE_LENGTH,
  type SignedUrls,
  signedPath,
  URL_FORMS,
  type UrlKind,
  type UrlSigner,
} from '../../media/signed-url.ts';

export interface SignedEnvelope {
  envelope: Buffer;
  share(): IssueTo;
  release(): void;
}

/**
 * The URLs in an envelope: where the first signature of each track is, the ids of the tracks, as `UrlSigner.sign` takes
 * them, and the extensions in their stream URLs.
 */
export interface UrlPlaces {
  places: readonly number[];
  trackIds: Buffer;
  extensions: readonly string[];
}

/**
 * Signs the URLs of tracks in envelopes, and issues a shared envelope again to other callers. The memory of an
 * envelope that was released is used again.
 */
export class UrlIssuer {
  readonly #urls: SignedUrls;
  readonly #clock: Clock;
  readonly #publicUrl: () => string;
  /** By the signer of the stream URLs: without previews, and with them. */
  readonly #suffixes = [new WeakMap<UrlSigner, UrlSuffix>(), new WeakMap<UrlSigner, UrlSuffix>()];
  readonly #spare = new SpareBuffers();

  /**
   * @param needs.publicUrl the base of the service's own URLs, without a trailing slash; constant once the server
   * listens.
   */
  constructor(needs: { urls: SignedUrls; clock: Clock; publicUrl: () => string }) {
    this.#urls = needs.urls;
    this.#clock = needs.clock;
    this.#publicUrl = needs.publicUrl;
  }

  /** Returns the suffix that writes the URLs of a caller that are issued now. */
  suffixFor(caller: Caller): UrlSuffix {
    const { clientId, mode } = caller;
    const now = this.#clock.now();
    const hasPreviews = seesPreviews(caller);
    const stream = this.#urls.signer('stream', clientId, mode, now);
    const suffixes = this.#suffixes[hasPreviews ? 1 : 0]!;
    let suffix = suffixes.get(stream);
    if (suffix === undefined) {
      const kinds = hasPreviews ? PREVIEW_KINDS : [];
      const previews = kinds.map((kind) => this.#urls.signer(kind, clientId, mode, now));
      suffix = new UrlSuffix(this.#publicUrl(), { stream, previews });
      suffixes.set(stream, suffix);
    }
    return suffix;
  }

  take(sizeBytes: number): TakenBytes {
    return this.#spare.take(sizeBytes);
  }

  /** Writes the signatures into an envelope, whose URLs the suffix wrote, and returns it. */
  sign({ bytes, release }: TakenBytes, suffix: UrlSuffix, urls: UrlPlaces): SignedEnvelope {
    suffix.sign(bytes, urls);
    const { issue, layout } = suffix;
    return {
      envelope: bytes,
      share: () =>
        this.#reissuing(new SharedEnvelope(ownCopy(bytes), issue), layout, {
          ...urls,
          trackIds: ownCopy(urls.trackIds),
        }),
      release,
    };
  }

  /**
   * Returns a function that writes other URLs into the envelope: in place, or into a copy, which takes its place,
   * while a response still needs the bytes. What the function holds stays in memory with a cached response: one
   * envelope, and no signer.
   *
   * @param layout of the suffix that wrote the URLs.
   */
  #reissuing(envelope: SharedEnvelope, layout: string, urls: UrlPlaces): IssueTo {
    let latest = envelope;
    return (caller) => {
      const suffix = this.suffixFor(caller);
      if (suffix.issue !== latest.issue) {
        if (suffix.layout !== layout) {
          return undefined;
        }
        const bytes = latest.writableBytes();
        suffix.overwrite(bytes, urls, latest.issue);
        latest = new SharedEnvelope(bytes, suffix.issue);
      }
      return latest.acquire();
    };
  }
}

/** Placeholders for the id of a track and for a signature. No other text contains them. */
const ID = '\0'.repeat(ID_LENGTH);
const SIGNATURE = '\x01'.repeat(SIGNATURE_LENGTH);

/** The text between the signature of a stream URL and the time of expiry. */
const BEFORE_EXPIRY = '","streamUrlExpiresAt":"';

/** The kinds of URLs that only callers with previews see, in the order of their members. */
const PREVIEW_KINDS = ['preview', 'waveform', 'waveform-dat'] as const;

/** The extension in URLs of a kind other than `stream`: clips are MP3, made or imported. */
const extensionOfKind = (kind: UrlKind) => (kind === 'preview' ? 'mp3' : '');

export interface Signers {
  stream: UrlSigner;
  /** One for each of PREVIEW_KINDS, in their order; empty for a caller without previews. */
  previews: readonly UrlSigner[];
}

/** Text in ASCII that is equal for all tracks except the id and the signatures. */
class Template {
  readonly #bytes: Buffer;
  readonly #idPlaces: readonly number[];
  readonly signaturePlaces: readonly number[];

  constructor(text: string) {
    this.#bytes = Buffer.from(text, 'latin1');
    this.#idPlaces = placesOf(ID, text);
    this.signaturePlaces = placesOf(SIGNATURE, text);
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** @param idAt where the buffer already contains the id. */
  write(buffer: Buffer, at: number, idAt: number): void {
    buffer.set(this.#bytes, at);
    for (const place of this.#idPlaces) {
      for (let i = 0; i < ID_LENGTH; i++) {
        buffer[at + place + i] = buffer[idAt + i]!;
      }
    }
  }
}

interface SuffixUrl {
  /** How far its signature is behind that of the stream URL. */
  distance: number;
  signer: UrlSigner;
  query: Buffer;
  /** The extension in all URLs; undefined if each track has its own. */
  extension: string | undefined;
}

/** The templates for tracks whose stream URLs have the same extension. */
interface Templates {
  signed: Template;
  /** The URL of the artwork, too, for the many tracks with a generated one. */
  generatedArtworkAndSigned: Template;
}

interface Issue {
  /** Of the URLs, as `UrlSigner.expiresAt`. */
  expiresAt: string;
}

/**
 * Writes the URL suffix of a document in a response: the URLs, which depend on the deployment and
 * the caller, and the closing brace. Uses templates, which take about 0.2 µs per track.
 */
export class UrlSuffix {
  /** Identifies the suffix in caches, which would keep its ciphers alive if they held it. */
  readonly issue: Issue;
  /** Equal for suffixes that have their URLs at the same places. */
  readonly layout: string;
  readonly #artwork: string;
  readonly #templates = new Map<string, Templates>();
  /** Returns the text from the end of the artwork's URL to the closing brace, for a stream URL with this extension. */
  readonly #signedText: (extension: string) => string;
  readonly #urls: readonly SuffixUrl[];
  readonly #expiresAt: Buffer;

  /** @param base of the service's own URLs, without a trailing slash. */
  constructor(base: string, { stream, previews }: Signers) {
    const url = (kind: UrlKind, { query }: UrlSigner, extension: string) =>
      `","${URL_FORMS[kind].member}":"${base}${signedPath(kind, ID, extension)}${query}${SIGNATURE}`;
    const { expiresAt } = stream;
    const members = previews.map((signer, i) => {
      const kind = PREVIEW_KINDS[i]!;
      return url(kind, signer, extensionOfKind(kind));
    });
    this.#signedText = (extension) =>
      `${url('stream', stream, extension)}${BEFORE_EXPIRY}${expiresAt}${members.join('')}"}`;
    this.issue = { expiresAt };
    this.#expiresAt = Buffer.from(expiresAt, 'latin1');
    this.#artwork = `,"artworkUrl":"${base}`;
    // An extension moves all signatures by the same distance.
    const [first, ...others] = this.#templatesOf('').signed.signaturePlaces as [
      number,
      ...number[],
    ];
    this.#urls = [stream, ...previews].map((signer, i) => {
      const distance = i === 0 ? 0 : others[i - 1]! - first;
      const extension = i === 0 ? undefined : extensionOfKind(PREVIEW_KINDS[i - 1]!);
      return { distance, signer, query: Buffer.from(signer.query, 'latin1'), extension };
    });
    this.layout = [stream.query.length, ...others.map((place) => place - first)].join();
  }

  #templatesOf(extension: string): Templates {
    return this.#templates.get(extension) ?? this.#makeTemplates(extension);
  }

  #makeTemplates(extension: string): Templates {
    const signed = this.#signedText(extension);
    const templates = {
      signed: new Template(signed),
      generatedArtworkAndSigned: new Template(this.#artwork + artworkPath(ID, null) + signed),
    };
    this.#templates.set(extension, templates);
    return templates;
  }

  /** Returns how many bytes `write` writes. */
  sizeOf({ id, artworkKey, streamExtension }: TrackDocument): number {
    const { signed, generatedArtworkAndSigned } = this.#templatesOf(streamExtension);
    return artworkKey === null
      ? generatedArtworkAndSigned.length
      : this.#artwork.length + artworkPath(id, artworkKey).length + signed.length;
  }

  /**
   * Writes all except the signatures. Returns the position of the first one.
   *
   * @param idAt where the buffer already contains the id of the track.
   */
  write(document: TrackDocument, buffer: Buffer, at: number, idAt: number): number {
    const { artworkKey, streamExtension } = document;
    if (artworkKey === null) {
      const { generatedArtworkAndSigned } = this.#templatesOf(streamExtension);
      generatedArtworkAndSigned.write(buffer, at, idAt);
      return at + generatedArtworkAndSigned.signaturePlaces[0]!;
    }
    const artwork = this.#artwork + artworkPath(document.id, artworkKey);
    const signedAt = at + buffer.write(artwork, at, 'latin1');
    return this.writeSigned(streamExtension, buffer, signedAt, idAt);
  }

  /** Returns how many bytes `writeSigned` writes. */
  signedLength(streamExtension: string): number {
    return this.#templatesOf(streamExtension).signed.length;
  }

  /**
   * Writes the end of a text, the signed URLs without the signatures, and the closing brace. Returns the position of
   * the first signature.
   *
   * @param idAt where the buffer already contains the id of the track.
   */
  writeSigned(streamExtension: string, buffer: Buffer, at: number, idAt: number): number {
    const { signed } = this.#templatesOf(streamExtension);
    signed.write(buffer, at, idAt);
    return at + signed.signaturePlaces[0]!;
  }

  /** Writes the signatures. */
  sign(buffer: Buffer, { places, trackIds, extensions }: UrlPlaces): void {
    for (const { distance, signer, extension } of this.#urls) {
      signer.sign({ trackIds, extensions: extension ?? extensions }, buffer, places, distance);
    }
  }

  /**
   * Overwrites the caller, the times and the signatures in URLs that another suffix with the same `layout` wrote.
   *
   * @param before the issue of the URLs in the buffer.
   */
  overwrite(buffer: Buffer, urls: UrlPlaces, before: Issue): void {
    const { places } = urls;
    const expiresAt = before.expiresAt === this.issue.expiresAt ? undefined : this.#expiresAt;
    for (let i = 0; i < places.length; i++) {
      const place = places[i]!;
      if (expiresAt !== undefined) {
        buffer.set(expiresAt, place + SIGNATURE_LENGTH + BEFORE_EXPIRY.length);
      }
      for (const { distance, query } of this.#urls) {
        buffer.set(query, place + distance - query.length);
      }
    }
    this.sign(buffer, urls);
  }
}

function placesOf(part: string, text: string): number[] {
  return [...text.matchAll(new RegExp(part, 'g'))].map(({ index }) => index);
}

/** An envelope that several responses may send at the same time. While none does, it may be overwritten. */
export class SharedEnvelope implements IssuedEnvelope {
  readonly envelope: Buffer;
  readonly issue: Issue;
  #readers = 0;

  constructor(envelope: Buffer, issue: Issue) {
    this.envelope = envelope;
    this.issue = issue;
  }

  /** Counts one more response that sends the envelope, until it calls `release`. */
  acquire(): this {
    this.#readers++;
    return this;
  }

  release(): void {
    this.#readers--;
  }

  /** Returns bytes that may be overwritten: the envelope itself if no response sends it, or a copy. */
  writableBytes(): Buffer {
    // A copy costs more than the write of the responses that only wait for others.
    if (this.#readers > 0) sendQueued();
    return this.#readers === 0 ? this.envelope : ownCopy(this.envelope);
  }
}

/** Returns a copy in memory of its own, and not in Node's pool of buffers. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
