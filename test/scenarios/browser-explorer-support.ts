import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { launchBrowser } from '../harness/browser.ts';
import { startDemoServer } from '../harness/shared-demo.ts';
import type { TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';

/** The credentials of a client. */
export interface Credentials {
  clientId: string;
  testSecret: string;
}

/** A Stave with the demo catalog, and Chromium. */
export interface ExplorerSetup {
  server: TestServer;
  browser: Browser;
  /** Without contract features. */
  plain: Credentials;
  /** With all of them. */
  full: Credentials;
  /** Opens a page that is at `/` with this query. What is forbidden is recorded in `faults`. */
  open(query?: string, options?: BrowserContextOptions): Promise<Page>;
  /**
   * Errors of pages: exceptions, violations of the policy, requests to other origins, and what is stored. The responses
   * 401, 403, 404, 409 and 412 that a test provokes are no faults, nor is 503 on a busy machine.
   */
  faults: string[];
  close(): Promise<void>;
}

export async function startExplorer(): Promise<ExplorerSetup> {
  const { server, demo } = await startDemoServer();
  const { contractClient, ...plain } = demo;
  return { server, plain, full: contractClient, ...(await browse(server)) };
}

/** Starts Chromium for the explorer of a server. The pages may also request these other origins. */
export async function browse(
  server: TestServer,
  ...origins: string[]
): Promise<Pick<ExplorerSetup, 'browser' | 'open' | 'faults' | 'close'>> {
  const browser = await launchBrowser('--autoplay-policy=no-user-gesture-required');
  const faults: string[] = [];
  const allowed = [server.address, ...origins];
  return {
    browser,
    faults,
    async open(query = '', options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        ...options,
      });
      const page = await context.newPage();
      // A busy machine is slow, and a test that waits for what never comes says so before it is ended.
      page.setDefaultTimeout(90_000);
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        const isProvoked = /the server responded with a status of (?:40[1349]|412|503)/.test(
          message.text(),
        );
        if (message.type() === 'error' && !isProvoked) faults.push(message.text());
      });
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (!allowed.includes(origin) && protocol !== 'blob:') faults.push(request.url());
      });
      await visit(page, `${server.address}/${query}`);
      return page;
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Opens an address. On a busy machine, the page or its script may get 503: it is then loaded again. */
export async function visit(page: Page, address: string): Promise<void> {
  await until(async () => {
    await page.goto(address);
    const form = page.locator('main button').first();
    return form.waitFor({ timeout: 20_000 }).then(
      () => true,
      () => false,
    );
  }, 'the page');
}

/** Types the credentials, and waits for the list. */
export async function signIn(page: Page, credentials: Credentials): Promise<void> {
  await submit(page, credentials);
  await page.getByRole('banner').waitFor();
}

/** Types the credentials, and sends them. */
export async function submit(page: Page, { clientId, testSecret }: Credentials): Promise<void> {
  // In any language.
  await page.locator('[name=client-id]').fill(clientId);
  await page.locator('[name=client-secret]').fill(testSecret);
  await page.locator('.sign-in button').click();
}

/** Opens a panel of the developer menu, which is in the navigation: on narrow screens behind a button. */
export async function openDeveloper(page: Page, name: string | RegExp): Promise<void> {
  const lists = page.getByRole('button', { name: 'Lists and filters' });
  if (await lists.isVisible()) await lists.click();
  const menu = page.getByRole('button', { name: 'Developer' });
  if ((await menu.getAttribute('aria-expanded')) === 'false') await menu.click();
  await page.locator('.developer').getByRole('button', { name, exact: true }).click();
}

/** Presses Tab, or another key, until a control has the focus. Rejects if something covers what has it on the way. */
export async function moveFocusTo(control: Locator, key = 'Tab'): Promise<void> {
  await control.waitFor();
  const page = control.page();
  for (let presses = 0; presses < 100; presses++) {
    await page.keyboard.press(key);
    const covered = await coveredFocus(page);
    if (covered !== undefined) throw new Error(`The focus is covered: ${covered}`);
    if ((await control.and(page.locator(':focus')).count()) > 0) return;
  }
  throw new Error(`${key} does not lead to ${control}`);
}

/** The element that has the focus, if all of it is covered (WCAG 2.4.11). */
function coveredFocus(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: runs in the page
    const { document } = globalThis as any;
    const element = document.activeElement;
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const points = [left + 3, (left + right) / 2, right - 3].flatMap((x) =>
      [top + 3, (top + bottom) / 2, bottom - 3].map((y) => [x, y]),
    );
    const isVisible = points.some(([x, y]) => element.contains(document.elementFromPoint(x, y)));
    return isVisible ? undefined : element.outerHTML;
  });
}

/** The number of tracks that the page shows. */
export async function totalOf(page: Page): Promise<number> {
  const text = await page.locator('.result .total').filter({ hasText: /\d/ }).innerText();
  return Number(text.replace(/\D/g, ''));
}

/** What the audio element does, seen by its properties. */
export function audioOf(page: Page) {
  return page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: runs in the page
    const audio = (globalThis as any).document.querySelector('audio');
    return {
      position: audio.currentTime as number,
      duration: audio.duration as number,
      isPaused: audio.paused as boolean,
      path: new URL(audio.currentSrc || 'http://none/').pathname,
    };
  });
}
