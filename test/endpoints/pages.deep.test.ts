import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DemoState } from '../../src/features/demo/state.ts';
import { CHROMIUM, hasBrowser, launchBrowser } from '../harness/browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  // No explorer is built there.
  const explorerFolder = new URL('./no-explorer/', import.meta.url);
  server = await startTestServer({ tracks: [], config: { demo: true }, explorerFolder });
  // Rendering the demo can overload the node for a moment, so that it responds with 503.
  await server.until(async () => (await page('/')).response.status === 200);
}, 240_000);
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

  it('offers a demo track with its title, artist, artwork and a stream URL that plays', async () => {
    const { text } = await page('/');
    expect(text).toContain('Harbour at First Light');
    expect(text).toContain('Ines Vardal');
    const media = linksOf(text, '/').filter((link) => link.includes('/media/'));
    expect(media).toHaveLength(2);
    const types = await Promise.all(
      media.map(async (link) => (await fetch(link)).headers.get('content-type')),
    );
    expect(types).toEqual(['image/png', 'audio/wav']);
  });

  it('responds to POST with 405, like any path', async () => {
    const response = await fetch(`${server.address}/`, { method: 'POST' });
    expect(response.status).toBe(405);
  });

  it('shows no track if its client may not stream or the track does not exist', async () => {
    const clientId = (await new DemoState(server.operator.store.settings).get('clientId'))!;
    const shown = async () => (await page('/')).text.includes('<audio');
    await server.operator.store.clients.update(clientId, { enabled: false }, 'cli:test');
    await server.until(async () => !(await shown()));
    await server.operator.store.clients.update(clientId, { enabled: true }, 'cli:test');
    await server.until(shown);
    const track = await server.operator.store.catalog.resolveTrack('harbour-at-first-light');
    await server.operator.store.catalog.setState(track!, 'taken_down', 'cli:test');
    await server.until(async () => !(await shown()));
    await server.operator.store.catalog.setState(track!, 'live', 'cli:test');
    await server.until(shown);
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
  it('plays the demo track on the page at /, and loads nothing that the policy forbids', async () => {
    const browser = await launchBrowser('--autoplay-policy=no-user-gesture-required');
    try {
      const tab = await browser.newPage();
      const faults: string[] = [];
      tab.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      await tab.goto(`${server.address}/`);
      const heard = await tab.evaluate(`(async () => {
        const audio = document.querySelector('audio');
        audio.muted = true;
        await audio.play();
        await new Promise((resolve) => audio.addEventListener('timeupdate', () => {
          if (audio.currentTime > 0) resolve();
        }));
        return { seconds: audio.duration, artwork: document.querySelector('img').naturalWidth };
      })()`);
      expect(heard).toEqual({ seconds: expect.closeTo(31.5, 0), artwork: 512 });
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
