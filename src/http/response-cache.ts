import { LRUCache } from 'lru-cache';
import { RecentKeys } from '../common/recent-keys.ts';

/** What cached responses depend on, in addition to the request. */
export interface ResponseSources {
  /** Increases whenever something in the catalog changes that a response shows. */
  catalogVersion(): number;
  /** Returns a different object as soon as new stream URLs differ from those issued before. */
  urlPeriod(): object;
}

/** A cached response, which is a success. */
export interface CachedResponse {
  envelope: Buffer;
  /** The gzipped envelope, once a caller has accepted one. */
  gzipped?: Buffer;
  /** The headers that depend only on the request: `Link`. */
  headers?: Readonly<Record<string, string>>;
}

/** The bytes that the objects of an entry and the data of the cache about it occupy. */
const OVERHEAD_BYTES = 400;

/** Longer keys contain bodies with long lists; hashing them costs more than the cache saves. */
const MAX_KEY_LENGTH = 2048;

/** The number of recent keys that the cache remembers. */
const SEEN_SLOTS = 1 << 16;

/**
 * Keeps responses as bytes for equal requests (docs/contract/http.md#shared-responses). The cache is emptied
 * as soon as the catalog changes or new stream URLs are issued, which happens every 10 s, so it never returns
 * anything older than what a handler would return.
 *
 * A response is kept when its key occurs for the second time: a response that is requested once would only
 * occupy memory.
 */
export class ResponseCache {
  readonly #sources: ResponseSources;
  readonly #responses: LRUCache<string, CachedResponse>;
  /** The keys that occurred in this generation. */
  readonly #seen = new RecentKeys(SEEN_SLOTS);
  #catalogVersion: number | undefined;
  #urlPeriod: object | undefined;
  #generation = 0;

  /** @param deps.maxBytes the memory that all entries may take; the least recently used are removed first. */
  constructor({ maxBytes, ...sources }: ResponseSources & { maxBytes: number }) {
    this.#sources = sources;
    this.#responses = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ envelope, gzipped }, key) =>
        envelope.length +
        (gzipped?.length ?? 0) +
        // The `Link` header repeats the key.
        2 * key.length +
        OVERHEAD_BYTES,
    });
  }

  /** Empties the cache if the sources have changed. Returns the number of times that it was emptied. */
  generation(): number {
    const catalogVersion = this.#sources.catalogVersion();
    const urlPeriod = this.#sources.urlPeriod();
    if (catalogVersion !== this.#catalogVersion || urlPeriod !== this.#urlPeriod) {
      this.#catalogVersion = catalogVersion;
      this.#urlPeriod = urlPeriod;
      this.#responses.clear();
      this.#seen.clear();
      this.#generation++;
    }
    return this.#generation;
  }

  get(key: string): CachedResponse | undefined {
    this.generation();
    return key.length > MAX_KEY_LENGTH ? undefined : this.#responses.get(key);
  }

  /**
   * Keeps a response if its key occurred before in this generation.
   *
   * @param madeIn the generation in which the handler began; a response of an older one is not kept.
   */
  keep(key: string, response: CachedResponse, madeIn: number): void {
    const isShort = key.length <= MAX_KEY_LENGTH;
    if (madeIn === this.generation() && isShort && this.#seen.rememberText(key)) {
      this.#responses.set(key, { ...response, envelope: withOwnMemory(response.envelope) });
    }
  }

  /** Keeps the gzipped bytes of a response that `get` returned, if the cache still holds it. */
  keepGzipped(key: string, known: CachedResponse, gzipped: Buffer): void {
    if (this.#responses.peek(key) === known) {
      this.#responses.set(key, { ...known, gzipped: withOwnMemory(gzipped) });
    }
  }
}

/** Copies a slice of Node's buffer pool, because the slice would keep all 64 KiB of the pool in memory. */
function withOwnMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) {
    return bytes;
  }
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
