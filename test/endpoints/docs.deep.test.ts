import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, hasBrowser, launchBrowser } from '../harness/browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.close());

describe('GET /docs/reference', () => {
  it('serves the page and its scripts with a policy that permits only this origin', async () => {
    const page = await server.http.send('GET', '/docs/reference', { Accept: 'text/html' });
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("default-src 'self'");
    expect(page.headers['x-api-version']).toBe('v1');
    for (const [, address] of page.body.toString('utf8').matchAll(/(?:src|href)="([^"]+)"/g)) {
      // A proxy may serve these pages under a path.
      expect(address).not.toMatch(/^\//);
    }
    for (const [, address] of page.body.toString('utf8').matchAll(/src="([^"]+)"/g)) {
      const { pathname } = new URL(address!, 'http://host/docs/reference');
      const script = await server.http.send('GET', pathname, { Accept: '*/*' });
      expect(script.status).toBe(200);
      expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
      expect(script.body.length).toBeGreaterThan(50);
    }
  });

  it('sends the large script compressed if the browser accepts that', async () => {
    const { headers, body } = await server.http.send('GET', '/docs/scalar.js', {
      'Accept-Encoding': 'gzip, br',
    });
    expect(headers['content-encoding']).toBe('gzip');
    expect(headers.vary).toContain('Accept-Encoding');
    expect(body.length).toBeLessThan(2_000_000);
    expect(headers['content-length']).toBe(String(body.length));
  });

  it('has an entity tag for each encoding of the large script, and responds with 304', async () => {
    const tags: string[] = [];
    for (const coding of ['gzip', 'gzip;q=0']) {
      const accepted = { 'Accept-Encoding': coding };
      const { headers, body } = await server.http.send('GET', '/docs/scalar.js', accepted);
      const script = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      expect(headers.etag).toContain(hash('sha256', script));
      tags.push(headers.etag!);
      const known = { ...accepted, 'If-None-Match': headers.etag! };
      const again = await server.http.send('GET', '/docs/scalar.js', known);
      expect([again.status, again.body.length]).toEqual([304, 0]);
      const head = await server.http.send('HEAD', '/docs/scalar.js', accepted);
      expect(head.headers['content-length']).toBe(String(body.length));
    }
    expect(tags[0]).not.toBe(tags[1]);
  });

  it.each(['/docs/none', '/docs/js/scalar.js', '/docs/../package.json', '/docs/start.js/x'])(
    'responds to %s with an enveloped 404',
    async (path) => {
      const { status, body } = await server.http.send('GET', path);
      expect(status).toBe(404);
      expect(JSON.parse(body.toString('utf8')).error.type).toBe('not_found');
    },
  );
});

describe.skipIf(!hasBrowser)(
  `the page at /docs/reference in a browser (skipped without ${CHROMIUM})`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser?.close());

    it('shows every operation, requests nothing from other origins, and can send a request', {
      timeout: 120_000,
    }, async () => {
      const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
      const requested: string[] = [];
      const faults: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      page.on('pageerror', (error) => faults.push(error.message));
      // Blocked requests are reported here, and do not appear above.
      await page.exposeFunction('violated', (uri: string) => faults.push(`blocked: ${uri}`));
      // Scalar checks whether it may compile code, and works without.
      await page.addInitScript({
        content: `document.addEventListener('securitypolicyviolation', ({ blockedURI }) => {
        if (blockedURI !== 'eval') violated(blockedURI);
      });`,
      });
      await page.goto(`${server.address}/docs/reference`);
      await page.getByRole('heading', { name: 'Stave partner API' }).first().waitFor();
      for (const { summary } of server.contract.operations()) {
        await page.getByText(summary, { exact: true }).first().waitFor();
      }

      // The page offers fields for client id and secret at once.
      await page.getByText('Selected Auth Type: clientCredentials').first().waitFor();

      await page.getByText('Report the versions', { exact: true }).first().click();
      await page.getByRole('button', { name: 'Test Request (get /version)' }).click();
      const response = page.waitForResponse(`${server.address}/version`);
      await page.getByRole('button', { name: /^Send get request/ }).click();
      expect((await response).status()).toBe(200);

      await page.getByRole('button', { name: 'Close Client' }).last().click();
      await page.getByText('List and filter tracks', { exact: true }).first().click();
      await page.getByRole('button', { name: 'Test Request (get /v1/tracks)' }).click();
      const listed = page.waitForRequest(`${server.address}/v1/tracks**`);
      await page.getByRole('button', { name: /^Send get request/ }).click();
      // The examples are off by default, so a first request has no parameters.
      expect((await listed).url()).toBe(`${server.address}/v1/tracks`);
      expect(await page.getByText('ambient,calm').count()).toBeGreaterThan(0);

      // The page shows the error of the token endpoint.
      await page.getByRole('button', { name: 'Authorize' }).last().click();
      await page.getByText('client_id is missing; client_secret is missing.').first().waitFor();

      const outside = requested.filter(
        (url) => !url.startsWith(`${server.address}/`) && !/^(data|blob):/.test(url),
      );
      expect(outside).toEqual([]);
      expect(requested).toContain(`${server.address}/openapi.json`);
      expect(faults).toEqual([]);
      if (process.env.STAVE_TEST_SCREENSHOT) {
        await page.screenshot({ path: process.env.STAVE_TEST_SCREENSHOT });
      }
      await page.close();
    });
  },
);
