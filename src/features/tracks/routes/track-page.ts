import type { Caller } from '../../../common/caller.ts';
import { SpareBuffers, type TakenBytes } from '../../../common/memory/caches.ts';
import { asciiJson, inAscii, NO_ERROR_JSON } from '../../../engines/http/response/envelope.ts';
import type { ApiResponse } from '../../../engines/http/route/route.ts';
import { pageAfter, type pageAround } from '../../../engines/http/schemas.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { LiveLanguages } from '../../catalog/live/live-languages.ts';
import type { TrackDocument } from '../../catalog/track.ts';
import { ID_AT } from '../../catalog/track-document.ts';
import { BLOCK_BYTES, readUuid } from '../../media/block-mac.ts';
import type { UrlIssuer } from './url-issuer.ts';

/** A page of row ids of tracks, as `pageAround` makes it. */
export interface PageFrame extends ReturnType<typeof pageAround<number>> {
  /** A JSON object in ASCII, if the response has facets. */
  facets?: string | undefined;
  /** A JSON array in ASCII, if there are warnings. */
  warnings?: string | undefined;
  /** A JSON object in ASCII, if the request has a brief. */
  brief?: string | undefined;
}

export type EnvelopeResponse = Extract<ApiResponse, { envelope: Buffer }>;

/** The ASCII JSON around a track, if an item contains more than the track itself. */
export type Wrap = (trackId: string) => Texts;

interface Texts {
  before: string;
  after: string;
  /** Further members of the track, each with a comma before it. */
  inside?: string;
}

/** An item of a list: a track, or null, between texts of JSON. */
interface ItemPart extends Texts {
  document: TrackDocument | null;
}

/** The documents of live tracks; `languages` localizes documents of fixtures. */
type TrackDocuments = Pick<LiveCatalog, 'documents'> & {
  readonly languages: Pick<LiveLanguages, 'document'>;
};

const ENVELOPE_END = `,"error":${NO_ERROR_JSON}}`;
const COMMA = ','.charCodeAt(0);
const NOTHING: Partial<Texts> = {};
const NULL = 'null';

/**
 * Writes responses with tracks: the document of each track, followed by its URLs, in one buffer, which is used again
 * when the response has released it. Every page request runs this code.
 */
export class TrackPages {
  readonly #documents: TrackDocuments;
  readonly #urls: UrlIssuer;
  readonly #spareRecords = new SpareBuffers();

  constructor(needs: { documents: TrackDocuments; urls: UrlIssuer }) {
    this.#documents = needs.documents;
    this.#urls = needs.urls;
  }

  /**
   * Writes the envelope around the tracks of one page, in the order of its row ids. Omits a track that was taken down
   * between search and read.
   */
  page(
    frame: PageFrame,
    caller: Caller,
    wrap?: Wrap,
  ): EnvelopeResponse | Promise<EnvelopeResponse> {
    return this.#fromDocuments(frame.items, caller, (documents) =>
      this.#write(frame, documents, caller, wrap),
    );
  }

  /**
   * Writes the envelope around a list, in which a track may occur several times. `members` are further members of
   * `data`: JSON with a comma before each.
   */
  items(parts: readonly ItemPart[], caller: Caller, members = ''): EnvelopeResponse {
    return this.#join(
      '{"data":{"items":[',
      parts.map(({ document }) => document),
      `]${inAscii(members)}}${ENVELOPE_END}`,
      caller,
      parts.map(({ before, after }) => ({ before: inAscii(before), after: inAscii(after) })),
    );
  }

  /** Writes the envelope around a list of tracks without pages. Omits a track as `page` does. */
  list(
    tracks: readonly number[],
    caller: Caller,
    { wrap, warnings }: { wrap: Wrap; warnings: string | undefined },
  ): EnvelopeResponse | Promise<EnvelopeResponse> {
    const end = `]${warningsJson(warnings)}}${ENVELOPE_END}`;
    return this.#fromDocuments(tracks, caller, (documents) => {
      const texts = documents.map(({ id }) => wrap(id));
      return this.#join('{"data":{"items":[', documents, end, caller, texts);
    });
  }

  track(document: TrackDocument, caller: Caller): EnvelopeResponse | Promise<EnvelopeResponse> {
    const write = (shown: TrackDocument) => this.#join('{"data":', [shown], ENVELOPE_END, caller);
    const localized = this.#localized(document, caller);
    return localized instanceof Promise ? localized.then(write) : write(localized);
  }

  /**
   * Writes the envelope around tracks that a request named, in this order.
   *
   * @param tracks their row ids, and the documents of fixtures, which have none.
   * @param notFound returns the names without a track, from the tracks that are shown: one may be taken down before it
   * is read.
   */
  async named(
    tracks: readonly (number | TrackDocument)[],
    notFound: (shown: readonly TrackDocument[]) => readonly string[],
    caller: Caller,
  ): Promise<EnvelopeResponse> {
    const rowIds = tracks.filter((track) => typeof track === 'number');
    const fixtures = await Promise.all(
      tracks.map((track) =>
        typeof track === 'number' ? undefined : this.#localized(track, caller),
      ),
    );
    const write = (documents: readonly TrackDocument[]) => {
      const end = `],"notFound":${asciiJson(notFound(documents))}}${ENVELOPE_END}`;
      return this.#join('{"data":{"items":[', documents, end, caller);
    };
    return this.#fromDocuments(rowIds, caller, write, (read) => {
      let next = 0;
      return fixtures.map((fixture) => fixture ?? read[next++]);
    });
  }

  #localized(document: TrackDocument, { language }: Caller) {
    return language === undefined
      ? document
      : this.#documents.languages.document(document, language);
  }

  /**
   * Writes a response from the documents of those tracks that are live.
   *
   * @param complete adds documents that are not read.
   */
  #fromDocuments(
    tracks: readonly number[],
    { language }: Caller,
    write: (documents: TrackDocument[]) => EnvelopeResponse,
    complete = (read: readonly (TrackDocument | undefined)[]) => read,
  ): EnvelopeResponse | Promise<EnvelopeResponse> {
    const ofLive = (read: readonly (TrackDocument | undefined)[]) =>
      write(complete(read).filter((document) => document !== undefined));
    const taken: TakenBytes[] = [];
    const documents = this.#documents.documents(
      tracks,
      (size) => {
        taken.push(this.#spareRecords.take(size));
        return taken.at(-1)!.bytes;
      },
      language,
    );
    if (documents instanceof Promise) {
      return documents.then(ofLive);
    }
    const response = ofLive(documents);
    for (const records of taken) records.release();
    return response;
  }

  #write(
    { totalRecords, totalPages, currentPage, pageSize, facets, warnings, brief }: PageFrame,
    documents: readonly TrackDocument[],
    caller: Caller,
    wrap: Wrap | undefined,
  ): EnvelopeResponse {
    const head =
      `{"data":{"totalRecords":${totalRecords},"totalPages":${totalPages},` +
      `"currentPage":${currentPage},"pageSize":${pageSize},"items":[`;
    const facetsJson = facets === undefined ? '' : `,"facets":${facets}`;
    const briefJson = brief === undefined ? '' : `,"brief":${brief}`;
    const end = `]${facetsJson}${warningsJson(warnings)}${briefJson}}${ENVELOPE_END}`;
    const texts = wrap && documents.map(({ id }) => wrap(id));
    return {
      ...this.#join(head, documents, end, caller, texts),
      nextPage: pageAfter(currentPage, totalPages),
    };
  }

  /** Joins tracks with commas, between `head` and `end`; `texts` surround each track. All texts are ASCII. */
  #join(
    head: string,
    documents: readonly (TrackDocument | null)[],
    end: string,
    caller: Caller,
    texts?: readonly Texts[],
  ): EnvelopeResponse {
    const suffix = this.#urls.suffixFor(caller);
    let size = head.length + Math.max(0, documents.length - 1) + end.length;
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      size += document === null ? NULL.length : document.bytes + suffix.sizeOf(document);
      if (texts !== undefined) {
        const { before, after, inside = '' } = texts[i]!;
        size += before.length + after.length + inside.length;
      }
    }

    const taken = this.#urls.take(size);
    const { bytes: buffer } = taken;
    const ids = Buffer.allocUnsafe(documents.length * BLOCK_BYTES);
    const signaturePlaces: number[] = [];
    const extensions: string[] = [];
    let at = buffer.write(head, 'latin1');
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      if (i > 0) {
        buffer[at++] = COMMA;
      }
      if (texts !== undefined) {
        at += buffer.write(texts[i]!.before, at, 'latin1');
      }
      if (document === null) {
        at += buffer.write(NULL, at, 'latin1');
      } else {
        const idAt = at + ID_AT;
        document.write(buffer, at);
        at += document.bytes;
        const { inside } = texts?.[i] ?? NOTHING;
        if (inside !== undefined) at += buffer.write(inside, at, 'latin1');
        readUuid(buffer, idAt, ids, signaturePlaces.length * BLOCK_BYTES);
        signaturePlaces.push(suffix.write(document, buffer, at, idAt));
        extensions.push(document.streamExtension);
        at += suffix.sizeOf(document);
      }
      if (texts !== undefined) {
        at += buffer.write(texts[i]!.after, at, 'latin1');
      }
    }
    buffer.write(end, at, 'latin1');
    const trackIds = ids.subarray(0, signaturePlaces.length * BLOCK_BYTES);
    return this.#urls.sign(taken, suffix, { trackIds, places: signaturePlaces, extensions });
  }
}

function warningsJson(warnings: string | undefined): string {
  return warnings === undefined ? '' : `,"warnings":${warnings}`;
}
