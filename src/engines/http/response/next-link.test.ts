import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkToNext } from './response.ts';

const BASE = 'https://api.example.org/music';
const target = (url: string) => linkToNext(BASE, url, 2)!.slice(1 + BASE.length, -13);

describe('linkToNext', () => {
  it.each([
    ['/v1/tracks', '/v1/tracks?page=2'],
    ['/v1/tracks?', '/v1/tracks?page=2'],
    ['/v1/tracks?page=1', '/v1/tracks?page=2'],
    ['/v1/tracks?p%61ge=1&pageSize=5', '/v1/tracks?pageSize=5&page=2'],
    ['/v1/tracks?search=a+b%20c&page=1&&type=music', '/v1/tracks?search=a+b%20c&type=music&page=2'],
    ['/v1/tracks?search=%26page=1', '/v1/tracks?search=%26page=1&page=2'],
    ['/v1/tracks?search=a?b', '/v1/tracks?search=a?b&page=2'],
  ])('returns for %s the link %s', (url, next) => {
    expect(linkToNext(BASE, url, 2)).toBe(`<${BASE}${next}>; rel="next"`);
  });

  it('replaces a time and a cursor by the next cursor', () => {
    for (const place of ['since=2026-01-01T00:00:00Z', 'cursor=c1.AAAB', 'page=3']) {
      expect(linkToNext(BASE, `/v1/changes?${place}&limit=5`, 'c1.A-_B')).toBe(
        `<${BASE}/v1/changes?limit=5&cursor=c1.A-_B>; rel="next"`,
      );
    }
  });

  it('encodes characters that would end the URI in the header, or are not allowed in it', () => {
    expect(target('/v1/tracks?search=a>;rel="x",<b|é')).toBe(
      '/v1/tracks?search=a%3E;rel=%22x%22,%3Cb%7C%C3%A9&page=2',
    );
  });

  it('returns nothing if the link would be too long for a request', () => {
    const fits = `/v1/tracks?search=${'a'.repeat(8192 - 25)}`;
    expect(target(fits)).toHaveLength(8192);
    expect(linkToNext(BASE, `${fits}a`, 2)).toBeUndefined();
  });

  it('returns one URI for any request', () => {
    const latin1 = fc.string({
      unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
    });
    fc.assert(
      fc.property(latin1, (query) => {
        const uri = target(`/v1/tracks?${query}`);
        expect(uri).toMatch(/^[!-~]+$/);
        expect(uri).not.toMatch(/[<>"]/);
        expect(uri.endsWith('page=2')).toBe(true);
      }),
    );
  });
});
