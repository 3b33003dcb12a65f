import { LRUCache } from 'lru-cache';
import { Repeats } from '../kernel/repeats.ts';

/** What every answer hangs on beside its question. */
export interface AnswerSources {
  /** Rises whenever anything changes that an answer shows of the catalog. */
  catalogVersion(): number;
  /** Another object once URLs issued now are no longer the ones issued before. */
  urlPeriod(): object;
}

/** What an answer takes beside its bytes: keys, objects, the cache's own bookkeeping. */
const OVERHEAD_BYTES = 400;

/** Longer questions, which are bodies with lists in them, are not worth the making of their hash. */
const MAX_QUESTION_LENGTH = 2048;

/** So many questions that were asked are remembered. */
const ASKED_PLACES = 1 << 16;

/**
 * Whole answers, ready as bytes, for those who ask the same again (decisions §3: equal requests may
 * share their bytes). All are dropped as soon as the catalog changes or other URLs are issued, every
 * 10 s at the latest, so none is older than what a handler would answer.
 *
 * Until then an answer is kept when its question comes for the second time.
 */
export class AnswerCache {
  readonly #sources: AnswerSources;
  readonly #answers: LRUCache<string, Buffer>;
  /** The questions asked since all was dropped. */
  readonly #asked = new Repeats(ASKED_PLACES);
  #catalogVersion: number | undefined;
  #urlPeriod: object | undefined;
  #edition = 0;

  constructor({ maxBytes, ...sources }: AnswerSources & { maxBytes: number }) {
    this.#sources = sources;
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (answer, question) => answer.length + question.length + OVERHEAD_BYTES,
    });
  }

  /** Counts the times that all answers were dropped; drops them where it is time. */
  edition(): number {
    const catalogVersion = this.#sources.catalogVersion();
    const urlPeriod = this.#sources.urlPeriod();
    if (catalogVersion !== this.#catalogVersion || urlPeriod !== this.#urlPeriod) {
      this.#catalogVersion = catalogVersion;
      this.#urlPeriod = urlPeriod;
      this.#answers.clear();
      this.#asked.clear();
      this.#edition++;
    }
    return this.#edition;
  }

  get(question: string): Buffer | undefined {
    this.edition();
    return question.length > MAX_QUESTION_LENGTH ? undefined : this.#answers.get(question);
  }

  /**
   * Keeps an answer, unless its question is a new one or something changed while it was made.
   *
   * @param begunIn the edition from before its making began.
   */
  keep(question: string, answer: Buffer, begunIn: number): void {
    const isShort = question.length <= MAX_QUESTION_LENGTH;
    if (begunIn === this.edition() && isShort && this.#asked.hasText(question)) {
      this.#answers.set(question, withOwnMemory(answer));
    }
  }
}

/** A small buffer is a slice of a pool of 64 KiB, all of which it would keep from being freed. */
function withOwnMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) {
    return bytes;
  }
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
