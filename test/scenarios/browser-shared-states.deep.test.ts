import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import { startShared, violations } from './browser-shared-support.ts';

describe.skipIf(!hasBrowser)('what the page of a link says', () => {
  let setup: Awaited<ReturnType<typeof startShared>>;
  beforeAll(async () => {
    setup = await startShared();
  });
  afterAll(() => setup?.close());

  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
  const close = async (page: Page) => {
    await page.context().close();
    expect(setup.faults).toEqual([]);
  };

  it.each([
    ['en-GB', '2 tracks', 'Approve 0'],
    ['de-CH', '2 Titel', 'Dafür 0'],
    ['fr-FR', '2 titres', 'Retenir 0'],
    ['es-MX', '2 pistas', 'Aprobar 0'],
    ['pt-BR', '2 tracks', 'Approve 0'],
  ])(
    'is in the language of a browser in %s, of which alone the texts are loaded',
    async (locale, count, vote) => {
      const { url, names } = await setup.newLink();
      const page = await setup.open(url, { locale });
      await page.getByText(count).waitFor();
      await page.getByRole('button', { name: `${vote}, ${names[0]}` }).waitFor();
      const language = ['de', 'fr', 'es'].find((one) => locale.startsWith(one));
      expect(await page.locator('html').getAttribute('lang')).toBe(language ?? 'en');
      const loaded = await page.evaluate<string[]>(
        `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /shared-(de|fr|es|en)-/.test(name))`,
      );
      expect(loaded.map((name) => /shared-(..)-/.exec(name)![1])).toEqual(
        language ? [language] : [],
      );
      await close(page);
    },
  );

  it('of a link that has ended, before it is opened and while it plays', async () => {
    const link = await setup.newLink();
    const page = await setup.open(link.url);
    await page.getByRole('button', { name: `Play ${link.names[0]}` }).click();
    await page.getByRole('button', { name: `Pause ${link.names[0]}` }).waitFor();
    await link.end();
    // What the browser has not got yet cannot be heard.
    await page.getByRole('button', { name: 'Next track' }).click();
    await heading(page, 'There is nothing here');
    expect(await page.getByRole('region', { name: 'Player' }).count()).toBe(0);
    expect(await page.evaluate<boolean>(`document.querySelector('audio').paused`)).toBe(true);
    const [ended, unknown] = [await setup.open(link.url), await setup.open(`${link.url}x`)];
    for (const one of [ended, unknown]) await heading(one, 'There is nothing here');
    expect(await ended.locator('body').innerText()).toBe(await unknown.locator('body').innerText());
    expect(await violations(ended)).toEqual([]);
    for (const one of [page, ended, unknown]) await close(one);
  });

  it('of too many requests, and opens later', async () => {
    const { url } = await setup.newLink();
    const api = url.replace('/s/', '/v1/shared/');
    await until(async () => (await fetch(api)).status === 429);
    const page = await setup.open(url, { locale: 'de' });
    await heading(page, 'Zu viele Anfragen');
    await page.getByText(/Er öffnet sich von selbst in \d+ Sekunden?\./).waitFor();
    expect(await violations(page)).toEqual([]);
    setup.server.clock.advance(61);
    await page.getByRole('button', { name: 'Noch einmal versuchen' }).click();
    await heading(page, 'Spring campaign');
    await close(page);
  });

  it('of too many wrong passwords, and of a password over plain HTTP', async () => {
    const { url } = await setup.newLink({ password: 'spring 2027' });
    const page = await setup.open(url);
    const field = page.getByLabel('Password');
    await until(async () => {
      await field.fill('summer 2027');
      const sent = page.waitForResponse(/\/unlock$/);
      await page.getByRole('button', { name: 'Open' }).click();
      return (await sent).status() === 429;
    });
    await page.getByText(/Too many wrong passwords\. Try again in \d+ seconds?\./).waitFor();
    await page.route('http://stave.example/**', async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const response = await fetch(setup.server.address + pathname + search);
      const contentType = response.headers.get('content-type')!;
      const body = Buffer.from(await response.arrayBuffer());
      await route.fulfill({ status: response.status, body, contentType });
    });
    await page.goto(url.replace(setup.server.address, 'http://stave.example'));
    await heading(page, 'HTTPS is needed');
    expect(await page.getByLabel('Password').count()).toBe(0);
    await close(page);
  });

  it('of a vote that is not saved: it is taken back, and sent again by a click', async () => {
    const { url, names } = await setup.newLink();
    const page = await setup.open(url);
    const button = (n: number, pressed: boolean) =>
      page.getByRole('button', { name: `Approve ${n}, ${names[0]}`, pressed });
    await button(0, false).waitFor();
    await page.context().setOffline(true);
    await button(0, false).click();
    await page.getByLabel('Everybody with this link').fill('Bo');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Not saved: there is no connection').waitFor();
    await button(0, false).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await button(1, true).waitFor();
    // The most guests that a link has: 1,000 take too long.
    const body = { code: 409, error: { type: 'conflict', message: '' } };
    await page.route(/\/votes\//, (route) => route.fulfill({ status: 409, json: body }));
    await button(1, true).click();
    await page.getByText('as many guests as it can have').waitFor();
    await button(1, true).waitFor();
    await close(page);
  });

  it('of comments that were switched off, and of a password that was set, while the page was open', async () => {
    const link = await setup.newLink();
    const page = await setup.open(link.url);
    await page.getByRole('button', { name: `Comments 0, ${link.names[0]}` }).click();
    const field = page.getByLabel(`Your comment on ${link.names[0]}`);
    await field.fill('Could\u202e work');
    await link.change({ comments: false });
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByLabel('Everybody with this link').fill('Bo');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('comments are switched off now').waitFor();
    expect(await field.count()).toBe(0);
    await link.change({ password: 'spring 2027' });
    await page.getByRole('button', { name: `Pass 0, ${link.names[0]}` }).click();
    await heading(page, 'This collection has a password');
    await page.getByLabel('Password').fill('spring 2027');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('button', { name: `Pass 0, ${link.names[0]}`, pressed: false }).waitFor();
    expect(await page.locator('.row').count()).toBe(2);
    await close(page);
  });
});
