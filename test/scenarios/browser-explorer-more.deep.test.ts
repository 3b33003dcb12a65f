import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import {
  audioOf,
  type ExplorerSetup,
  moveFocusTo,
  signIn,
  startExplorer,
  totalOf,
  visit,
} from './browser-explorer-support.ts';

describe.runIf(hasBrowser)('contract features in the explorer (skipped without Chromium)', () => {
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

  it('plays stems and versions, one after the other, and downloads all of them', async () => {
    page = await setup.open('?track=rooftop-cassette');
    await signIn(page, setup.full);
    const parts = page.getByRole('region', { name: 'Stems and versions' });
    const play = parts.getByRole('button', { name: /^Play / });
    await play.first().waitFor();
    const count = await play.count();
    expect(count).toBeGreaterThan(2);
    await play.first().click();
    await until(async () => (await audioOf(page)).position > 0, 'the sound of the stem');
    const { path } = await audioOf(page);
    expect(path).toMatch(/^\/media\/part\//);

    // Only the stem plays, so the track itself can still be started.
    await page.getByRole('button', { name: 'Next track' }).click();
    await until(async () => {
      const audio = await audioOf(page);
      return audio.path !== path && audio.position > 0;
    }, 'the next stem');
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Play', exact: true }).click();
    await until(async () => (await audioOf(page)).path.startsWith('/media/stream/'), 'the mix');

    const started = page.waitForEvent('download');
    await parts.getByRole('link', { name: /All as ZIP/ }).click();
    const download = await started;
    expect(await download.failure()).toBeNull();
    expect(download.suggestedFilename()).toMatch(/\.zip$/);
  });

  it('shows names in the language of the choice, which the address keeps', async () => {
    page = await setup.open();
    await signIn(page, setup.full);
    const choice = page.getByLabel('Names in');
    await choice.focus();
    await choice.selectOption('Deutsch');
    await page.getByRole('row', { name: /^Hafen im ersten Licht,/ }).waitFor();
    await page.locator('#language:focus').waitFor();
    await page.getByRole('link', { name: 'Hafen im ersten Licht' }).click();
    const panel = page.getByRole('complementary', { name: 'Hafen im ersten Licht' });
    await panel.getByText('Harbour at First Light').waitFor();
    const address = page.url();
    expect(address).toMatch(/\?track=harbour-at-first-light&language=de$/);
    await choice.selectOption('English');
    await page.getByRole('row', { name: /^Harbour at First Light,/ }).waitFor();

    await visit(page, address);
    await signIn(page, setup.plain);
    await page.getByRole('row', { name: /^Harbour at First Light,/ }).waitFor();
    expect(await page.getByLabel('Names in').count()).toBe(0);
  });

  it('saves the present search, runs it, and deletes it', async () => {
    page = await setup.open('?search=night&filterSlugs=calm&bpmMin=60');
    await signIn(page, setup.full);
    const found = await totalOf(page);
    await page.getByRole('button', { name: 'Save search' }).click();
    const name = page.getByLabel('Name of the saved search');
    await page.locator('[aria-label="Name of the saved search"]:focus').waitFor();
    await name.fill('Calm nights');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Calm nights' }).waitFor();
    await page.locator('h1:focus').waitFor();

    await page.getByRole('link', { name: 'Saved searches' }).click();
    await page.getByRole('link', { name: /Calm nights.*“night” · \+ calm · from 60 BPM/ }).click();
    expect(await totalOf(page)).toBe(found);
    await page.getByRole('link', { name: 'Open in the catalog' }).click();
    expect(new URL(page.url()).search).toBe('?search=night&filterSlugs=calm&bpmMin=60');

    // A name that exists is refused, with what to do.
    await page.getByRole('button', { name: 'Save search' }).click();
    await name.fill('calm NIGHTS');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').innerText()).toMatch(
      /choose another name[\s\S]*Do what the message says[\s\S]*Request id [0-9a-f-]{36}/,
    );

    await page.goBack();
    // A double click does not delete.
    await page.getByRole('button', { name: 'Delete' }).dblclick();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('No saved searches yet.').waitFor();
    await page.locator('h1:focus').waitFor();
  });

  it('obeys the keyboard alone, for stems, languages, saved searches and collections', async () => {
    page = await setup.open('?list=collections');
    const { keyboard } = page;
    await signIn(page, setup.full);
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
    const focusedHeading = (text: string) =>
      page.locator('h1:focus, h2:focus').filter({ hasText: text }).waitFor();
    const told = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

    await moveFocusTo(page.getByLabel('Name of a new collection'));
    await keyboard.type('By keyboard');
    await keyboard.press('Enter');
    await told('Collection created.');
    await focusedHeading('By keyboard');

    await keyboard.press('/');
    await keyboard.type('rooftop');
    await page.waitForURL('**/?search=rooftop');
    await page.getByRole('heading', { name: '“rooftop”' }).waitFor();
    await moveFocusTo(button('Save search'));
    await keyboard.press('Enter');
    await page.locator('input:focus').waitFor();
    await keyboard.press('Escape');
    await button('Save search').and(page.locator(':focus')).waitFor();
    await keyboard.press('Enter');
    await page.locator('input:focus').waitFor();
    await keyboard.type('Roofs');
    await keyboard.press('Enter');
    await told('Search saved.');
    await focusedHeading('Roofs');

    await moveFocusTo(button('Rename search'));
    await keyboard.press('Space');
    await page.locator('input:focus').waitFor();
    await keyboard.type('Above the city');
    await keyboard.press('Enter');
    await told('Search renamed.');
    await focusedHeading('Above the city');

    await moveFocusTo(page.getByRole('link', { name: 'Back' }), 'Shift+Tab');
    await keyboard.press('Enter');
    await focusedHeading('Saved searches');
    await moveFocusTo(page.getByRole('link', { name: /^Above the city/ }));
    await keyboard.press('Enter');
    await focusedHeading('Above the city');
    const row = page.getByRole('row', { name: /^Rooftop Cassette,/ });
    await moveFocusTo(row);
    await keyboard.press('o');
    await focusedHeading('Rooftop Cassette');

    // Where the panel covers the list, the list takes no focus.
    await page.setViewportSize({ width: 360, height: 640 });
    await moveFocusTo(button(/^Cart/), 'Shift+Tab');
    await moveFocusTo(button('Play Bass'));
    await keyboard.press('Space');
    await until(async () => {
      const { path, position } = await audioOf(page);
      return path.startsWith('/media/part/') && position > 0;
    }, 'the sound of the stem');
    await page.getByLabel('Collection', { exact: true }).waitFor();
    await moveFocusTo(button('Add'));
    await keyboard.press('Enter');
    await told('Added.');
    await page.setViewportSize({ width: 1440, height: 900 });
    await moveFocusTo(button('Close Rooftop Cassette'), 'Shift+Tab');
    await keyboard.press('Enter');
    await row.and(page.locator(':focus')).waitFor();

    await moveFocusTo(button('Delete'), 'Shift+Tab');
    // The second press is a repetition, as of a key that is held.
    await keyboard.down('Enter');
    await keyboard.down('Enter');
    await keyboard.up('Enter');
    await told('Press again, because this is for good.');
    await keyboard.press('Escape');
    await button('Delete').and(page.locator(':focus')).waitFor();
    await keyboard.press('Enter');
    await button('Delete for good').waitFor();
    await keyboard.press('Enter');
    await told('Search deleted.');
    await focusedHeading('Saved searches');

    const language = page.getByRole('combobox', { name: 'Names in' });
    await moveFocusTo(language, 'Shift+Tab');
    await keyboard.type('Deu');
    await page.waitForURL((url) => url.searchParams.get('language') === 'de');
    await language.and(page.locator(':focus')).waitFor();
  });

  it('has no stems without the feature', async () => {
    page = await setup.open('?track=rooftop-cassette');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await signIn(page, setup.plain);
    await page.getByRole('complementary').getByText('Slug').waitFor();
    expect(await page.getByText('All as ZIP').count()).toBe(0);
    expect(requested.filter((url) => url.includes('/stems'))).toEqual([]);
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: contract features in the explorer, because this machine has no Chromium');
}
