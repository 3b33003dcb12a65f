import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import {
  type ExplorerSetup,
  openDeveloper,
  signIn,
  startExplorer,
  submit,
  totalOf,
  visit,
} from './browser-explorer-support.ts';

describe.runIf(hasBrowser)('the explorer (skipped without Chromium)', () => {
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

  // biome-ignore lint/suspicious/noExplicitAny: JSON of which the tests read any member
  const json = (response: Response): Promise<any> => response.json() as Promise<any>;

  const api = async (path: string) => {
    const { clientId, testSecret } = setup.full;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: testSecret,
    });
    const granted = await fetch(`${setup.server.address}/v1/auth/token`, { method: 'POST', body });
    const { access_token: token } = (await json(granted)).data;
    const response = await fetch(setup.server.address + path, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return { token, data: (await json(response)).data };
  };

  it('says what to do about wrong credentials, and then shows what the address names', async () => {
    page = await setup.open('?search=night&type=music');
    await submit(page, { ...setup.full, testSecret: 'stave_test_wrong' });
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/Check both values[\s\S]*Request id [0-9a-f-]{36}/);

    await signIn(page, setup.full);
    const { data } = await api('/v1/tracks?search=night&type=music&in=name,artists,tags');
    expect(data.totalRecords).toBeGreaterThan(0);
    await page.getByRole('row').first().waitFor();
    expect(await totalOf(page)).toBe(data.totalRecords);
    expect(await page.title()).toContain('night');
  });

  it('gets its style sheet and its script from a busy service', async () => {
    page = await setup.open();
    let refused = 0;
    await page.route('**/assets/*.css', (route) =>
      refused++ === 0 ? route.fulfill({ status: 503 }) : route.continue(),
    );
    await visit(page, page.url());
    // The browser's own style has a margin.
    const margin = await page.evaluate(
      // biome-ignore lint/suspicious/noExplicitAny: runs in the page
      () => (globalThis as any).getComputedStyle((globalThis as any).document.body).margin,
    );
    expect(margin).toBe('0px');
    expect(refused).toBeGreaterThanOrEqual(2);

    await page.route('**/assets/*.js', (route) => route.fulfill({ status: 503 }));
    await until(async () => {
      // The page itself may be refused, too.
      await page.reload();
      const told = page.getByText('the service is busy or cannot be reached: load the page again');
      return told.waitFor({ timeout: 20_000 }).then(
        () => true,
        () => false,
      );
    }, 'what to do');
  });

  it('keeps the credentials and the token in memory only', async () => {
    page = await setup.open('?track=harbour-at-first-light');
    await signIn(page, setup.full);
    await page.getByRole('complementary').getByText('Harbour at First Light').waitFor();
    const kept = await page.evaluate(async () => {
      const { localStorage, sessionStorage, document, indexedDB, caches, location } =
        // biome-ignore lint/suspicious/noExplicitAny: runs in the page
        globalThis as any;
      return [
        localStorage.length,
        sessionStorage.length,
        document.cookie,
        (await indexedDB.databases()).length,
        caches === undefined ? 0 : (await caches.keys()).length,
        location.search,
      ];
    });
    expect(kept).toEqual([0, 0, '', 0, 0, '?track=harbour-at-first-light']);
    // Goes to the same address, which loads the page anew, again if a busy node has answered 503.
    await visit(page, page.url());
  });

  it('searches while you type, suggests, and counts what a filter would leave', async () => {
    page = await setup.open();
    await signIn(page, setup.full);
    await page.getByRole('combobox', { name: /^Search/ }).pressSequentially('nig');
    await page.getByRole('option').first().waitFor();
    await until(() => new URL(page.url()).search === '?search=nig', 'the address');
    await page.keyboard.press('Escape');

    const chip = page.getByRole('group', { name: 'Mood' }).getByRole('button').first();
    await until(async () => (await totalOf(page)) < 36, 'the search');
    const count = Number((await chip.locator('.count').innerText()).replace(/\D/g, ''));
    await chip.click();
    await until(async () => (await totalOf(page)) === count, 'the filtered search');
    expect(page.url()).toMatch(/anyFilterSlugs=[\w-]+/);
    const address = page.url();

    // The twentieth stop above 40 BPM.
    await page.getByLabel('Lowest tempo').fill('20');
    await until(() => /bpmMin=60$/.test(page.url()), 'the address');
    await page.getByLabel('Order').selectOption('bpm');
    await until(() => /bpmMin=60&sort=bpm$/.test(page.url()), 'the address');
    await page.goBack();
    await page.goBack();
    expect(page.url()).toBe(address);
    await until(async () => (await totalOf(page)) === count, 'the search before');
    await page.getByRole('button', { name: 'Clear all' }).click();
    await until(() => new URL(page.url()).search === '?search=nig', 'the address');
  });

  it('shows the request log, and a curl command that gets what is on the page', async () => {
    page = await setup.open('?search=light&filterSlugs=calm&panel=code');
    await signIn(page, setup.full);
    const command = await page.getByRole('region', { name: 'curl' }).locator('code').innerText();
    expect(await page.locator('body').innerText()).not.toContain(setup.full.testSecret);
    const { token } = await api('/v1/me');
    const ran = await promisify(execFile)('sh', ['-c', command], {
      env: { PATH: process.env.PATH, STAVE_TOKEN: token },
    });
    expect(JSON.parse(ran.stdout).data.totalRecords).toBe(await totalOf(page));

    await openDeveloper(page, /^Request log/);
    const log = page.getByRole('complementary', { name: 'Request log' });
    const entry = log.getByRole('listitem').filter({ hasText: 'listTracks' });
    expect(await entry.innerText()).toMatch(
      /200\s+GET \/v1\/tracks\?\S*search=light[\s\S]*\d+ ms · \d+ left[\s\S]*Request id [0-9a-f-]{36}/,
    );
    expect(await log.innerText()).not.toContain(setup.full.testSecret);
  });

  it('shows playlists, collections and similar tracks, and requests a quote', async () => {
    page = await setup.open('?list=playlists');
    await signIn(page, setup.full);
    await page.getByRole('link', { name: /Night Drive/ }).click();
    await page.getByRole('row').first().waitFor();
    expect(page.url()).toContain('?playlist=night-drive');

    await page.getByRole('link', { name: 'Collections' }).click();
    await page.getByLabel('Name of a new collection').fill('Shortlist');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('There are no tracks here.').waitFor();
    const collection = page.url();

    await visit(page, `${setup.server.address}/?track=harbour-at-first-light`);
    await signIn(page, setup.full);
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Add' }).click();
    await panel.getByText('Added.').waitFor();
    await panel.getByLabel('Project').fill('Spring spot');
    await panel.getByRole('button', { name: 'Get a quote' }).click();
    await panel.getByText(/net, valid until/).waitFor();
    await panel.getByRole('link', { name: 'Similar' }).click();
    await page.getByText('% similar').first().waitFor();

    await visit(page, collection);
    await signIn(page, setup.full);
    await page.getByRole('row', { name: /Harbour at First Light/ }).waitFor();
  });

  it('hides what the client has no right to', async () => {
    page = await setup.open('?track=slow-current');
    await signIn(page, setup.plain);
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Play' }).waitFor();
    for (const name of ['Collections', 'Quotes', 'Similar']) {
      expect(await page.getByRole('link', { name }).count()).toBe(0);
    }
    await visit(page, `${setup.server.address}/?track=no-such-track`);
    await signIn(page, setup.plain);
    expect(await page.getByRole('alert').innerText()).toMatch(/Request id [0-9a-f-]{36}/);
  });

  it('requests nothing else for an address that names no track', async () => {
    page = await setup.open('?track=snapshot');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await signIn(page, setup.full);
    await page.getByRole('row').first().waitFor();
    const alert = page.getByRole('alert');
    expect(await alert.innerText()).toMatch(/slug must not be "snapshot".+Go back to the catalog/s);
    expect(requested).not.toContain('/v1/tracks/snapshot');

    await visit(page, `${setup.server.address}/?playlist=..%2Fme&track=a%20b`);
    await signIn(page, setup.full);
    await page.getByRole('row').first().waitFor();
    expect(await alert.innerText()).toContain('not slugs or ids: playlist, track.');
    await page.getByRole('link', { name: 'Catalog', exact: true }).click();
    await alert.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: the explorer, because this machine has no Chromium');
}
