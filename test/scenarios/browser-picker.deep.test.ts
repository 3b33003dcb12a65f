import { readFileSync, writeFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../packages/picker/src/texts.ts';
import { hasBrowser } from '../harness/browser.ts';
import { temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { type EditorSetup, startEditor } from './browser-picker-support.ts';

const TRACK_TYPE = 'application/x-stave-track+json';

/** The rows of the picker. Locators of Playwright enter open shadow roots. */
const rows = (page: Page) => page.locator('stave-picker li');
const names = (page: Page) => page.locator('stave-picker [part=name]').allInnerTexts();
const clip = (page: Page) => page.locator('.lane.music li');

/** Types a search, and waits until its result is shown. */
async function find(page: Page, text: string): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/v1/search'));
  const field = page.getByRole('searchbox');
  await field.fill(text);
  await field.press('Enter');
  await (await answered).finished();
  await page.getByText(/^Results: \d|^Nothing was found/).waitFor();
}

/** What the picker plays. The audio element is not in the page. */
const isHeard = (page: Page, name: string) =>
  until(
    async () =>
      (await page.getByRole('slider', { name: `Position: ${name}` }).inputValue()) !== '0',
    'the sound',
  );

describe.runIf(hasBrowser)('the picker in examples/editor (skipped without Chromium)', () => {
  let setup: EditorSetup;
  let page: Page;
  beforeAll(async () => {
    setup = await startEditor();
  });
  afterAll(() => setup?.close());
  afterEach(async () => {
    await page?.context().close();
    expect(setup.faults.splice(0)).toEqual([]);
  });

  it('searches with filters and in own words, plays with a waveform, and gives the track to the page', async () => {
    page = await setup.open();
    expect(setup.origin).not.toBe(setup.server.address);
    await find(page, 'ten thousand');
    expect(await names(page)).toEqual(['Ten Thousand Lanterns']);
    const row = rows(page).first();
    await row.getByRole('button', { name: 'Play: Ten Thousand Lanterns' }).click();
    await isHeard(page, 'Ten Thousand Lanterns');
    await row.locator('canvas.drawn').waitFor();
    const artwork = row.locator('[part=artwork]');
    // biome-ignore lint/suspicious/noExplicitAny: runs in the page
    await until(() => artwork.evaluate((image: any) => image.naturalWidth > 0), 'the artwork');
    await row.getByRole('button', { name: 'Pause: Ten Thousand Lanterns' }).click();
    await row.getByRole('button', { name: 'Use track: Ten Thousand Lanterns' }).click();
    await clip(page).getByText('Ten Thousand Lanterns').waitFor();

    await find(page, '');
    const all = await names(page);
    const genre = page.getByRole('combobox', { name: 'Genre' });
    await genre.selectOption({ label: 'Ambient' });
    await until(async () => (await names(page)).join() !== all.join(), 'the filtered list');
    await genre.selectOption('');

    await page.getByLabel('In your own words').check();
    const asked = page.waitForRequest((request) => request.url().endsWith('/v1/search'));
    await find(page, 'calm piano for a film about the sea');
    expect((await asked).postDataJSON()).toMatchObject({ brief: expect.stringContaining('sea') });
    expect((await names(page)).length).toBeGreaterThan(1);
  });

  it('drags a track to the timeline with its name, URL and data', async () => {
    page = await setup.open();
    await find(page, 'harbour');
    await page.evaluate((type) => {
      // biome-ignore lint/suspicious/noExplicitAny: runs in the page
      const { document } = globalThis as any;
      // biome-ignore lint/suspicious/noExplicitAny: an event of the page
      document.addEventListener('drop', ({ dataTransfer }: any) => {
        const types = ['text/plain', 'text/uri-list', type];
        // biome-ignore lint/suspicious/noExplicitAny: read by the test
        (globalThis as any).dropped = types.map((one) => dataTransfer.getData(one));
      });
    }, TRACK_TYPE);
    await rows(page).first().dragTo(page.locator('.lane.music'));
    await clip(page).waitFor();
    // biome-ignore lint/suspicious/noExplicitAny: set above
    const [name, url, json] = await page.evaluate(() => (globalThis as any).dropped);
    const track = JSON.parse(json);
    expect([track.name, track.streamUrl]).toEqual([name, url]);
    expect(url.startsWith(`${setup.server.address}/media/stream/`)).toBe(true);
    expect(await clip(page).innerText()).toContain(name);
  });

  it('tells the page in events that bubble out of the shadow root', async () => {
    page = await setup.open();
    await page.evaluate(() => {
      // biome-ignore lint/suspicious/noExplicitAny: runs in the page
      const global = globalThis as any;
      global.told = [];
      for (const type of ['stave-select', 'stave-preview', 'stave-error']) {
        // biome-ignore lint/suspicious/noExplicitAny: an event of the page
        global.document.addEventListener(type, ({ detail, composed }: any) => {
          global.told.push([type, composed, detail.name ?? detail.message]);
        });
      }
    });
    const [name] = await names(page);
    await rows(page).first().getByRole('button', { name: /^Play/ }).click();
    await rows(page)
      .first()
      .getByRole('button', { name: /^Use track/ })
      .click();
    await page.route('**/v1/search', (route) => route.abort());
    // The library repeats a request that fails.
    await page.clock.install();
    await page.getByRole('searchbox').fill('x');
    await page.getByRole('searchbox').press('Enter');
    const told = async () => {
      await page.clock.runFor(10_000);
      // biome-ignore lint/suspicious/noExplicitAny: set above
      return page.evaluate(() => (globalThis as any).told);
    };
    await until(async () => (await told()).length === 3, 'the failure');
    expect(await told()).toEqual([
      ['stave-preview', true, name],
      ['stave-select', true, name],
      ['stave-error', true, expect.any(String)],
    ]);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    setup.faults.length = 0;
  });

  it('renews its token before it ends, and reads one in an envelope', async () => {
    const context = await setup.browser.newContext();
    page = await context.newPage();
    await page.clock.install();
    const tokens: string[] = [];
    await page.route('**/stave-token', async (route) => {
      const response = await route.fetch();
      const data = await response.json();
      tokens.push(data.access_token);
      await route.fulfill({ response, json: { data, error: { code: 0 } } });
    });
    const used: string[] = [];
    page.on('request', (request) => {
      const { authorization } = request.headers();
      if (authorization !== undefined) used.push(authorization.replace('Bearer ', ''));
    });
    await page.goto(setup.origin);
    await rows(page).first().waitFor();
    expect(new Set(used)).toEqual(new Set(tokens));
    expect(tokens).toHaveLength(1);
    // 10 minutes are its life, and 9 pass.
    await page.clock.fastForward(9 * 60_000 + 5_000);
    await find(page, 'night');
    await until(() => tokens.length === 2, 'the next token');
    await find(page, 'day');
    expect(used.at(-1)).toBe(tokens[1]);
  });

  it('obeys the keyboard alone', async () => {
    page = await setup.open();
    const { keyboard } = page;
    await page.getByRole('searchbox').focus();
    const focused = () =>
      page.evaluate(() => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the page
        const { shadowRoot } = (globalThis as any).document.querySelector('stave-picker');
        return shadowRoot.activeElement?.getAttribute('aria-label') ?? '';
      });
    const [first, second] = await names(page);
    for (let i = 0; i < 10 && !(await focused()).startsWith('Play: '); i++) {
      await keyboard.press('Tab');
    }
    expect(await focused()).toBe(`Play: ${first}`);
    await keyboard.press('ArrowDown');
    expect(await focused()).toBe(`Play: ${second}`);
    await keyboard.press('Enter');
    await isHeard(page, second!);
    await keyboard.press('Tab');
    expect(await focused()).toBe(`Position: ${second}`);
    const position = page.getByRole('slider', { name: `Position: ${second}` });
    const before = Number(await position.inputValue());
    await keyboard.press('ArrowRight');
    await until(
      async () => Number(await position.inputValue()) >= before + 5,
      'the later position',
    );
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await clip(page).getByText(second!).waitFor();
    await keyboard.press('End');
    expect(await focused()).toMatch(/^Use track/);
    expect(await focused()).not.toContain(second);
  });

  it('speaks ten languages', async () => {
    page = await setup.open();
    expect(LANGUAGES).toHaveLength(10);
    const seen = new Set<string>();
    for (const language of LANGUAGES) {
      await page.locator('stave-picker').evaluate((picker, tag) => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the page
        (picker as any).setAttribute('language', tag);
      }, `${language}-XX`);
      const form = page.locator(`stave-picker form[lang=${language}]`);
      await form.waitFor();
      await rows(page).first().waitFor();
      const texts = await page.locator('stave-picker').evaluate((picker) => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the page
        const root = (picker as any).shadowRoot;
        return `${root.querySelector('input').placeholder} ${root.querySelector('.select').innerText}`;
      });
      expect(texts).not.toContain('undefined');
      seen.add(texts);
    }
    expect(seen.size).toBe(10);
  });

  it('is on a page in ten minutes, as the guide says', async () => {
    using folder = temporaryFolder();
    const guide = readFileSync(new URL('../../docs/picker.md', import.meta.url), 'utf8');
    const [, program] = /^```js\n(\/\/ server\.mjs\n.*?)^```$/ms.exec(guide)!;
    const [, html] = /^```html\n(<!doctype html>.*?)^```$/ms.exec(guide)!;
    writeFileSync(folder.at('server.mjs'), program!);
    writeFileSync(
      folder.at('page.html'),
      html!.replace('https://stave.example', setup.server.address),
    );
    const { origin, stop } = await setup.run(folder.at('server.mjs'));
    try {
      page = await setup.open({}, origin);
      const [name] = await names(page);
      await page.getByRole('button', { name: `Use track: ${name}` }).click();
      await page.locator('output').filter({ hasText: name! }).waitFor();
      // A page of another origin gets no token.
      const { status } = await fetch(`${origin}/stave-token`, {
        method: 'POST',
        headers: { origin: 'https://other.example' },
      });
      expect(status).toBe(403);
    } finally {
      await stop();
    }
  });

  it.each(
    [360, 900, 1440].flatMap((width) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
    ),
  )('axe finds nothing at $width px in $colorScheme colors', async ({ width, colorScheme }) => {
    page = await setup.open({ viewport: { width, height: 800 }, colorScheme });
    await rows(page).first().getByRole('button', { name: /^Play/ }).click();
    await rows(page)
      .first()
      .getByRole('button', { name: /^Use track/ })
      .click();
    await clip(page).waitFor();
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate(
      `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
    )) as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
    expect(
      violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
      ),
    ).toEqual([]);
    const isTooWide = await page.evaluate(() => {
      // biome-ignore lint/suspicious/noExplicitAny: runs in the page
      const { document, innerWidth } = globalThis as any;
      return document.documentElement.scrollWidth > innerWidth;
    });
    expect(isTooWide).toBe(false);
    const folder = process.env.STAVE_TEST_PICTURES;
    if (folder !== undefined)
      await page.screenshot({ path: `${folder}/${width}-${colorScheme}.png` });
  });
});
