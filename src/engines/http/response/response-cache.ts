import { LRUCache } from 'lru-cache';
import { RecentKeys } from '../../../common/memory/caches.ts';
import type { IssueTo } from '../route/route.ts';
import type { Compression } from './negotiation.ts';

/** A cached response, which is a success. */
export interface CachedResponse {
  issueTo: IssueTo;
  sizeBytes: number;
  /** The headers that depend only on the request: `Link`. */
  headers?: Readonly<Record<string, string>>;
  /** The language of its texts, if callers with localization see them. */
  contentLanguage?: string;
}

/** The bytes that the objects of an entry and the data of the cache about it occupy. */
const OVERHEAD_BYTES = 400;

/**
 * Longer keys contain bodies with long lists; hashing them costs more than the cache saves. A request for a hundred
 * tracks by their ids has 4,000 characters.
 */
const MAX_KEY_LENGTH = 5 * 1024;

const SEEN_SLOTS = 1 << 16;

/**
 * Keeps responses that the clients of a mode share (docs/contract/http.md#shared-responses). The cache is
 * emptied as soon as the catalog changes, so it never returns anything older than what a handler would return.
 *
 * A response is worth keeping when its key occurs for the second time: a response that is requested once would
 * only occupy memory.
 */
export class ResponseCache {
  readonly #catalogVersion: () => number;
  readonly #responses: LRUCache<string, CachedResponse>;
  /**
   * The compressed envelopes by client and key. They do not refer to their responses, which would stay in
   * memory with them.
   */
  readonly #gzipped: LRUCache<string, { bytes: Buffer; issue: object }>;
  /** The keys that occurred in this generation. */
  readonly #seen = new RecentKeys(SEEN_SLOTS);
  #generation: number | undefined;

  /**
   * @param deps.catalogVersion increases whenever something in the catalog changes that a response shows.
   * @param deps.maxBytes the memory that all responses may take; compressed ones may take a quarter of it in
   * addition. The least recently used are removed first.
   */
  constructor(deps: { catalogVersion: () => number; maxBytes: number }) {
    this.#catalogVersion = deps.catalogVersion;
    this.#responses = new LRUCache({
      maxSize: deps.maxBytes,
      // The `Link` header repeats the key.
      sizeCalculation: ({ sizeBytes }, key) => sizeBytes + 2 * key.length + OVERHEAD_BYTES,
    });
    this.#gzipped = new LRUCache({
      maxSize: deps.maxBytes / 4,
      sizeCalculation: ({ bytes }, key) => bytes.length + key.length + OVERHEAD_BYTES,
    });
  }

  /** Returns the version of the catalog. Empties the cache first if the version has changed. */
  generation(): number {
    const version = this.#catalogVersion();
    if (version !== this.#generation) {
      this.#responses.clear();
      this.#gzipped.clear();
      this.#seen.clear();
      this.#generation = version;
    }
    return version;
  }

  get(key: string): CachedResponse | undefined {
    this.generation();
    return key.length > MAX_KEY_LENGTH ? undefined : this.#responses.get(key);
  }

  /**
   * Whether a response is worth keeping: whether its key occurred before in this generation.
   *
   * @param madeIn the generation in which the handler began; a response of an older one is not kept.
   */
  wants(key: string, madeIn: number): boolean {
    const isShort = key.length <= MAX_KEY_LENGTH;
    return madeIn === this.generation() && isShort && this.#seen.rememberText(key);
  }

  /** Keeps a response that the cache wants. */
  keep(key: string, response: CachedResponse): void {
    this.#responses.set(key, response);
  }

  /** Returns where the compressed bytes of a response that `get` returned are kept, as issued to a client. */
  compression(
    key: string,
    response: CachedResponse,
    { clientId, issue }: { clientId: string | undefined; issue: object },
  ): Compression {
    // No accessor: defining one takes some microseconds, in each response from the cache.
    const gzipKey = () => `${clientId} ${key}`;
    return {
      gzipped: () => {
        const known = this.#gzipped.get(gzipKey());
        return known?.issue === issue ? known.bytes : undefined;
      },
      onGzipped: (bytes) => {
        // The catalog may have changed while another thread compressed.
        if (this.#responses.peek(key) === response) {
          this.#gzipped.set(gzipKey(), { bytes: withOwnMemory(bytes), issue });
        }
      },
    };
  }
}

/** Copies a slice of Node's buffer pool, which would keep all 64 KiB of the pool in memory. */
export function withOwnMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) {
    return bytes;
  }
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
