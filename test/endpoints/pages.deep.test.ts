import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, hasBrowser, launchBrowser } from '../harness/browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  // No explorer is built there.
  const explorerFolder = new URL('./no-explorer/', import.meta.url);
  server = await startTestServer({ tracks: [], explorerFolder });
});
afterAll(() => server?.close());

const page = async (path: string) => {
  const response = await fetch(server.address + path, { headers: { Accept: 'text/html' } });
  return { response, text: await response.text() };
};

/** Returns the addresses that a page links to, resolved like a browser does. */
function linksOf(text: string, path: string): string[] {
  return [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(
    ([, href]) => new URL(href!.replaceAll('&amp;', '&'), server.address + path).href,
  );
}

describe('GET /', () => {
  it('is a page that links to the documentation, the OpenAPI document and the guides', async () => {
    const { response, text } = await page('/');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('x-api-version')).toBe('v1');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const links = linksOf(text, '/');
    for (const path of ['/docs', '/openapi.json', '/docs/getting-started', '/docs/errors']) {
      expect(links).toContain(server.address + path);
    }
  });

  it('responds to POST with 405, like any path', async () => {
    const response = await fetch(`${server.address}/`, { method: 'POST' });
    expect(response.status).toBe(405);
  });
});

describe('the pages', () => {
  it('have no broken link on the page at /', async () => {
    const { response, text } = await page('/');
    expect(response.status).toBe(200);
    for (const link of linksOf(text, '/')) {
      expect({ link, status: (await fetch(link)).status }).toEqual({ link, status: 200 });
    }
  });

  it('share an icon, which browsers also request by default', async () => {
    const response = await fetch(`${server.address}/favicon.ico`);
    expect(response.headers.get('content-type')).toBe('image/x-icon');
    const icon = Buffer.from(await response.arrayBuffer());
    expect(icon.readUInt16LE(2)).toBe(1);
    expect(icon.toString('latin1', 23, 26)).toBe('PNG');
  });
});

describe.skipIf(!hasBrowser)(`a browser (skipped without ${CHROMIUM})`, () => {
  it('loads nothing that the policy of the page at / forbids', async () => {
    const browser = await launchBrowser();
    try {
      const tab = await browser.newPage();
      const faults: string[] = [];
      tab.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      await tab.goto(`${server.address}/`);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
