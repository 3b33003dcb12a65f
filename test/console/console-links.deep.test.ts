import { writeFile } from 'node:fs/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { someTracks, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { PASSWORD, serveConsole } from './console-client.ts';

const folder = temporaryFolder();
const data = folder.at('data');
let running: Awaited<ReturnType<typeof serveConsole>>;
let browser: Browser;

const run = (...args: string[]) => staveJson(data, args);

beforeAll(async () => {
  if (!hasBrowser) return;
  await writeFile(folder.at('tracks.ndjson'), someTracks(3));
  await stave(data, ['import', folder.at('tracks.ndjson'), '--source', 'label-a']);
  await run('clients', 'create', '-n', 'Acme', '-s', 'tracks');
  running = await serveConsole({ ...folder, path: data });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await running?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function opened(options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  return { page: await context.newPage(), [Symbol.asyncDispose]: () => context.close() };
}

async function setPassword(page: Page, password: string, again = password): Promise<void> {
  await page.fill('#password', password);
  await page.fill('#again', again);
  await page.getByRole('button', { name: 'Set the password' }).click();
}

describe.skipIf(!hasBrowser)('a link to set a password in a browser', () => {
  it('takes its token from the address, and leads to the console of a viewer', async () => {
    // The service has stored the address of its console, which the command does not know.
    const { link } = await run('operators', 'add', 'vera', '--role', 'viewer');
    await using tab = await opened();
    const { page } = tab;
    await page.goto(link);
    expect(page.url()).toBe(`${running.client.url}/set-password`);
    expect(await page.locator('#token').isVisible()).toBe(false);
    await setPassword(page, PASSWORD, 'another');
    expect(await page.getByRole('alert').textContent()).toBe('The two passwords differ');
    expect(await page.locator('#token').isVisible()).toBe(false);
    await setPassword(page, PASSWORD);
    expect(await page.getByRole('status').textContent()).toContain('Your password is set.');
    await page.fill('#name', 'Vera');
    await page.fill('#password', PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${running.client.url}/`);
    expect(await page.locator('.side .signed-in p').first().textContent()).toBe('vera viewer');
    expect(await page.locator('.side nav a').allTextContents()).not.toContain('Operators');

    // The terms of a client can be read, but not changed.
    await page.getByRole('link', { name: 'Clients', exact: true }).click();
    expect(await page.getByRole('link', { name: 'New client' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Acme' }).click();
    expect(await page.locator('input[name="name"]').inputValue()).toBe('Acme');
    expect(await page.locator('input[name="name"]').isEditable()).toBe(false);
    const buttons = await page.locator('main button:visible').allTextContents();
    expect(buttons.filter((name) => !/Copy|Show/.test(name))).toEqual([]);
    await page.goto(`${running.client.url}/keys`);
    expect(await page.locator('main').textContent()).toContain('Your role is viewer');
    await page.getByRole('button', { name: 'Log out' }).first().click();
    await page.waitForURL(`${running.client.url}/login`);

    await page.goto(link);
    await setPassword(page, PASSWORD);
    expect(await page.getByRole('alert').textContent()).toContain('This link has ended');
  });

  it('works without the script, by the end of the link', async () => {
    const { link } = await run('operators', 'add', 'otto', '--role', 'operator');
    await using tab = await opened({ javaScriptEnabled: false });
    const { page } = tab;
    await page.goto(link);
    await page.fill('#token', link.split('#')[1]);
    await setPassword(page, PASSWORD);
    expect(await page.getByRole('status').textContent()).toContain('Your password is set.');
  });
});
