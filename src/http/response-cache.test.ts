import { beforeEach, describe, expect, it } from 'vitest';
import { type CachedResponse, ResponseCache } from './response-cache.ts';

const RESPONSE: CachedResponse = { envelope: Buffer.from('response') };

let version = 1;
let period = {};
let cache: ResponseCache;
beforeEach(() => {
  cache = new ResponseCache({
    maxBytes: 10_000,
    catalogVersion: () => version,
    urlPeriod: () => period,
  });
});

/** Offers a response twice; the second time, the cache keeps it. */
function keep(key: string, response = RESPONSE): void {
  cache.keep(key, response, cache.generation());
  cache.keep(key, response, cache.generation());
}

describe('ResponseCache', () => {
  it('keeps a response when its key comes for the second time', () => {
    cache.keep('a', RESPONSE, cache.generation());
    expect(cache.get('a')).toBeUndefined();
    cache.keep('a', RESPONSE, cache.generation());
    expect(cache.get('a')).toEqual(RESPONSE);
    expect(cache.get('b')).toBeUndefined();
  });

  it('drops all when the catalog changes', () => {
    keep('a');
    version++;
    expect(cache.get('a')).toBeUndefined();
  });

  it('forgets which keys came when the catalog changes', () => {
    cache.keep('a', RESPONSE, cache.generation());
    version++;
    cache.keep('a', RESPONSE, cache.generation());
    expect(cache.get('a')).toBeUndefined();
  });

  it('drops all when new URLs are issued', () => {
    keep('a');
    period = {};
    expect(cache.get('a')).toBeUndefined();
  });

  it('does not keep a response that was begun before a change', () => {
    keep('a');
    const generation = cache.generation();
    version++;
    cache.keep('a', RESPONSE, generation);
    expect(cache.get('a')).toBeUndefined();
  });

  it('keeps the compressed bytes of a response while it holds that response', () => {
    keep('a');
    const known = cache.get('a')!;
    cache.keepGzipped('a', known, Buffer.from('zip'));
    expect(cache.get('a')).toEqual({ ...RESPONSE, gzipped: Buffer.from('zip') });
    keep('b');
    const stale = cache.get('b')!;
    version++;
    cache.keepGzipped('b', stale, Buffer.from('zip'));
    expect(cache.get('b')).toBeUndefined();
  });

  it('drops the least recently used beyond its bound', () => {
    const large = { envelope: Buffer.alloc(2900) };
    keep('a', large);
    keep('b', large);
    cache.get('a');
    keep('c', large);
    keep('d', large);
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key))).toEqual(['a', 'c', 'd']);
  });

  it('holds no more memory than the bytes of a response', () => {
    const slice = Buffer.alloc(10_000).subarray(10, 20);
    const headers = { Link: '<a>' };
    keep('a', { envelope: slice, headers });
    expect(cache.get('a')).toEqual({ envelope: slice, headers });
    expect(cache.get('a')!.envelope.buffer.byteLength).toBe(slice.length);
  });

  it('does not keep responses with very long keys', () => {
    const long = 'a'.repeat(10_000);
    keep(long);
    expect(cache.get(long)).toBeUndefined();
  });
});
