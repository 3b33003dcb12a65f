import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHouse, type TestHouse } from '../harness/house.ts';

const CHROMIUM = '/usr/bin/chromium';

let house: TestHouse;
beforeAll(async () => {
  house = await startHouse();
});
afterAll(() => house?.close());

describe('GET /docs', () => {
  it('serves the page and its scripts under a policy that keeps it to this origin', async () => {
    const page = await house.http.send('GET', '/docs', { Accept: 'text/html' });
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("default-src 'self'");
    expect(page.headers['x-api-version']).toBe('v1');
    for (const [, path] of page.body.toString('utf8').matchAll(/src="([^"]+)"/g)) {
      const script = await house.http.send('GET', path!, { Accept: '*/*' });
      expect(script.status).toBe(200);
      expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
      expect(script.body.length).toBeGreaterThan(50);
    }
  });

  it('sends the large script compressed where the browser takes it', async () => {
    const { headers, body } = await house.http.send('GET', '/docs/scalar.js', {
      'Accept-Encoding': 'gzip, br',
    });
    expect(headers['content-encoding']).toBe('gzip');
    expect(headers.vary).toContain('Accept-Encoding');
    expect(body.length).toBeLessThan(2_000_000);
  });

  it.each(['/docs/none', '/docs/js/scalar.js', '/docs/../package.json', '/docs/start.js/x'])(
    'answers %s with an enveloped 404',
    async (path) => {
      const { status, body } = await house.http.send('GET', path);
      expect(status).toBe(404);
      expect(JSON.parse(body.toString('utf8')).error.type).toBe('not_found');
    },
  );
});

const hasBrowser = existsSync(CHROMIUM);

describe.skipIf(!hasBrowser)(
  `the page at /docs in a browser (left out without ${CHROMIUM})`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({
        executablePath: CHROMIUM,
        args: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
          '--no-first-run',
        ],
      });
    });
    afterAll(() => browser?.close());

    it('shows every operation, asks no other origin for anything, and can try one', {
      timeout: 120_000,
    }, async () => {
      const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
      const requested: string[] = [];
      const faults: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      page.on('pageerror', (error) => faults.push(error.message));
      // A blocked request would be reported here, and would not appear above.
      await page.exposeFunction('violated', (uri: string) => faults.push(`blocked: ${uri}`));
      // Scalar asks whether it may compile code, and does without.
      await page.addInitScript({
        content: `document.addEventListener('securitypolicyviolation', ({ blockedURI }) => {
        if (blockedURI !== 'eval') violated(blockedURI);
      });`,
      });
      await page.goto(`${house.address}/docs`);
      await page.getByRole('heading', { name: 'Stave partner API' }).first().waitFor();
      for (const { summary } of house.contract.operations()) {
        await page.getByText(summary, { exact: true }).first().waitFor();
      }

      // A partner has a client id and a secret in hand: there is a place for them at once.
      await page.getByText('Selected Auth Type: clientCredentials').first().waitFor();

      await page.getByText('Report the versions', { exact: true }).first().click();
      await page.getByRole('button', { name: 'Test Request (get /version)' }).click();
      const asked = page.waitForResponse(`${house.address}/version`);
      await page.getByRole('button', { name: /^Send get request/ }).click();
      expect((await asked).status()).toBe(200);

      const outside = requested.filter(
        (url) => !url.startsWith(`${house.address}/`) && !/^(data|blob):/.test(url),
      );
      expect(outside).toEqual([]);
      expect(requested).toContain(`${house.address}/openapi.json`);
      expect(faults).toEqual([]);
      if (process.env.STAVE_TEST_SCREENSHOT) {
        await page.screenshot({ path: process.env.STAVE_TEST_SCREENSHOT });
      }
      await page.close();
    });
  },
);
