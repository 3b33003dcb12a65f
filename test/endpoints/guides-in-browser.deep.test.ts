import axe from 'axe-core';
import type { Browser, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_GUIDES, pathOf } from '../../src/docs-site/guides/guide-text.ts';
import { CHROMIUM, hasBrowser, launchBrowser } from '../harness/browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';

/** Pages that together have all parts of the layout. */
const CHECKED = [
  '/docs',
  '/docs/getting-started',
  '/docs/errors',
  '/docs/going-live',
  '/docs/search?q=token',
];
const PATHS = ['/docs', '/docs/search?q=token', ...ALL_GUIDES.map(pathOf)];

describe.skipIf(!hasBrowser)(`the guides in a browser (skipped without ${CHROMIUM})`, () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer({ tracks: [] }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Opens a page, again if the node refuses it or its style because the machine is busy. */
  const open = (page: Page, path: string) =>
    until(async () => {
      let isRefused = false;
      const note = (response: Response) => {
        isRefused ||= response.status() === 503;
      };
      page.on('response', note);
      await page.goto(server.address + path);
      page.off('response', note);
      return !isRefused;
    }, path);

  it.each(['light', 'dark'] as const)('have no fault that axe finds, %s', async (colorScheme) => {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1_200, height: 900 } });
    for (const path of CHECKED) {
      await open(page, path);
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
      expect({ path, found: violations.map(({ id, nodes }) => [id, nodes[0]?.html]) }).toEqual({
        path,
        found: [],
      });
    }
    await page.close();
  });

  it('are readable on a narrow screen, and load nothing that the policy forbids', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 700 } });
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('503'))
        faults.push(`${page.url()}: ${message.text()}`);
    });
    for (const path of PATHS) {
      await open(page, path);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect({ path, width }).toEqual({ path, width: 360 });
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it('are searched without a script, from the field of each page', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await open(page, '/docs/contract/errors');
    await page.getByRole('searchbox', { name: 'Search the guides' }).fill('webhook signature');
    await page.getByRole('button', { name: 'Search' }).click();
    await page
      .getByRole('link', { name: /signature/i })
      .first()
      .click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(page.url()).toMatch(/\/docs\/(contract\/)?webhooks#/);
    await context.close();
  });
});
