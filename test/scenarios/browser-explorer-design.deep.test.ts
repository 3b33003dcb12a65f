import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import en from '../../web/explorer/texts/en.json' with { type: 'json' };
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

describe.runIf(hasBrowser)('the design of the explorer (skipped without Chromium)', () => {
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

  const placeOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
  const isClean = async () => {
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as { violations: object[] };
    expect(violations).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  };

  it('shows the playlists of the licensor, which give room to a list that is scrolled', async () => {
    page = await setup.open();
    await signIn(page, setup.full);
    const shelf = page.getByRole('region', { name: 'Playlists' });
    await shelf.getByRole('link', { name: /Night Drive/ }).waitFor();
    await page.getByRole('row').first().waitFor();
    await page.locator('.scroller').evaluate((element) => element.scrollTo(0, 300));
    await shelf.waitFor({ state: 'hidden' });
    await page.locator('.scroller').evaluate((element) => element.scrollTo(0, 0));
    await shelf.getByRole('link', { name: /Night Drive/ }).click();
    await page.getByRole('button', { name: 'Play all' }).click();
    await until(async () => (await audioOf(page)).position > 0, 'the first track');
  });

  it.each([360, 900, 1440])('has waveforms and tags in the rows at %d pixels', async (width) => {
    page = await setup.open('?type=music', { viewport: { width, height: 700 } });
    await signIn(page, setup.full);
    const row = page.getByRole('row').nth(1);
    await row.locator('canvas').waitFor();
    await row.locator('.tag').first().waitFor();
    const bars = () =>
      row.locator('canvas').evaluate((canvas) => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the page
        const { width, height } = canvas as any;
        // biome-ignore lint/suspicious/noExplicitAny: as above
        const { data } = (canvas as any).getContext('2d').getImageData(0, 0, width, height);
        return data.filter((value: number, i: number) => i % 4 === 3 && value > 0).length / width;
      });
    // A line has two pixels in each column.
    await until(async () => (await bars()) > 3, 'the waveform');
  });

  it('opens the navigation on a phone, and the filters apart', async () => {
    page = await setup.open('', { viewport: { width: 360, height: 740 } });
    await signIn(page, setup.full);
    await page.getByRole('button', { name: 'Lists and filters' }).click();
    await page.locator('.sidebar nav a:focus').waitFor();
    await isClean();
    await page.getByRole('link', { name: 'Playlists', exact: true }).click();
    await page.getByRole('heading', { name: 'Playlists' }).waitFor();
    await page.getByRole('button', { name: 'Lists and filters' }).click();
    await page.getByRole('link', { name: 'Catalog', exact: true }).click();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.locator('.facets button:focus').waitFor();
  });

  it('saves a track of the list to a new collection, edits its order and notes, and removes a track', async () => {
    page = await setup.open();
    await signIn(page, setup.full);
    const { keyboard } = page;
    await page.getByRole('row', { name: /^Rooftop Cassette/ }).click();
    await keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save Rooftop Cassette' }).click();
    const dialog = page.getByRole('dialog');
    await isClean();
    await dialog.getByLabel('Name of a new collection').fill('Pitch');
    await keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    // With the keyboard.
    await moveFocusTo(page.getByRole('row', { name: /^Glass Elevator/ }), 'ArrowDown');
    await keyboard.press('a');
    await dialog.getByRole('button', { name: /^Pitch/ }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Collections' }).click();
    await page.getByRole('link', { name: /^Pitch/ }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const panel = page.getByRole('complementary', { name: 'Edit the collection' });
    await panel.getByLabel('Note on Glass Elevator').fill('The favorite');
    await keyboard.press('Tab');
    await page.getByRole('row').getByText('The favorite').waitFor();
    await panel.getByRole('button', { name: 'Move Glass Elevator up' }).click();
    const names = () =>
      page
        .getByRole('row')
        .evaluateAll((rows) => rows.map((row) => row.ariaLabel?.split(',')[0] ?? ''));
    await until(async () => (await names())[0] === 'Glass Elevator', 'the new order');
    await isClean();
    await panel.getByRole('button', { name: 'Remove Rooftop Cassette' }).click();
    await until(async () => (await totalOf(page)) === 1, 'the removal');
    await panel.getByRole('button', { name: 'Delete' }).click();
    await panel.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('No collections yet.').waitFor();
  });

  it('gives a collection to guests by a link, and shows what they say', async () => {
    page = await setup.open('?list=collections');
    await signIn(page, setup.full);
    await page.getByLabel('Name of a new collection').fill('For the client');
    await page.keyboard.press('Enter');
    await page.getByText('There are no tracks here.').waitFor();
    const collection = page.url();
    await page.getByRole('link', { name: 'Catalog', exact: true }).click();
    await page.getByRole('button', { name: 'Save Rooftop Cassette' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^For the client/ })
      .click();
    await visit(page, `${collection}&panel=links`);
    await signIn(page, setup.full);
    const panel = page.getByRole('complementary', { name: 'Links' });
    await panel.getByLabel('Name of the link, for you').fill('Acme');
    await panel.getByRole('button', { name: 'Create a link' }).click();
    const link = panel.getByRole('region', { name: 'Acme' });
    const url = await link.getByLabel('Address of the link').inputValue();
    await isClean();

    const shared = `${setup.server.address}/v1/shared/${url.split('/').at(-1)}`;
    const { data } = (await (await fetch(shared)).json()) as {
      data: { items: { track: { id: string } }[] };
    };
    const trackId = data.items[0]!.track.id;
    const say = async (method: string, path: string, body: object) => {
      const headers = { 'Content-Type': 'application/json' };
      const guest = { guest: 'abcdefghijklmnopqrstuv', name: 'Ana' };
      const sent = JSON.stringify({ ...guest, ...body });
      expect((await fetch(shared + path, { method, headers, body: sent })).ok).toBe(true);
    };
    await say('PUT', `/votes/${trackId}`, { vote: 'approve' });
    await say('POST', '/comments', { trackId, text: 'Take this one.' });
    await link.getByRole('button', { name: 'Feedback' }).click();
    await link.getByText('1 approve, 0 pass').waitFor();
    await link.getByText('Take this one.').waitFor();
    await link.getByText('Ana · Rooftop Cassette').waitFor();
    await isClean();
    await link.getByRole('button', { name: 'End' }).click();
    await link.getByRole('button', { name: 'End for good' }).click();
    await link.getByText(/^ended on/).waitFor();
    // The comments stay, and can be deleted.
    await link.getByText('Votes can be read as long as the link is live.').waitFor();
    await link.getByRole('button', { name: 'Delete: Ana, Take this one.' }).click();
    await link.getByRole('button', { name: 'Delete for good: Ana, Take this one.' }).click();
    await link.getByText('Nobody has written yet.').waitFor();
  });

  it('changes a link, but not what somebody else has changed meanwhile', async () => {
    page = await setup.open('?list=collections');
    await signIn(page, setup.full);
    await page.getByLabel('Name of a new collection').fill('To change');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Links' }).click();
    const panel = page.getByRole('complementary', { name: 'Links' });
    await panel.getByLabel('Password').fill('correct horse');
    await panel.getByRole('button', { name: 'Create a link' }).click();
    const link = panel.getByRole('region', { name: 'Link', exact: true });
    const url = await link.getByLabel('Address of the link').inputValue();
    const shared = `${setup.server.address}/v1/shared/${url.split('/').at(-1)}`;
    expect((await fetch(shared)).status).toBe(401);

    // The votes are behind the password, which this browser has entered on the page of the link.
    await link.getByRole('button', { name: 'Feedback' }).click();
    await link.getByText('The votes are behind the password').waitFor();
    const opened = page.context().waitForEvent('page');
    await link.getByRole('link', { name: 'Open the page' }).click();
    const guest = await opened;
    await guest.getByLabel('Password').fill('correct horse');
    await guest.keyboard.press('Enter');
    await guest.getByRole('heading', { name: 'To change' }).waitFor();
    await guest.close();
    await link.getByRole('button', { name: 'Try again' }).click();
    await link.getByText('Nobody has voted yet.').waitFor();

    await link.getByRole('button', { name: 'Edit' }).click();
    await link.getByLabel('Name of the link, for you').fill('Board');
    const lastDay = new Date(Date.now() + 40 * 86_400_000);
    await link.getByLabel('Last day').fill(lastDay.toLocaleDateString('sv'));
    await link.getByLabel('Open it without a password').check();
    await link.getByLabel('Guests may comment').uncheck();
    await link.getByLabel('Only previews can be heard').check();
    await isClean();
    await link.getByRole('button', { name: 'Save' }).click();
    const board = panel.getByRole('region', { name: 'Board' });
    await board.getByText(/^until .* · only previews · without comments$/).waitFor();
    const { data } = (await (await fetch(shared)).json()) as { data: { expiresAt: string } };
    expect(data).toMatchObject({ streams: 'preview', comments: false });
    expect(new Date(data.expiresAt).toDateString()).toBe(lastDay.toDateString());

    await board.getByRole('button', { name: 'Edit' }).click();
    // Somebody else.
    await page.route('**/v1/collections/*/links/*', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'if-match': '"1"' } }),
    );
    await board.getByLabel('Guests may comment').check();
    await board.getByRole('button', { name: 'Save' }).click();
    await board.getByRole('alert').waitFor();
    await board.getByText(/without comments$/).waitFor();
  });

  it('says without which part of a search there are tracks', async () => {
    page = await setup.open('?search=night&anyFilterSlugs=jazz&bpmMin=219');
    await signIn(page, setup.full);
    await page.getByText('No tracks match.').waitFor();
    const offer = page.getByRole('button', { name: /^Without from 219 BPM\s*\d+ track/ });
    const isThere = await offer.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    );
    // Where even that finds nothing, it is not offered.
    if (isThere) await offer.click();
    else await page.getByRole('button', { name: 'Show all tracks' }).click();
    await page.getByRole('row').first().waitFor();
  });

  it('speaks the language of the browser, and another one that is chosen, also next time', async () => {
    page = await setup.open('?track=rooftop-cassette', { locale: 'de-AT' });
    const html = page.locator('html');
    await page.getByRole('button', { name: 'Anmelden' }).waitFor();
    await isClean();
    await signIn(page, setup.full);
    const main = page.getByRole('main');
    await page.getByRole('button', { name: 'Angebot einholen' }).waitFor();
    expect(await html.getAttribute('lang')).toBe('de');
    await page.getByLabel('Laufzeit').selectOption('1 Jahr');
    await page.getByRole('button', { name: /^Europäische Union/ }).waitFor();
    await isClean();
    await page.getByRole('combobox', { name: 'Sprache', exact: true }).selectOption('français');
    await page.getByRole('button', { name: 'Demander un devis' }).waitFor();
    expect(await main.getByRole('heading').first().innerText()).toBe('Catalogue');
    await visit(page, page.url());
    await signIn(page, setup.full);
    await page.getByRole('button', { name: 'Demander un devis' }).waitFor();
    await page.getByRole('combobox', { name: 'Langue', exact: true }).selectOption('español');
    await page.getByRole('button', { name: 'Pedir presupuesto' }).waitFor();
    await isClean();
  });

  it.each([360, 1440])(
    'mirrors the page for languages from right to left at %d pixels',
    async (width) => {
      page = await setup.open('', { locale: 'de', viewport: { width, height: 800 } });
      // A language that is not there: English text from right to left, in the file of another one.
      const texts = Object.entries(en).map(([key, text]) => [key, `\u202e${text}\u202c`]);
      const body = `export default ${JSON.stringify({ ...Object.fromEntries(texts), direction: 'rtl' })}`;
      await page.route('**/assets/index-de-*.js', (route) =>
        route.fulfill({ body, contentType: 'text/javascript' }),
      );
      await visit(page, page.url());
      await signIn(page, setup.full);
      await page.getByRole('row').first().waitFor();
      expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
      const [cover, names, length] = await Promise.all(
        ['.cover', '.names', '.length'].map((part) => placeOf(`[data-index="1"] ${part}`)),
      );
      expect(cover!.x).toBeGreaterThan(names!.x);
      expect(names!.x).toBeGreaterThan(length!.x);
      if (width > 1000) {
        expect((await placeOf('.sidebar')).x).toBeGreaterThan((await placeOf('.main')).x);
        await page.getByRole('row').nth(1).getByRole('link').first().click();
        await page.locator('.panel').waitFor();
        expect((await placeOf('.panel')).x).toBeLessThan((await placeOf('.main')).x);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    },
  );
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: the design of the explorer, because this machine has no Chromium');
}
