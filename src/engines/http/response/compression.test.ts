import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { acceptsGzip, gzipped, isCompressible } from './negotiation.ts';

describe('acceptsGzip', () => {
  it.each([
    'gzip',
    'GZIP',
    'x-gzip',
    'deflate, gzip, br',
    'gzip;q=0.001',
    'gzip ;q=1.000',
    'br;q=1, gzip;q=0.5',
    '*',
    '*;q=0.1',
    'identity;q=0, *',
    'gzip, *;q=0',
  ])('is true for %j', (header) => expect(acceptsGzip(header)).toBe(true));

  it.each([
    undefined,
    '',
    'identity',
    'br, deflate',
    'gzip;q=0',
    'gzip;q=0.000',
    'gzip;q=2',
    'gzip;q=x',
    'gzip;q=0, *',
    '*;q=0',
    'gzipped',
    'not-gzip',
  ])('is false for %j', (header) => expect(acceptsGzip(header)).toBe(false));
});

describe('gzipped', () => {
  it('returns bytes that decompress to the original, for any length', async () => {
    for (const length of [0, 1, 1025, 32 * 1024, 32 * 1024 + 1, 300_000]) {
      const bytes = randomBytes(length);
      expect(gunzipSync((await gzipped(bytes))!).equals(bytes)).toBe(true);
    }
  });

  it('does not compress long bodies while too many are being compressed', async () => {
    const bytes = Buffer.alloc(100_000, 'page');
    const begun = Array.from({ length: 40 }, () => gzipped(bytes));
    expect(begun.filter((one) => one === undefined)).toHaveLength(24);
    await Promise.all(begun);
    expect(await gzipped(bytes)).toBeInstanceOf(Buffer);
  });
});

describe('isCompressible', () => {
  it('depends on the type and the length', () => {
    const long = Buffer.alloc(1025);
    expect(isCompressible('application/json; charset=utf-8', long)).toBe(true);
    expect(isCompressible('text/html; charset=utf-8', long)).toBe(true);
    expect(isCompressible('application/json; charset=utf-8', long.subarray(1))).toBe(false);
    expect(isCompressible('image/png', long)).toBe(false);
    expect(isCompressible('audio/mpeg', long)).toBe(false);
  });
});
