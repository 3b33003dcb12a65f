import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { delivery } from '../harness/catalog.ts';
import { until } from '../harness/until.ts';
import { audioOf, type ExplorerSetup, signIn, startExplorer } from './browser-explorer-support.ts';

describe.runIf(hasBrowser)('the player of the explorer (skipped without Chromium)', () => {
  let setup: ExplorerSetup;
  let page: Page;
  beforeAll(async () => {
    setup = await startExplorer();
  });
  afterAll(() => setup?.close());
  afterEach(async () => {
    await page?.context().close();
    expect(setup.faults).toEqual([]);
  });

  const isHeard = (from = 0) =>
    until(async () => {
      const { position, isPaused } = await audioOf(page);
      return !isPaused && position > from;
    }, 'the sound');

  it('plays on while you browse, after its URL has ended, and draws the waveform', async () => {
    page = await setup.open('?search=ten+thousand');
    const media: [path: string, status: number][] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.startsWith('/media/')) media.push([pathname, response.status()]);
    });
    await signIn(page, setup.full);
    await page.getByRole('button', { name: 'Play Ten Thousand Lanterns' }).click();
    await isHeard();
    await page.locator('canvas.drawn').waitFor();
    expect(
      media.some(([path, status]) => path.startsWith('/media/waveform/') && status === 200),
    ).toBe(true);

    await page.getByRole('link', { name: 'Playlists' }).click();
    await page.getByRole('heading', { name: 'Playlists' }).waitFor();
    const { position } = await audioOf(page);
    await isHeard(position);

    setup.server.clock.advance(1_900);
    await page.getByLabel('Position').fill('57');
    await isHeard(57);
    expect(media.filter(([path]) => path.startsWith('/media/stream/')).at(-1)![1]).toBe(206);
    const metadata = await page.evaluate(
      // biome-ignore lint/suspicious/noExplicitAny: runs in the page
      () => (globalThis as any).navigator.mediaSession.metadata.title,
    );
    expect(metadata).toBe('Ten Thousand Lanterns');
  });

  it('draws the waveform from the sound for a client without previews', async () => {
    page = await setup.open('?search=page+turn');
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    await signIn(page, setup.plain);
    await page.getByRole('button', { name: 'Play Page Turn' }).click();
    await page.locator('canvas.drawn').waitFor();
    expect(paths.filter((path) => path.startsWith('/media/waveform/'))).toEqual([]);
  });

  it('lists tracks without audio only if they are wanted, and passes them', async () => {
    const silent = 'Page Turner';
    await setup.server.deliver([delivery(0, { name: silent, type: 'sfx', slug: 'page-turner' })]);
    page = await setup.open('?type=sfx&sort=name');
    await signIn(page, setup.full);
    const rows = page.getByRole('row');
    const names = async () => {
      const labels = await rows.evaluateAll((all) => all.map((row) => row.ariaLabel ?? ''));
      return labels.map((label) => label.split(', ')[0]!);
    };
    await page.getByRole('row', { name: /^Page Turn,/ }).waitFor();
    expect(await names()).not.toContain(silent);
    await page
      .getByRole('group', { name: 'Audio' })
      .getByRole('button', { name: 'With audio' })
      .click();
    const row = page.getByRole('row', { name: new RegExp(`^${silent},`) });
    // Once for the eyes, and once for screen readers.
    await row.getByText('No audio').last().waitFor();
    expect(await row.getByRole('button', { name: /^Play/ }).count()).toBe(0);

    const all = await names();
    const at = all.indexOf(silent);
    await page.getByRole('button', { name: `Play ${all[at - 1]}` }).click();
    await isHeard();
    await page.keyboard.press('n');
    const isAfter = page.getByRole('row', { name: new RegExp(`^${all[at + 1]},`) });
    await until(
      async () => (await isAfter.getAttribute('aria-current')) === 'true',
      'the track after',
    );
    await isHeard();
  });

  it('obeys the keyboard alone, from signing in to the next track', async () => {
    page = await setup.open();
    const { keyboard } = page;
    const focused = () =>
      page.evaluate(() => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the page
        const element = (globalThis as any).document.activeElement;
        return element.getAttribute('aria-label') ?? element.name ?? element.tagName;
      });
    await keyboard.press('Tab');
    await keyboard.type(setup.full.clientId);
    await keyboard.press('Tab');
    await keyboard.type(setup.full.testSecret);
    await keyboard.press('Enter');
    await page.getByRole('row').first().waitFor();

    await keyboard.press('/');
    // The second slash is text: no key acts while somebody types.
    await keyboard.type('o/n');
    expect(await page.getByRole('combobox', { name: /^Search/ }).inputValue()).toBe('o/n');
    const isShown = page.locator('[role=grid][aria-busy=false]');
    await page.waitForURL('**/?search=o%2Fn');
    await isShown.waitFor();
    await keyboard.press('Control+a');
    await keyboard.press('Backspace');
    await keyboard.press('Escape');
    await page.waitForURL((url) => !url.searchParams.has('search'));
    await isShown.waitFor();
    await until(async () => (await page.getByRole('row').count()) > 5, 'all tracks');
    await keyboard.press('Escape');
    await keyboard.press('ArrowDown');
    const first = await focused();
    await keyboard.press('j');
    await until(async () => (await focused()) !== first, 'the next row');
    const second = await focused();
    await keyboard.press('Enter');
    await isHeard();
    const { path } = await audioOf(page);
    await keyboard.press('n');
    await until(async () => {
      const audio = await audioOf(page);
      return audio.path !== path && audio.position > 0;
    }, 'the next track');

    await keyboard.press('Space');
    await until(async () => (await audioOf(page)).isPaused, 'the pause');
    const { position } = await audioOf(page);
    await keyboard.press('ArrowRight');
    await until(async () => (await audioOf(page)).position > position, 'the later position');

    await keyboard.press('o');
    const panel = page.getByRole('complementary');
    await panel.waitFor();
    expect(second).toContain((await panel.getByRole('heading').first().innerText()).trim());
    await keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });

    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Help' }).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: the player of the explorer, because this machine has no Chromium');
}
