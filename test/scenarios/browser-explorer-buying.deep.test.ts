import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES } from '../../src/common/caller.ts';
import { COUNTRIES } from '../../src/common/codes.ts';
import { COUNTRIES as SHOWN_COUNTRIES } from '../../web/explorer/buying/country-codes.ts';
import { hasBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import { type ExplorerSetup, signIn, startExplorer, visit } from './browser-explorer-support.ts';

describe.runIf(hasBrowser)('buying in the explorer (skipped without Chromium)', () => {
  let setup: ExplorerSetup;
  let page: Page;
  beforeAll(async () => {
    setup = await startExplorer();
  });
  afterAll(() => setup?.close());
  afterEach(async () => {
    await page?.context().close();
    expect(setup.faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
  });

  const license = () => page.getByRole('region', { name: 'License', exact: true });

  it('offers the countries of the API', () => {
    expect([...SHOWN_COUNTRIES].sort()).toEqual([...COUNTRIES].sort());
  });

  it('buys the license of a track for countries by name, and saves its PDF, certificate and files', async () => {
    page = await setup.open('?track=rooftop-cassette');
    await signIn(page, setup.full);
    await license().getByText('TEST').first().waitFor();
    await license().getByLabel('Project').fill('Spring spot');
    await license().getByLabel('Social media').check();
    await license().getByRole('button', { name: 'Remove Whole world' }).click();
    const country = license().getByLabel('Add a country');
    await country.fill('germany');
    await country.fill('Austr');
    await country.press('Enter');
    await license().getByRole('button', { name: 'Remove Germany' }).waitFor();
    // The first of the names that begin so.
    await license().getByRole('button', { name: 'Remove Australia' }).click();
    await license()
      .getByRole('button', { name: /^European Union/ })
      .click();
    await license().getByRole('button', { name: 'Remove Estonia' }).waitFor();
    await license().getByLabel('Term').selectOption('1 year');
    await license().getByRole('button', { name: 'Get a quote' }).click();
    const price = license().getByText(/€[\d,.]+ net, valid until/);
    await price.waitFor();
    expect(await price.innerText()).toContain('TEST');

    await license().getByLabel('Licensee').fill('Lighthouse Film GmbH');
    await license().getByRole('combobox', { name: 'Country', exact: true }).selectOption('Germany');
    expect(
      await license()
        .getByRole('link', { name: /^terms, version/ })
        .count(),
    ).toBe(1);
    await license()
      .getByRole('button', { name: /^Buy for €[\d,.]+ TEST$/ })
      .click();
    await page.waitForURL(/\?license=[\w-]+$/);
    const main = page.getByRole('main');
    await main.getByText('Lighthouse Film GmbH, Germany').waitFor();
    await main.getByText('Online, Social media').waitFor();

    const saved = async (name: RegExp) => {
      const started = page.waitForEvent('download');
      await main.getByRole('button', { name }).click();
      const download = await started;
      return {
        name: download.suggestedFilename(),
        text: readFileSync(await download.path(), 'latin1'),
      };
    };
    const pdf = await saved(/^License as PDF/);
    expect(pdf.text.slice(0, 5)).toBe('%PDF-');
    expect(pdf.name).toMatch(/\.pdf$/);
    const certificate = await saved(/^Certificate/);
    expect(certificate.text).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);

    await main.getByRole('button', { name: 'Get the files' }).click();
    const file = main.getByRole('link', { name: /^TEST - .+\.mp3$/ });
    await file.waitFor();
    const started = page.waitForEvent('download');
    await file.click();
    expect(await (await started).failure()).toBeNull();

    const address = page.url();
    await visit(page, address);
    await signIn(page, setup.full);
    await main.getByText(/^1 file was downloaded/).waitFor();
    await main.getByRole('link', { name: 'Quote', exact: true }).click();
    await page.getByRole('heading', { name: 'Quote for Spring spot' }).waitFor();
  });

  it('remembers the licensee, and finds quotes and licenses by status and text, at an address', async () => {
    page = await setup.open('?track=harbour-at-first-light');
    await signIn(page, setup.full);
    const buy = async (project: string) => {
      await license().getByLabel('Project').fill(project);
      await license().getByRole('button', { name: 'Get a quote' }).click();
      await license()
        .getByText(/net, valid until/)
        .waitFor();
    };
    await buy('Lighthouse');
    await license().getByLabel('Licensee').fill('Acme Video');
    await license().getByRole('combobox', { name: 'Country', exact: true }).selectOption('France');
    await license()
      .getByRole('button', { name: /^Buy for/ })
      .click();
    await page.waitForURL(/\?license=/);
    await visit(page, `${setup.server.address}/?track=harbour-at-first-light`);
    await signIn(page, setup.full);
    await buy('Second spot');
    expect(await license().getByLabel('Licensee').inputValue()).toBe('Acme Video');
    expect(
      await license().getByRole('combobox', { name: 'Country', exact: true }).inputValue(),
    ).toBe('FR');

    await page.getByRole('link', { name: 'Quotes' }).click();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search this list' }).fill('second');
    await page.waitForURL((url) => url.search === '?list=quotes&status=open&find=second');
    await page.getByText('1 quote', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Expired' }).click();
    await page.getByText('Nothing is found.').waitFor();
    await page.getByRole('link', { name: 'Licenses' }).click();
    await page.getByRole('searchbox', { name: 'Search this list' }).fill('acme');
    await page.getByRole('link', { name: /Lighthouse.*Acme Video/ }).click();
    await page.waitForURL(/\?license=/);
  });

  it('loads quotes as they are scrolled to, and says which of them a search covers', async () => {
    page = await setup.open('?track=harbour-at-first-light');
    await signIn(page, setup.full);
    await license().getByLabel('Project').fill('Many');
    const requested = page.waitForRequest((request) => request.method() === 'POST');
    await license().getByRole('button', { name: 'Get a quote' }).click();
    const request = await requested;
    const { 'idempotency-key': _, ...headers } = request.headers();
    for (let i = 0; i < 101; i++) {
      const { status } = await fetch(request.url(), {
        method: 'POST',
        headers: headers as Record<string, string>,
        body: request.postData(),
      });
      expect(status).toBe(201);
    }
    const pages: string[] = [];
    page.on('request', (one) => {
      const { pathname, searchParams } = new URL(one.url());
      if (pathname === '/v1/quotes') pages.push(searchParams.get('page')!);
    });
    await page.getByRole('link', { name: 'Quotes' }).click();
    const lines = page.getByRole('listitem').filter({ hasText: 'Many' });
    await until(async () => (await lines.count()) === 100, 'the first page');
    expect(pages).toEqual(['1']);
    await lines.last().scrollIntoViewIfNeeded();
    await until(async () => (await lines.count()) > 100, 'the second page');
    expect(pages).toEqual(['1', '2']);

    // As if there were more of them than a search reads at once.
    await page.route('**/v1/quotes?*', async (route) => {
      const first = route
        .request()
        .url()
        .replace(/\bpage=\d+/, 'page=1');
      const response = await route.fetch({ url: first });
      const { data, error } = await response.json();
      await route.fulfill({ response, json: { data: { ...data, totalRecords: 1_100 }, error } });
    });
    await page.getByRole('link', { name: 'Licenses' }).click();
    await page.getByRole('link', { name: 'Quotes' }).click();
    await page.getByRole('searchbox', { name: 'Search this list' }).fill('no such quote');
    await page.getByText('The newest 1,000 of 1,100 are searched.').waitFor();
    await page.getByText('Nothing is found.').waitFor();
    await page.getByRole('button', { name: 'Search older ones' }).click();
    await page.getByText('The newest 1,000').waitFor({ state: 'detached' });
    await page.getByText('0 quotes').waitFor();
  });

  it('says in the words of the form what is refused', async () => {
    page = await setup.open('?track=harbour-at-first-light');
    await signIn(page, setup.full);
    await license().getByLabel('Project').fill('Spring spot');
    await license().getByRole('button', { name: 'Remove Whole world' }).click();
    await license().getByLabel('Online').uncheck();
    await license().getByRole('button', { name: 'Get a quote' }).click();
    const alert = license().getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/^Media: .*\nCountries: /);
    expect(await alert.innerText()).not.toContain('territories');
  });

  it('quotes the cart and a collection', async () => {
    page = await setup.open('?track=harbour-at-first-light');
    await signIn(page, setup.full);
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Into the cart' }).click();
    await page.getByRole('link', { name: 'Glass Elevator' }).first().click();
    await panel.getByRole('button', { name: 'Into the cart' }).click();
    // The browser keeps it.
    await visit(page, page.url());
    await signIn(page, setup.full);
    await page.getByRole('button', { name: 'Cart, 2 tracks' }).click();
    await panel.getByRole('link', { name: 'Glass Elevator' }).waitFor();
    await license().getByLabel('Project').fill('Two tracks');
    await license().getByRole('button', { name: 'Get a quote' }).click();
    await license()
      .getByText(/net, valid until/)
      .waitFor();
    expect(await license().getByRole('definition').count()).toBe(2);
  });

  it('shows nothing of it without the scope, as for a listener', async () => {
    page = await setup.open('?track=slow-current&panel=cart');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    // The token of a listener's seat has all scopes of the client but this one.
    await page.route('**/v1/auth/token', (route) => {
      const scope = ALL_SCOPES.filter((one) => one !== 'licensing').join(' ');
      const postData = { ...route.request().postDataJSON(), scope };
      return route.continue({ postData });
    });
    await signIn(page, setup.full);
    await page.getByRole('complementary').getByText('Slug').waitFor();
    for (const name of [/Quotes/, /Licenses/]) {
      expect(await page.getByRole('link', { name }).count()).toBe(0);
    }
    expect(await page.getByRole('button', { name: /[Cc]art/ }).count()).toBe(0);
    expect(await license().count()).toBe(0);
    expect(requested.filter((path) => /rate-card|quotes|licenses/.test(path))).toEqual([]);
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: buying in the explorer, because this machine has no Chromium');
}
