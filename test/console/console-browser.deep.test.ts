import { writeFile } from 'node:fs/promises';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { someTracks, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { PASSWORD, serveConsole } from './console-client.ts';

/** The most bytes of a page, and of the style, the script and the icon together. */
const PAGE_BYTES = 60_000;
const ASSET_BYTES = 24_000;

const folder = temporaryFolder();
let running: Awaited<ReturnType<typeof serveConsole>>;
let browser: Browser;
let paths: string[];

beforeAll(async () => {
  if (!hasBrowser) return;
  const data = folder.at('data');
  await writeFile(folder.at('tracks.ndjson'), someTracks(60));
  await stave(data, ['import', folder.at('tracks.ndjson'), '--source', 'label-a']);
  const client = await staveJson(data, ['clients', 'create', '-n', 'Acme', '-s', 'tracks']);
  const list = await staveJson(data, [
    'playlists',
    'create',
    '-n',
    'Set',
    '-t',
    'track-1,track-2,track-3',
  ]);
  const { id } = await staveJson(data, ['tracks', 'show', 'track-1']);
  running = await serveConsole({ ...folder, path: data });
  browser = await launchBrowser();
  paths = [
    ...['/', '/log', '/search?text=track', '/tracks?q=track', `/tracks/${id}`, '/playlists'],
    ...[`/playlists/${list.id}`, `/playlists/${list.id}?find=track`],
    ...['/imports', '/imports/new', '/clients', '/clients/new', `/clients/${client.clientId}`],
    ...[
      '/usage',
      '/webhooks',
      '/rate-cards',
      '/quotes',
      '/licenses',
      '/keys',
      '/operators',
      '/operators/console',
      '/password',
      '/backups',
      '/doctor',
      '/catalog',
      '/statements',
      `/clients/${client.clientId}/statement`,
    ],
  ];
});
afterAll(async () => {
  await browser?.close();
  await running?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Opens a page that notes what the policy of content refuses. */
async function opened(options: Parameters<Browser['newContext']>[0] = {}) {
  const context: BrowserContext = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  const { url } = running.client;
  const logIn = async () => {
    await page.goto(url);
    await page.locator('#name:focus').waitFor();
    await page.keyboard.type('console');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/`);
  };
  return { page, faults, url, logIn, [Symbol.asyncDispose]: () => context.close() };
}

/** What axe finds wrong, as `rule: element`. It runs in a world of its own, which the policy does not bind. */
async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  });
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const expression = `${axe.source}; axe.run({ runOnly: ${JSON.stringify(tags)} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`;
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    ...{ expression, contextId: executionContextId, awaitPromise: true, returnByValue: true },
  });
  if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
  await session.detach();
  return result.value;
}

describe.skipIf(!hasBrowser)('the console in a browser', () => {
  // Colors and widths are independent of each other.
  it.each([
    [1440, 'dark'],
    [360, 'light'],
  ] as const)('has accessible pages %i pixels wide, %s', async (width, colorScheme) => {
    await using tab = await opened({ viewport: { width, height: 844 }, colorScheme });
    const { page, faults, url, logIn } = tab;
    await page.goto(url);
    expect(await violations(page)).toEqual([]);
    await logIn();
    for (const path of paths) {
      await page.goto(url + path);
      expect(await violations(page), path).toEqual([]);
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(wide, `${path} is wider than the window`).toBeLessThanOrEqual(0);
    }
    expect(faults).toEqual([]);
  });

  it('takes a track down with the keyboard alone', async () => {
    await using tab = await opened();
    const { page, url, logIn, faults } = tab;
    await logIn();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    const tabTo = async (what: string) => {
      for (let i = 0; i < 60; i++) {
        const here = await page.evaluate(
          '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.name ?? document.activeElement.textContent).trim() + "|" + document.activeElement.textContent.trim()',
        );
        if (String(here).split('|').includes(what)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not reach ${what}`);
    };
    await tabTo('Tracks');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/tracks`);
    await tabTo('q');
    await page.keyboard.type('track 5');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/tracks?q=*');
    await tabTo('Track 5');
    await page.keyboard.press('Enter');
    await page.waitForURL(/tracks\/[0-9a-f-]{36}$/);
    await tabTo('reason');
    await page.keyboard.type('claim');
    await tabTo('Take down');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=is taken down.');
    const shown = await staveJson(folder.at('data'), ['tracks', 'show', 'track-5']);
    expect(shown.state).toBe('taken_down');
    expect(faults).toEqual([]);
  });

  it('moves a track of a playlist by dragging, and without the script with buttons', async () => {
    const slugs = async () => {
      const { tracks } = await staveJson(folder.at('data'), ['playlists', 'show', 'set']);
      return tracks.map(({ slug }: { slug: string }) => slug).join(' ');
    };
    {
      await using tab = await opened();
      const { page, url, logIn, faults } = tab;
      await logIn();
      await page.goto(`${url}/playlists/set`);
      await page.dragAndDrop('li[data-place="3"]', 'li[data-place="1"]', {
        sourcePosition: { x: 4, y: 4 },
        targetPosition: { x: 4, y: 2 },
      });
      await until(async () => (await slugs()) === 'track-3 track-1 track-2', 'the new order');
      expect(faults).toEqual([]);
    }
    await using tab = await opened({ javaScriptEnabled: false });
    await tab.page.goto(tab.url);
    await tab.page.fill('#name', 'console');
    await tab.page.fill('#password', PASSWORD);
    await tab.page.click('button');
    await tab.page.goto(`${tab.url}/playlists/set`);
    await tab.page.click('button[aria-label="Move Track 3 down"]');
    await until(async () => (await slugs()) === 'track-1 track-3 track-2', 'the new order');
    await tab.page.click('button[aria-label="Remove Track 3"]');
    await until(async () => (await slugs()) === 'track-1 track-2', 'the removal');
  });

  it('finds tracks for a playlist and moves them to a place, without the script', async () => {
    const data = folder.at('data');
    await staveJson(data, ['playlists', 'create', '-n', 'Long']);
    const slugs = async () => {
      const { tracks } = await staveJson(data, ['playlists', 'show', 'long']);
      return tracks.map(({ slug }: { slug: string }) => slug);
    };
    await using tab = await opened({ javaScriptEnabled: false });
    const { page, url } = tab;
    await page.goto(url);
    await page.fill('#name', 'console');
    await page.fill('#password', PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/`);
    await page.goto(`${url}/playlists/long`);
    await page.fill('main [name="find"]', 'track');
    await page.keyboard.press('Enter');
    const boxes = page.locator('input[name="tracks"]');
    await boxes.first().waitFor();
    for (const box of await boxes.all()) await box.check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.waitForSelector('text=50 tracks are added.');
    // The search stays, for further tracks.
    expect(await page.inputValue('main [name="find"]')).toBe('track');
    expect(await boxes.count()).toBe(0);
    await page.fill('main [name="find"]', 'track 57');
    await page.keyboard.press('Enter');
    await boxes.check();
    await page.fill('[name="position"][type="number"]', '2');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=The track is added.');
    const before = await slugs();
    expect([before.length, before[1]]).toEqual([51, 'track-57']);
    await page.fill('[aria-label="Place of Track 57"]', '51');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=The track has place 51 now.');
    expect((await slugs()).at(-1)).toBe('track-57');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.waitForSelector('text=Choose at least one track');
  });

  it('copies what is shown, with the clipboard of the browser and without it', async () => {
    for (const hasClipboard of [true, false]) {
      await using tab = await opened({ permissions: ['clipboard-read', 'clipboard-write'] });
      const { page, url, logIn, faults } = tab;
      await logIn();
      await page.goto(`${url}/playlists/set`);
      if (!hasClipboard) {
        await page.evaluate(
          'Object.defineProperty(navigator, "kept", { value: navigator.clipboard }); Object.defineProperty(navigator, "clipboard", { value: undefined })',
        );
      }
      await page.getByRole('button', { name: 'Copy slug' }).click();
      await page.locator('#said:text("Copied")').waitFor({ state: 'attached' });
      const text = await page.evaluate('(navigator.clipboard ?? navigator.kept).readText()');
      expect(text).toBe('set');
      expect(faults).toEqual([]);
    }
  });

  it.each([1360, 1024, 390])('shows actions and whole reasons %i pixels wide', async (width) => {
    await using tab = await opened({ viewport: { width, height: 844 } });
    const { page, url, logIn } = tab;
    await logIn();
    await page.goto(`${url}/imports`);
    const undo = page.getByRole('button', { name: 'Undo', exact: true }).first();
    const { x, y, width: wide, height } = (await undo.boundingBox())!;
    expect(x + wide).toBeLessThanOrEqual(width);
    const there = `document.elementFromPoint(${x + wide / 2}, ${y + height / 2}).textContent`;
    expect(await page.evaluate(there)).toBe('Undo');
    await page.goto(`${url}/imports/new`);
    const name = 'x'.repeat(300);
    await page.setInputFiles('input[name="file"]', {
      name: 'faulty.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(`${someTracks(1)}\n{"externalId":"1","${name}":1}`),
    });
    await page.click('button[value="check"]');
    const reason = page.locator('td:has(> .wide)').first();
    await reason.waitFor();
    const [wanted, seen] = (await page.evaluate(
      '(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector("td:has(> .wide)"))',
    )) as [number, number];
    expect(wanted).toBeLessThanOrEqual(seen);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('text=Download all (CSV)'),
    ]);
    expect(download.suggestedFilename()).toBe('rejections_of_faulty.ndjson.csv');
  });

  it('shows the progress of a job without a reload by the operator', async () => {
    await using tab = await opened();
    const { page, url, logIn, faults } = tab;
    await logIn();
    await page.goto(`${url}/imports/new`);
    await page.setInputFiles('input[name="file"]', folder.at('tracks.ndjson'));
    await page.click('button[value="check"]');
    await page.waitForSelector('text=What the import would do');
    expect(faults).toEqual([]);
  });

  it('sends a form once, and shows a refused one with the focus on the reason', async () => {
    await using tab = await opened();
    const { page, url, logIn, faults } = tab;
    await logIn();
    await page.goto(`${url}/clients/new`);
    await page.fill('input[name="name"]', 'Acme');
    await page.click('text=Create client');
    await page.locator('[role="alert"]:focus').waitFor();
    expect(await page.inputValue('input[name="name"]')).toBe('Acme');
    expect(await violations(page)).toEqual([]);
    await page.fill('input[name="name"]', 'Twice');
    await page.check('input[name="allowDuplicate"]');
    await page.dblclick('text=Create client');
    await page.waitForSelector('text=Shown once');
    const clients = await staveJson(folder.at('data'), ['clients', 'list']);
    expect(clients.filter(({ name }: { name: string }) => name === 'Twice')).toHaveLength(1);
    // The browser itself reports the status of the refused form.
    expect(faults.filter((fault) => !fault.includes('status of 409'))).toEqual([]);
  });

  it('shows what is stored and what was sent when two operators edit one client', async () => {
    const data = folder.at('data');
    const scopes = ['-s', 'tracks,search,filters'];
    const { clientId } = await staveJson(data, ['clients', 'create', '-n', 'Studio', ...scopes]);
    await using first = await opened();
    await using second = await opened();
    for (const { page, url, logIn } of [first, second]) {
      await logIn();
      await page.goto(`${url}/clients/${clientId}`);
    }
    await second.page.uncheck('input[value="search"]');
    await second.page.getByRole('button', { name: 'Save', exact: true }).click();
    await second.page.waitForSelector('text=The client is changed.');
    const { page } = first;
    await page.fill('input[name="rateLimit"]', '90');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('[role="alert"]:focus').waitFor();
    const compared = await page.locator('form table tbody').innerText();
    expect(compared.split(/\s*[\t\n]\s*/)).toEqual([
      ...['Scopes', 'tracks, filters', 'tracks, search, filters'],
      ...['Rate limit', '(empty)', '90'],
    ]);
    expect(await violations(page)).toEqual([]);
    const show = () => staveJson(data, ['clients', 'show', clientId]);
    expect(await show()).toMatchObject({ scopes: ['tracks', 'filters'], rateLimit: null });
    await page.uncheck('input[value="search"]');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForSelector('text=The client is changed.');
    expect(await show()).toMatchObject({ scopes: ['tracks', 'filters'], rateLimit: 90 });
  });

  it('asks before it disables a client', async () => {
    await using tab = await opened();
    const { page, url, logIn } = tab;
    await logIn();
    await page.goto(url + paths.find((path) => /clients\/.{30}/.test(path))!);
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.message());
      return dialog.dismiss();
    });
    await page.click('text=Disable');
    expect(asked).toEqual(['Disable Acme? Its tokens and URLs end within a second.']);
    const [client] = await staveJson(folder.at('data'), ['clients', 'list']);
    expect(client.enabled).toBe(true);
  });
});

it.skipIf(!hasBrowser)('has small pages', async () => {
  const { client } = running;
  await client.login();
  for (const path of paths)
    expect((await client.get(path)).text.length, path).toBeLessThan(PAGE_BYTES);
  const assets = ['console.css', 'console.js', 'icon.svg'];
  const sizes = await Promise.all(
    assets.map(async (name) => (await client.get(`/assets/${name}`)).text.length),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(ASSET_BYTES);
});
