import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import { type ExplorerSetup, signIn, startExplorer } from './browser-explorer-support.ts';

const TOTAL = 1_000_000;
const PAGE_SIZE = 50;

/**
 * Makes the responses to the page those of a catalog of a million tracks, whose names are their places in the list. The
 * tracks are those of the demo again and again. Returns the numbers of the requested pages.
 */
async function enlarge(page: Page): Promise<number[]> {
  const requested: number[] = [];
  await page.route('**/v1/tracks?*', async (route) => {
    const url = new URL(route.request().url());
    const number = Number(url.searchParams.get('page'));
    requested.push(number);
    url.searchParams.set('page', '1');
    const response = await route.fetch({ url: url.href });
    const json = await response.json();
    const { items } = json.data;
    json.data.totalRecords = TOTAL;
    json.data.items = Array.from({ length: PAGE_SIZE }, (_, i) => ({
      ...items[i % items.length],
      name: `Track ${(number - 1) * PAGE_SIZE + i}`,
      artworkUrl: `${items[i % items.length].artworkUrl}?of=${(number - 1) * PAGE_SIZE + i}`,
    }));
    await route.fulfill({ response, json });
  });
  return requested;
}

/** Closes the page, whose last requests may still run. */
async function close(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
}

describe.runIf(hasBrowser)('a list of a million tracks (skipped without Chromium)', () => {
  let setup: ExplorerSetup;
  beforeAll(async () => {
    setup = await startExplorer();
  });
  afterAll(() => setup?.close());

  it('renders and requests only what is visible, and reaches every track', async () => {
    const page = await setup.open();
    const requested = await enlarge(page);
    await signIn(page, setup.full);
    await page.getByText('1,000,000 tracks').waitFor();
    const scroller = page.getByRole('grid').locator('.scroller');
    const scrollTo = (top: number) =>
      // biome-ignore lint/suspicious/noExplicitAny: runs in the page
      scroller.evaluate((element: any, at) => element.scrollTo(0, at), top);
    /** The place of the first row that is visible as a whole, once its track is loaded. */
    const firstVisible = () =>
      // biome-ignore lint/suspicious/noExplicitAny: runs in the page
      scroller.evaluate((element: any) => {
        const { top } = element.getBoundingClientRect();
        // biome-ignore lint/suspicious/noExplicitAny: runs in the page
        const rows: any[] = [...element.querySelectorAll('[role=row]')];
        const first = rows.find((row) => row.getBoundingClientRect().top >= top - 1);
        return Number(/^Track (\d+)/.exec(first?.textContent ?? '')?.[1] ?? -1);
      });

    await until(async () => (await firstVisible()) === 0, 'the first track');
    await scrollTo(4_000_000);
    await until(async () => Math.abs((await firstVisible()) - TOTAL / 2) < 200, 'the middle');

    // The wheel moves as far as in a short list.
    const before = await firstVisible();
    await page.mouse.move(800, 500);
    await page.mouse.wheel(0, 560);
    await until(async () => (await firstVisible()) === before + 10, 'ten tracks further');

    await page.keyboard.press('Escape');
    await page.keyboard.press('End');
    await page.getByRole('row', { name: 'Track 999999,' }).waitFor();
    await page.keyboard.press('Home');
    await until(async () => (await firstVisible()) === 0, 'the first track again');

    expect(await page.getByRole('row').count()).toBeLessThan(40);
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(TOTAL));
    expect(requested.length).toBeLessThan(10);
    expect(setup.faults).toEqual([]);
    await close(page);
  });

  it('gives up the pictures of rows that are gone', async () => {
    const page = await setup.open();
    await enlarge(page);
    const [asked, ended] = [new Set<string>(), new Set<string>()];
    await page.route(/\/media\/artwork\/.*\?of=/, (route) => {
      asked.add(route.request().url());
    });
    page.on('requestfailed', (request) => ended.add(request.url()));
    await signIn(page, setup.full);
    await until(() => asked.size > 10, 'the requests for pictures');
    const first = [...asked];
    await page.keyboard.press('Escape');
    await page.keyboard.press('End');
    await until(() => first.every((url) => ended.has(url)), 'the end of the requests');
    await close(page);
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: a list of a million tracks, because this machine has no Chromium');
}
