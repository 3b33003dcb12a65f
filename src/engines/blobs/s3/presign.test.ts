import { S3Client } from '@aws-sdk/client-s3';
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PresignOptions } from '../media-store.ts';
import { type PresignCredentials, Presigner } from './presign.ts';

const NOW = Date.UTC(2026, 10, 21, 8, 0, 0, 999);
const KEYS: PresignCredentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
const OPTIONS: PresignOptions = {
  method: 'GET',
  seconds: 1800,
  contentType: 'audio/mpeg',
  cacheControl: 'private, max-age=1800',
};

const target = (region = 'eu-west-1') => ({
  origin: 'https://media.example.com:9000',
  host: 'media.example.com:9000',
  basePath: '/bucket',
  region,
});

/**
 * Names of objects: a prefix and a key, or unusual names. They do not contain the segment `.` or `//`, for
 * which S3 has its own rules.
 */
const names = fc
  .array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.map((part) => part.replaceAll(/[./]/g, '_')).join('/'));

describe('Presigner', () => {
  it('returns the same URL as the official SDK', async () => {
    await fc.assert(
      fc.asyncProperty(
        names,
        fc.record({
          method: fc.constantFrom('GET' as const, 'HEAD' as const),
          seconds: fc.integer({ min: 1, max: 604_800 }),
          contentType: fc.string(),
          cacheControl: fc.string(),
          contentDisposition: fc.option(fc.string(), { nil: undefined }),
        }),
        fc.record({
          accessKeyId: fc.string({ minLength: 1 }),
          secretAccessKey: fc.string({ unit: 'binary', minLength: 1 }),
          sessionToken: fc.option(fc.base64String({ minLength: 1 }), { nil: undefined }),
        }),
        fc.date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true }),
        fc.stringMatching(/^[a-z0-9-]{1,20}$/),
        async (name, options, credentials, date, region) => {
          const ours = new Presigner(target(region)).sign(
            name,
            options,
            credentials,
            date.getTime(),
          );
          const theirs = await sdkUrl(name, options, credentials, date, region);
          expect(new URL(ours!.url).pathname).toBe(theirs.path);
          expect(Object.fromEntries(new URL(ours!.url).searchParams)).toEqual(theirs.query);
          expect(ours!.seconds).toBe(options.seconds);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('signs with the date and the secret of each call, also around midnight', () => {
    const presigner = new Presigner(target());
    const at = (ms: number, keys = KEYS) => presigner.sign('a/b.mp3', OPTIONS, keys, ms)!.url;
    const midnight = Date.UTC(2026, 10, 22);
    const before = at(midnight - 1);
    const after = at(midnight);
    expect(before).toContain('%2F20261121%2F');
    expect(after).toContain('%2F20261122%2F');
    expect(at(midnight - 1)).toBe(before);
    expect(at(midnight, { ...KEYS, secretAccessKey: 'other' })).not.toBe(after);
    expect(at(midnight)).toBe(after);
  });

  it('limits the lifetime to the requested one, to a week and to that of the credentials', () => {
    const presigner = new Presigner(target());
    const life = (seconds: number, leftMs?: number) => {
      const expiration = leftMs === undefined ? undefined : new Date(NOW + leftMs);
      return presigner.sign('a', { ...OPTIONS, seconds }, { ...KEYS, expiration }, NOW)?.seconds;
    };
    expect(life(30)).toBe(30);
    expect(life(10_000_000)).toBe(604_800);
    expect(life(30, 60_000)).toBe(30);
    expect(life(1800, 60_000)).toBe(60);
    // The date in a URL has whole seconds, and 999 ms of the current second have passed.
    expect(life(1800, 1)).toBe(1);
    expect(life(1800, -1000)).toBeUndefined();
  });
});

/** Returns the URL that the SDK's own presigner makes for the same request. */
async function sdkUrl(
  name: string,
  options: PresignOptions,
  credentials: PresignCredentials,
  signingDate: Date,
  region: string,
) {
  const { sessionToken, ...keys } = credentials;
  const client = new S3Client({
    region,
    credentials: { ...keys, ...(sessionToken !== undefined && { sessionToken }) },
  });
  const presigner = new S3RequestPresigner({ ...client.config, region });
  const { path, query } = await presigner.presign(
    {
      method: options.method,
      protocol: 'https:',
      hostname: 'media.example.com',
      port: 9000,
      path: `/bucket/${name.split('/').map(strictlyEncoded).join('/')}`,
      query: {
        'response-cache-control': options.cacheControl,
        'response-content-type': options.contentType,
        ...(options.contentDisposition !== undefined && {
          'response-content-disposition': options.contentDisposition,
        }),
      },
      headers: { host: 'media.example.com:9000' },
    },
    { expiresIn: options.seconds, signingDate },
  );
  client.destroy();
  return { path: new URL(`https://x${path}`).pathname, query };
}

function strictlyEncoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9_.~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
