import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mediaOrigin } from '../../src/docs-site/explorer/explorer-routes.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  const publicUrl = 'https://music.example.com/api';
  server = await startTestServer({ tracks: [], config: { publicUrl } });
});
afterAll(() => server?.close());

/** Without the decompression of `fetch`. */
const get = (path: string, headers: Record<string, string> = {}) =>
  server.http.send('GET', path, headers);

/** The addresses of the scripts and styles of the page. */
async function assets(): Promise<string[]> {
  const { body } = await get('/');
  return [...body.toString().matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(
    ([, path]) => path!,
  );
}

describe('GET /', () => {
  it('is the explorer, with a policy that allows only what it needs', async () => {
    const { status, headers, body } = await get('/');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' https://music.example.com",
      "media-src 'self' https://music.example.com",
      "connect-src 'self' https://music.example.com",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(body.toString()).toContain('<div id="app">');
  });

  it('is compressed, and revalidated', async () => {
    const { headers, body } = await get('/', { 'Accept-Encoding': 'gzip' });
    expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
    expect(gunzipSync(body)).toEqual((await get('/')).body);
    const again = await get('/', {
      'Accept-Encoding': 'gzip',
      'If-None-Match': String(headers.etag),
    });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  it('is no operation of the OpenAPI document', async () => {
    const { paths } = JSON.parse((await get('/openapi.json')).body.toString());
    expect(Object.keys(paths).filter((path) => path === '/' || path.includes('assets'))).toEqual(
      [],
    );
  });
});

describe('GET /assets/{name}', () => {
  it('is kept forever by browsers, compressed and with an entity tag', async () => {
    const paths = await assets();
    expect(paths.map((path) => path.split('.').at(-1)).sort()).toEqual(['css', 'js']);
    for (const path of paths) {
      const { status, headers, body } = await get(path, { 'Accept-Encoding': 'gzip' });
      expect(status).toBe(200);
      expect(headers['content-type']).toMatch(/^text\/(?:css|javascript); charset=utf-8$/);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
      const plain = await get(path);
      expect(gunzipSync(body)).toEqual(plain.body);
      expect(plain.headers.etag).not.toBe(headers.etag);
      expect((await get(path, { 'If-None-Match': String(plain.headers.etag) })).status).toBe(304);
    }
  });

  it.each(['/assets/index-older.js', '/assets/..%2Findex.html', '/assets/%2Fetc%2Fpasswd'])(
    'is not found: %s',
    async (path) => {
      const { status, body } = await get(path);
      expect([status, JSON.parse(body.toString()).error.type]).toEqual([404, 'not_found']);
    },
  );
});

describe('where the explorer is not built', () => {
  it('/ is a page that says so, and there are no assets', async () => {
    const explorerFolder = new URL('./no-explorer/', import.meta.url);
    const other = await startTestServer({ tracks: [], explorerFolder });
    try {
      const page = await other.http.send('GET', '/');
      expect(page.status).toBe(200);
      expect(page.body.toString()).toContain('Run <code>npm run build</code>');
      expect((await other.http.send('GET', '/assets/index.js')).status).toBe(404);
    } finally {
      await other.close();
    }
  });
});

describe('the origin of media', () => {
  const presign = async () => ({
    url: 'https://bucket.example.net/stave/x?X-Amz-Signature=1',
    seconds: 1,
  });
  const failing = async () => {
    throw new Error('the bucket is away');
  };

  it('is that of the bucket only where the service redirects to it', async () => {
    const origin = (media: object, mediaDelivery: 'redirect' | 'proxy') =>
      mediaOrigin({ media, mediaDelivery });
    expect(await origin({ presign }, 'redirect')).toBe('https://bucket.example.net');
    expect(await origin({ presign }, 'proxy')).toBeUndefined();
    expect(await origin({}, 'redirect')).toBeUndefined();
    expect(await origin({ presign: failing }, 'redirect')).toBeUndefined();
  });
});
