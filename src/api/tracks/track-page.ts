import type { Caller } from '../../access/caller.ts';
import type { TrackDocument } from '../../catalog/track.ts';
import type { Clock } from '../../kernel/clock.ts';
import { artworkPath } from '../../media/artwork.ts';
import type { StreamUrlPage, StreamUrls } from '../../media/signed-url.ts';
import { NO_ERROR_JSON } from '../envelope.ts';

/** Serialised tracks by id, in the order asked; undefined for what is not live. At once when all are at hand. */
export interface DocumentSource {
  documents(
    ids: readonly string[],
  ): readonly (TrackDocument | undefined)[] | Promise<readonly (TrackDocument | undefined)[]>;
}

/** Which page of how many records an envelope shows. */
export interface PageFrame {
  totalRecords: number;
  page: number;
  pageSize: number;
}

/** An answer that is bytes already. */
export interface Enveloped {
  envelope: Buffer;
}

/** What stands around a track where an item is more than the track itself; ASCII JSON. */
export type Wrap = (trackId: string) => { before: string; after: string };

const ENVELOPE_END = `"error":${NO_ERROR_JSON}}`;
const PAGE_END = `]},${ENVELOPE_END}`;
const TRACK_END = `},${ENVELOPE_END}`;

/**
 * Writes tracks as answers: their stored bytes, then the URLs that depend on the deployment and on
 * the caller, joined once into a buffer of exactly the right size. This is the hot path: a page of
 * 20 whose documents are at hand costs some 25 µs, most of it the signatures.
 */
export class TrackPages {
  readonly #documents: DocumentSource;
  readonly #urls: StreamUrls;
  readonly #clock: Clock;
  readonly #publicUrl: () => string;

  /** @param needs.publicUrl the base of handed-out URLs, without a trailing slash; read on each page. */
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
   * The whole envelope around the tracks of one page, in the order of the ids. An id that is no
   * longer live, which only a takedown between search and read can cause, is passed over.
   */
  page(
    frame: PageFrame,
    ids: readonly string[],
    caller: Caller,
    wrap?: Wrap,
  ): Enveloped | Promise<Enveloped> {
    const documents = this.#documents.documents(ids);
    return documents instanceof Promise
      ? documents.then((ready) => this.#write(frame, ready, caller, wrap))
      : this.#write(frame, documents, caller, wrap);
  }

  /** The envelope around one track; undefined where it is not live. */
  async track(id: string, caller: Caller): Promise<Enveloped | undefined> {
    const [document] = await this.#documents.documents([id]);
    if (document === undefined) {
      return undefined;
    }
    const tail = this.#tails(caller)(document) + TRACK_END;
    const head = '{"data":';
    const buffer = Buffer.allocUnsafeSlow(head.length + document.json.length + tail.length);
    buffer.write(head, 0, 'latin1');
    document.json.copy(buffer, head.length);
    buffer.write(tail, head.length + document.json.length, 'latin1');
    return { envelope: buffer };
  }

  #write(
    { totalRecords, page, pageSize }: PageFrame,
    documents: readonly (TrackDocument | undefined)[],
    caller: Caller,
    wrap: Wrap | undefined,
  ): Enveloped {
    const tail = this.#tails(caller);
    const totalPages = Math.ceil(totalRecords / pageSize);
    // Each document follows the text of the same number; the last text closes the envelope.
    const texts: string[] = [];
    const live: TrackDocument[] = [];
    let pending =
      `{"data":{"totalRecords":${totalRecords},"totalPages":${totalPages},` +
      `"currentPage":${page},"pageSize":${pageSize},"items":[`;
    let size = 0;
    for (const document of documents) {
      if (document === undefined) {
        continue;
      }
      const around = wrap?.(document.id);
      const text = pending + (live.length === 0 ? '' : ',') + (around?.before ?? '');
      texts.push(text);
      live.push(document);
      size += text.length + document.json.length;
      pending = `${tail(document)}}${around?.after ?? ''}`;
    }
    const end = pending + PAGE_END;

    const buffer = Buffer.allocUnsafeSlow(size + end.length);
    let at = 0;
    for (let i = 0; i < live.length; i++) {
      at += buffer.write(texts[i]!, at, 'latin1');
      at += live[i]!.json.copy(buffer, at);
    }
    buffer.write(end, at, 'latin1');
    return { envelope: buffer };
  }

  /** What follows a document's own members, but for the closing brace; ASCII, so a character is a byte. */
  #tails(caller: Caller): (document: TrackDocument) => string {
    const base = this.#publicUrl();
    const urls: StreamUrlPage = this.#urls.forPage(caller.clientId, caller.mode, this.#clock.now());
    const artwork = `,"artworkUrl":"${base}`;
    const stream = `","streamUrl":"${base}`;
    const expiry = `","streamUrlExpiresAt":"${urls.expiresAt}"`;
    return (document) =>
      artwork +
      artworkPath(document.id, document.artworkKey) +
      stream +
      urls.path(document.id) +
      expiry;
  }
}
