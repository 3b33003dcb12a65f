import type { Caller } from '../../access/caller.ts';
import type { TrackDocument } from '../../catalog/track.ts';
import { ID_AT } from '../../catalog/track-document.ts';
import type { Clock } from '../../kernel/clock.ts';
import { readUuid, UUID_BYTES } from '../../media/block-text.ts';
import type { StreamUrls, UrlSigner } from '../../media/signed-url.ts';
import { NO_ERROR_JSON } from '../envelope.ts';
import { TrackTail } from './track-tail.ts';

/** Serialised tracks by number, in the order asked; undefined for what is not live. At once when all are at hand. */
export interface DocumentSource {
  documents(
    numbers: readonly number[],
  ): readonly (TrackDocument | undefined)[] | Promise<readonly (TrackDocument | undefined)[]>;
}

/** Which page of how many records an envelope shows. */
export interface PageFrame {
  totalRecords: number;
  page: number;
  pageSize: number;
  /** A JSON object in ASCII, where there are facets to show. */
  facets?: string | undefined;
}

/** An answer that is bytes already. */
export interface Enveloped {
  envelope: Buffer;
}

/** What stands around a track where an item is more than the track itself; ASCII JSON. */
export type Wrap = (trackId: string) => { before: string; after: string };

const ENVELOPE_END = `,"error":${NO_ERROR_JSON}}`;
const COMMA = ','.charCodeAt(0);

/**
 * Writes tracks as answers: their stored text, each followed by its URLs, joined once into a buffer
 * of exactly the right size. This is the hot path.
 */
export class TrackPages {
  readonly #documents: DocumentSource;
  readonly #urls: StreamUrls;
  readonly #clock: Clock;
  readonly #publicUrl: () => string;
  readonly #tails = new WeakMap<UrlSigner, TrackTail>();

  /** @param needs.publicUrl the base of handed-out URLs, without a trailing slash; stays once the server listens. */
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
   * The whole envelope around the tracks of one page, in the order of their numbers. One that is no
   * longer live, which only a takedown between search and read can cause, is passed over.
   */
  page(
    frame: PageFrame,
    tracks: readonly number[],
    caller: Caller,
    wrap?: Wrap,
  ): Enveloped | Promise<Enveloped> {
    const documents = this.#documents.documents(tracks);
    return documents instanceof Promise
      ? documents.then((ready) => this.#write(frame, ready, caller, wrap))
      : this.#write(frame, documents, caller, wrap);
  }

  /** The envelope around one track. */
  track(document: TrackDocument, caller: Caller): Enveloped {
    return { envelope: this.#join('{"data":', [document], ENVELOPE_END, caller) };
  }

  #write(
    { totalRecords, page, pageSize, facets }: PageFrame,
    documents: readonly (TrackDocument | undefined)[],
    caller: Caller,
    wrap: Wrap | undefined,
  ): Enveloped {
    const live = documents.filter((document) => document !== undefined);
    const totalPages = Math.ceil(totalRecords / pageSize);
    const head =
      `{"data":{"totalRecords":${totalRecords},"totalPages":${totalPages},` +
      `"currentPage":${page},"pageSize":${pageSize},"items":[`;
    const end = `]${facets === undefined ? '' : `,"facets":${facets}`}}${ENVELOPE_END}`;
    return { envelope: this.#join(head, live, end, caller, wrap) };
  }

  /** Tracks with commas between them, in a buffer that also holds what comes before and after. */
  #join(
    head: string,
    documents: readonly TrackDocument[],
    end: string,
    caller: Caller,
    wrap?: Wrap,
  ): Buffer {
    const signer = this.#urls.signer(caller.clientId, caller.mode, this.#clock.now());
    const tail = this.#tailOf(signer);
    const wraps = wrap && documents.map(({ id }) => wrap(id));
    let size = head.length + Math.max(0, documents.length - 1) + end.length;
    for (let i = 0; i < documents.length; i++) {
      size += documents[i]!.bytes + tail.sizeOf(documents[i]!);
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
      const { json, bytes } = document;
      const idAt = at + ID_AT;
      at += buffer.write(json, at, bytes, json.length === bytes ? 'latin1' : 'utf8');
      signaturePlaces.push(tail.write(document, buffer, at, idAt));
      at += tail.sizeOf(document);
      readUuid(buffer, idAt, ids, i * UUID_BYTES);
      if (wraps !== undefined) {
        at += buffer.write(wraps[i]!.after, at, 'latin1');
      }
    }
    buffer.write(end, at, 'latin1');
    signer.sign(ids, buffer, signaturePlaces);
    return buffer;
  }

  #tailOf(signer: UrlSigner): TrackTail {
    let tail = this.#tails.get(signer);
    if (tail === undefined) {
      tail = new TrackTail(this.#publicUrl(), signer);
      this.#tails.set(signer, tail);
    }
    return tail;
  }
}
