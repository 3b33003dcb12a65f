import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import { type ExplorerSetup, startExplorer } from './browser-explorer-support.ts';

const NOTE = 'for the opening <img src=x onerror="document.title=1">';

describe.skipIf(!hasBrowser)('the page of a link to a collection', () => {
  let setup: ExplorerSetup;
  let token: string;
  beforeAll(async () => {
    setup = await startExplorer();
    const { clientId: client_id, testSecret: client_secret } = setup.full;
    const body = { grant_type: 'client_credentials', client_id, client_secret };
    token = (await setup.server.call('createToken', { body })).data.access_token;
  });
  afterAll(() => setup?.close());

  /** Makes a link to a new collection of two tracks. */
  async function newLink(body: object = {}) {
    const { server } = setup;
    const { data: found } = await server.call('listTracks', { token, query: { pageSize: 3 } });
    const [one, other] = found.items;
    const { data: collection } = await server.call('createCollection', {
      token,
      body: { name: 'Spring campaign', description: 'Two ideas', tracks: [one.id, other.id] },
    });
    const params = { id: collection.id as string };
    await server.call('updateCollectionItem', {
      ...{ token, body: { note: NOTE }, headers: { 'If-Match': '*' } },
      params: { ...params, trackId: one.id },
    });
    const { data: link } = await server.call('createCollectionLink', { token, params, body });
    const ofLink = { ...params, linkId: link.id as string };
    return {
      url: link.url as string,
      names: [one.name, other.name] as string[],
      read: async () => (await server.call('showCollectionLink', { token, params: ofLink })).data,
      end: () =>
        server.call('deleteCollectionLink', {
          ...{ token, params: ofLink, headers: { 'If-Match': '*' } },
        }),
    };
  }

  /** Opens a page. Everything that it must not do is recorded. */
  async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await setup.browser.newContext(options);
    const page = await context.newPage();
    page.on('pageerror', (error) => setup.faults.push(error.message));
    page.on('console', (message) => {
      const isProvoked = /status of (?:40[134]|503)/.test(message.text());
      if (message.type() === 'error' && !isProvoked) setup.faults.push(message.text());
    });
    await page.goto(url);
    return page;
  }

  const violations = async (page: Page): Promise<string[]> => {
    await page.evaluate(axe.source);
    const { violations: found } = (await page.evaluate(
      `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
    )) as axe.AxeResults;
    return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  };

  it('plays, takes votes and comments under a name that is asked for once, and shows texts as texts', async () => {
    const link = await newLink();
    const page = await open(link.url);
    await page.getByRole('heading', { name: 'Spring campaign' }).waitFor();
    expect(await page.getByText(NOTE).isVisible()).toBe(true);

    await page.getByRole('button', { name: `Play ${link.names[0]}` }).click();
    await until(() => page.evaluate<boolean>(`document.querySelector('audio').currentTime > 0.2`));
    await page.keyboard.press('n');
    await page.getByRole('button', { name: `Pause ${link.names[1]}` }).waitFor();

    const approve = page.getByRole('button', { name: `Approve 0, ${link.names[0]}` });
    await approve.click();
    await page.getByLabel('Everybody with this link').fill('Ana');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page
      .getByRole('button', { name: `Approve 1, ${link.names[0]}`, pressed: true })
      .waitFor();
    await page.getByRole('button', { name: `Comments 0, ${link.names[0]}` }).click();
    await page.getByLabel(`Your comment on ${link.names[0]}`).fill('<b>Could</b> work');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('<b>Could</b> work').waitFor();

    // The guest is the same after the page was loaded again, and may take the vote back by a key.
    await page.reload();
    await page.getByText('<b>Could</b> work').waitFor();
    await page.locator('.row').first().focus();
    await page.keyboard.press('a');
    await page
      .getByRole('button', { name: `Approve 0, ${link.names[0]}`, pressed: false })
      .waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(await link.read()).toMatchObject({ opens: 2, plays: 2 });
    await page.context().close();
    expect(setup.faults).toEqual([]);
  });

  it('asks for a password, and keeps it open in this browser', async () => {
    const { url } = await newLink({ password: 'spring 2027' });
    const page = await open(url);
    const field = page.getByLabel('Password');
    await field.fill('summer 2027');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('The password is wrong.').waitFor();
    expect(await violations(page)).toEqual([]);
    await field.fill('spring 2027');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'Spring campaign' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Spring campaign' }).waitFor();
    await page.context().close();
    expect(setup.faults).toEqual([]);
  });

  it('says that a link has ended', async () => {
    const link = await newLink();
    await link.end();
    const page = await open(link.url);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });

  it.each([360, 900, 1440])('axe finds nothing at %i pixels, in light and dark', async (width) => {
    const { url, names } = await newLink({ streams: 'preview' });
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(url, { viewport: { width, height: 800 }, colorScheme });
      await page.getByRole('button', { name: `Play ${names[0]}` }).click();
      await page.getByRole('region', { name: 'Player' }).waitFor();
      await page.getByRole('button', { name: `Comments 0, ${names[0]}` }).click();
      expect(await violations(page)).toEqual([]);
      const overflow = 'document.documentElement.scrollWidth > innerWidth';
      expect(await page.evaluate(overflow)).toBe(false);
      const shots = process.env.SHOTS;
      if (shots) await page.screenshot({ path: `${shots}/${width}-${colorScheme}.png` });
      await page.keyboard.press('Escape');
      await page.locator('.row').first().focus();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Help' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.context().close();
    }
  });
});
