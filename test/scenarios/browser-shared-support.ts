import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type ExplorerSetup, startExplorer } from './browser-explorer-support.ts';

/** A note of which a page must not make an element. */
export const NOTE = 'for the opening <img src=x onerror="document.title=1">';

/** A Stave with the demo catalog, and Chromium, for the page of links to collections. */
export async function startShared() {
  const setup: ExplorerSetup = await startExplorer();
  const { server, browser, faults } = setup;
  const { clientId: client_id, testSecret: client_secret } = setup.full;
  const body = { grant_type: 'client_credentials', client_id, client_secret };
  const token = (await server.call('createToken', { body })).data.access_token as string;

  return {
    ...{ server, faults, close: setup.close },

    /** Makes a link to a new collection of two tracks. */
    async newLink(given: object = {}) {
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
      const made = await server.call('createCollectionLink', { token, params, body: given });
      const { id: linkId, url } = made.data;
      const ofLink = { ...params, linkId: linkId as string };
      const edit = { token, params: ofLink, headers: { 'If-Match': '*' } };
      return {
        url: url as string,
        names: [one.name, other.name] as string[],
        read: async () => (await server.call('showCollectionLink', { token, params: ofLink })).data,
        change: (change: object) => server.call('updateCollectionLink', { ...edit, body: change }),
        end: () => server.call('deleteCollectionLink', edit),
      };
    },

    /** Opens a page. Everything that it must not do is recorded. */
    async open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      page.setDefaultTimeout(90_000);
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        const isProvoked = /status of (?:40[1349]|429|503)|ERR_INTERNET_DISCONNECTED/.test(
          message.text(),
        );
        if (message.type() === 'error' && !isProvoked) faults.push(message.text());
      });
      await page.goto(url);
      return page;
    },
  };
}

export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations: found } = (await page.evaluate(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )) as axe.AxeResults;
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
