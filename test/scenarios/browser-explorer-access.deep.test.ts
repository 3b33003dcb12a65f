import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import {
  type ExplorerSetup,
  openDeveloper,
  signIn,
  startExplorer,
} from './browser-explorer-support.ts';

/** What axe finds on the page, one line each. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )) as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Whether something is wider than the screen. */
const isTooWide = (page: Page) =>
  page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: runs in the page
    const { document, innerWidth } = globalThis as any;
    return document.documentElement.scrollWidth > innerWidth;
  });

const SCREENS = [
  { name: 'a phone', width: 360, height: 640 },
  { name: 'a desktop', width: 1440, height: 900 },
];

describe.runIf(hasBrowser)('everybody can use the explorer (skipped without Chromium)', () => {
  let setup: ExplorerSetup;
  beforeAll(async () => {
    setup = await startExplorer();
  });
  afterAll(() => setup?.close());

  it.each(
    SCREENS.flatMap((screen) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ ...screen, colorScheme })),
    ),
  )(
    'axe finds nothing on $name with $colorScheme colors',
    async ({ width, height, colorScheme }) => {
      const page = await setup.open('', { viewport: { width, height }, colorScheme });
      try {
        const found: Record<string, unknown> = {};
        const look = async (view: string) => {
          const faults = [
            ...(await findings(page)),
            ...((await isTooWide(page)) ? ['too wide'] : []),
          ];
          if (faults.length > 0) found[view] = faults;
        };
        await look('sign in');
        await signIn(page, setup.full);
        await page.getByRole('row').first().waitFor();
        await page.getByRole('button', { name: 'Play Harbour at First Light' }).click();
        await page.getByRole('region', { name: 'Player' }).waitFor();
        await look('list and player');
        if (width < 760) {
          await page.getByRole('button', { name: 'Lists and filters' }).click();
          await look('filters');
          await page.getByRole('button', { name: 'Show the tracks' }).click();
        }
        await page.getByRole('link', { name: 'Glass Elevator' }).first().click();
        await page.getByRole('button', { name: 'Get a quote' }).waitFor();
        await look('track');
        await openDeveloper(page, 'Code');
        await page.getByRole('region', { name: 'curl' }).waitFor();
        await look('code');
        await openDeveloper(page, /^Request log/);
        await look('request log');
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Help' }).waitFor();
        await look('help');
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
        for (const [name, query] of [
          ['Playlists', '?list=playlists'],
          ['Collections', '?list=collections'],
          ['Saved searches', '?list=saved-searches'],
          ['No quotes yet.', '?list=quotes'],
          ['No licenses yet.', '?list=licenses'],
          ['The cart is empty.', '?panel=cart'],
          ['All as ZIP', '?track=rooftop-cassette'],
          ['No tracks match.', '?search=zzzz'],
          ['Other phrases are', '?brief=dark+trailer&notFilterSlugs=calm&vocals=instrumental'],
          ['Choose a file', '?list=by-audio'],
        ]) {
          await page.evaluate(
            `history.pushState(null, '', '${query}'); dispatchEvent(new Event('popstate'))`,
          );
          await page.locator('main, aside').getByText(name!).first().waitFor();
          await look(name!);
        }
        expect(found).toEqual({});
        expect(setup.faults).toEqual([]);
      } finally {
        await page.context().close();
      }
    },
  );
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: the accessibility of the explorer, because this machine has no Chromium');
}
