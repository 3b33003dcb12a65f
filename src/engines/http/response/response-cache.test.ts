import { beforeEach, describe, expect, it } from 'vitest';
import { collectGarbage } from '../../../../test/harness/collect-garbage.ts';
import { type CachedResponse, ResponseCache } from './response-cache.ts';

const RESPONSE = responseOf(8);

function responseOf(sizeBytes: number): CachedResponse {
  const issued = { envelope: Buffer.alloc(sizeBytes), issue: {} };
  return { issueTo: () => issued, sizeBytes };
}

let version = 1;
let cache: ResponseCache;
beforeEach(() => {
  cache = new ResponseCache({
    maxBytes: 10_000,
    catalogVersion: () => version,
  });
});

/** Offers a response twice. The cache keeps it the second time. */
function keep(key: string, response = RESPONSE): void {
  offer(key, response);
  offer(key, response);
}

/** Offers a response once, made in this generation. */
function offer(key: string, response = RESPONSE, madeIn = cache.generation()): void {
  if (cache.wants(key, madeIn)) cache.keep(key, response);
}

describe('ResponseCache', () => {
  it('keeps a response the second time its key is requested', () => {
    offer('a');
    expect(cache.get('a')).toBeUndefined();
    offer('a');
    expect(cache.get('a')).toEqual(RESPONSE);
    expect(cache.get('b')).toBeUndefined();
  });

  it('removes all responses when the catalog changes', () => {
    keep('a');
    version++;
    expect(cache.get('a')).toBeUndefined();
  });

  it('forgets the requested keys when the catalog changes', () => {
    offer('a');
    version++;
    offer('a');
    expect(cache.get('a')).toBeUndefined();
  });

  it('does not keep a response whose request began before a change', () => {
    keep('a');
    const generation = cache.generation();
    version++;
    offer('a', RESPONSE, generation);
    expect(cache.get('a')).toBeUndefined();
  });

  describe('compressed bytes', () => {
    const zip = Buffer.from('zip');
    const issued = { clientId: 'client', issue: {} };

    it('are kept by client, for one issue of URLs', () => {
      keep('a');
      cache.compression('a', RESPONSE, issued).onGzipped(zip);
      expect(cache.compression('a', RESPONSE, issued).gzipped()).toEqual(zip);
      const others = [
        { ...issued, clientId: 'other' },
        { ...issued, issue: {} },
      ];
      for (const other of others) {
        expect(cache.compression('a', RESPONSE, other).gzipped()).toBeUndefined();
      }
      expect(cache.compression('b', RESPONSE, issued).gzipped()).toBeUndefined();
    });

    it('are not used for a later response with the same key and issue', () => {
      keep('a');
      const { onGzipped } = cache.compression('a', RESPONSE, issued);
      onGzipped(zip);
      version++;
      const later = responseOf(8);
      keep('a', later);
      // A compression in another thread may end after the change.
      onGzipped(zip);
      expect(cache.compression('a', later, issued).gzipped()).toBeUndefined();
    });
  });

  it('removes the least recently used responses beyond its limit', () => {
    const large = responseOf(2900);
    keep('a', large);
    keep('b', large);
    cache.get('a');
    keep('c', large);
    keep('d', large);
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key))).toEqual(['a', 'c', 'd']);
  });

  it('frees a removed response whose compressed bytes remain', async () => {
    const issued = { clientId: 'client', issue: {} };
    const removed = (() => {
      const response = responseOf(8);
      keep('a', response);
      cache.compression('a', response, issued).onGzipped(Buffer.from('zip'));
      return new WeakRef(response);
    })();
    for (const key of ['b', 'c', 'd', 'e']) keep(key, responseOf(2900));
    expect(cache.get('a')).toBeUndefined();
    await collectGarbage();
    expect(removed.deref()).toBeUndefined();
    expect(cache.compression('a', RESPONSE, issued).gzipped()?.toString()).toBe('zip');
  });

  it('holds no more memory than the compressed bytes', () => {
    keep('a');
    const slice = Buffer.alloc(10_000).subarray(10, 20);
    const issued = { clientId: 'client', issue: {} };
    cache.compression('a', RESPONSE, issued).onGzipped(slice);
    const gzipped = cache.compression('a', RESPONSE, issued).gzipped();
    expect(gzipped!.buffer.byteLength).toBe(slice.length);
  });

  it('keeps a response for a hundred ids', () => {
    const ids = JSON.stringify(Array(100).fill('00000000-0000-4000-8000-000000000000'));
    keep(ids);
    expect(cache.get(ids)).toBe(RESPONSE);
  });

  it('does not keep responses with very long keys', () => {
    const long = 'a'.repeat(10_000);
    keep(long);
    expect(cache.get(long)).toBeUndefined();
  });
});
