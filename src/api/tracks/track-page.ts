import type { Caller } from '../../access/caller.ts';
import type { TrackDocument } from '../../catalog/track.ts';
import { ID_AT } from '../../catalog/track-document.ts';
import type { Clock } from '../../common/clock.ts';
import { NO_ERROR_JSON } from '../../http/envelope.ts';
import type { IssuedEnvelope, IssueTo } from '../../http/route.ts';
import { readUuid, UUID_BYTES } from '../../media/block-text.ts';
import type { StreamUrls, UrlSigner } from '../../media/signed-url.ts';
import { pageAfter } from '../schemas/page.ts';
import { UrlSuffix } from './url-suffix.ts';

/**
 * Serialized tracks by row id, in the requested order; undefined for tracks that are not live.
 * Synchronous if the store need not be read.
 */
export interface DocumentSource {
  documents(
    numbers: readonly number[],
  ): readonly (TrackDocument | undefined)[] | Promise<readonly (TrackDocument | undefined)[]>;
}

/** The page that an envelope shows, and the number of records. */
export interface PageFrame {
  totalRecords: number;
  page: number;
  pageSize: number;
  /** A JSON object in ASCII, if the response has facets. */
  facets?: string | undefined;
  /** A JSON array in ASCII, if there are warnings. */
  warnings?: string | undefined;
}

/** A response that is already bytes. */
export interface EnvelopeResponse {
  envelope: Buffer;
  issueTo?: IssueTo;
  /** Undefined for the last page. */
  nextPage?: number | undefined;
}

/** The ASCII JSON around a track, if an item contains more than the track itself. */
export type Wrap = (trackId: string) => { before: string; after: string };

const ENVELOPE_END = `,"error":${NO_ERROR_JSON}}`;
const COMMA = ','.charCodeAt(0);

/**
 * Writes responses with tracks: the document of each track, followed by its URLs, joined once
 * into a buffer of the exact size. Every page request runs this code.
 */
export class TrackPages {
  readonly #documents: DocumentSource;
  readonly #urls: StreamUrls;
  readonly #clock: Clock;
  readonly #publicUrl: () => string;
  readonly #suffixes = new WeakMap<UrlSigner, UrlSuffix>();

  /**
   * @param needs.publicUrl the base of the service's own URLs, without a trailing slash; constant
   * once the server listens.
   */
  constructor(needs: {
    documents: DocumentSource;
    urls: StreamUrls;
    clock: Clock;
    publicUrl: () => string;
  }) {
    this.#documents = needs.documents;
    this.#urls = needs.urls;
    this.#clock = needs.clock;
    this.#publicUrl = needs.publicUrl;
  }

  /**
   * Writes the envelope around the tracks of one page, in the order of their row ids. Omits a track
   * that was taken down between search and read.
   */
  page(
    frame: PageFrame,
    tracks: readonly number[],
    caller: Caller,
    wrap?: Wrap,
  ): EnvelopeResponse | Promise<EnvelopeResponse> {
    const documents = this.#documents.documents(tracks);
    return documents instanceof Promise
      ? documents.then((ready) => this.#write(frame, ready, caller, wrap))
      : this.#write(frame, documents, caller, wrap);
  }

  /** Writes the envelope around one track. */
  track(document: TrackDocument, caller: Caller): EnvelopeResponse {
    return this.#join('{"data":', [document], ENVELOPE_END, caller);
  }

  #write(
    { totalRecords, page, pageSize, facets, warnings }: PageFrame,
    documents: readonly (TrackDocument | undefined)[],
    caller: Caller,
    wrap: Wrap | undefined,
  ): EnvelopeResponse {
    const live = documents.filter((document) => document !== undefined);
    const totalPages = Math.ceil(totalRecords / pageSize);
    const head =
      `{"data":{"totalRecords":${totalRecords},"totalPages":${totalPages},` +
      `"currentPage":${page},"pageSize":${pageSize},"items":[`;
    const more =
      (facets === undefined ? '' : `,"facets":${facets}`) +
      (warnings === undefined ? '' : `,"warnings":${warnings}`);
    const end = `]${more}}${ENVELOPE_END}`;
    return {
      ...this.#join(head, live, end, caller, wrap),
      nextPage: pageAfter(page, totalPages),
    };
  }

  /** Joins tracks with commas, in a buffer that also contains the text before and after. */
  #join(
    head: string,
    documents: readonly TrackDocument[],
    end: string,
    caller: Caller,
    wrap?: Wrap,
  ): EnvelopeResponse {
    const signer = this.#signerFor(caller);
    const suffix = this.#suffixOf(signer);
    const wraps = wrap && documents.map(({ id }) => wrap(id));
    let size = head.length + Math.max(0, documents.length - 1) + end.length;
    for (let i = 0; i < documents.length; i++) {
      size += documents[i]!.bytes + suffix.sizeOf(documents[i]!);
      if (wraps !== undefined) {
        size += wraps[i]!.before.length + wraps[i]!.after.length;
      }
    }

    const buffer = Buffer.allocUnsafeSlow(size);
    const ids = Buffer.allocUnsafe(documents.length * UUID_BYTES);
    const signaturePlaces: number[] = [];
    let at = buffer.write(head, 'latin1');
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      if (i > 0) {
        buffer[at++] = COMMA;
      }
      if (wraps !== undefined) {
        at += buffer.write(wraps[i]!.before, at, 'latin1');
      }
      const idAt = at + ID_AT;
      document.write(buffer, at);
      at += document.bytes;
      signaturePlaces.push(suffix.write(document, buffer, at, idAt));
      at += suffix.sizeOf(document);
      readUuid(buffer, idAt, ids, i * UUID_BYTES);
      if (wraps !== undefined) {
        at += buffer.write(wraps[i]!.after, at, 'latin1');
      }
    }
    buffer.write(end, at, 'latin1');
    signer.sign(ids, buffer, signaturePlaces);
    const issued = { envelope: buffer, issue: signer.issue };
    return {
      envelope: buffer,
      issueTo: this.#reissuing(issued, suffix.queryLength, signaturePlaces),
    };
  }

  /**
   * Returns a function that writes other URLs into a copy of the envelope. What the function holds stays in
   * memory with a cached response: one envelope, and no signer. It holds a copy only if a caller gets it
   * twice in a row: a buffer that outlives its request is freed late, and then in a pause.
   *
   * @param queryLength of the suffix that wrote the URLs.
   */
  #reissuing(
    held: IssuedEnvelope,
    queryLength: number,
    signaturePlaces: readonly number[],
  ): IssueTo {
    let previous: object | undefined;
    return (caller) => {
      const signer = this.#signerFor(caller);
      const { issue } = signer;
      if (issue === held.issue) {
        return held;
      }
      const suffix = this.#suffixOf(signer);
      if (suffix.queryLength !== queryLength) {
        return undefined;
      }
      const envelope = Buffer.allocUnsafeSlow(held.envelope.length);
      envelope.set(held.envelope);
      const ids = suffix.overwrite(envelope, signaturePlaces);
      signer.sign(ids, envelope, signaturePlaces);
      const issued = { envelope, issue };
      if (issue === previous) {
        held = issued;
      }
      previous = issue;
      return issued;
    };
  }

  #signerFor({ clientId, mode }: Caller): UrlSigner {
    return this.#urls.signer(clientId, mode, this.#clock.now());
  }

  #suffixOf(signer: UrlSigner): UrlSuffix {
    let suffix = this.#suffixes.get(signer);
    if (suffix === undefined) {
      suffix = new UrlSuffix(this.#publicUrl(), signer);
      this.#suffixes.set(signer, suffix);
    }
    return suffix;
  }
}
