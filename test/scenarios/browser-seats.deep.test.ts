import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSeat, type NewLink } from '../../src/features/access/seats.ts';
import { hasBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import { type ExplorerSetup, startExplorer } from './browser-explorer-support.ts';

let setup: ExplorerSetup;
let count = 0;

async function newLink(): Promise<NewLink & { id: string }> {
  const seat = { name: `Ana ${++count}`, role: 'buyer', mode: 'test' } as const;
  const made = await createSeat(setup.server.operator, setup.full.clientId, seat);
  return { ...made.link, id: made.seat.id };
}

const pathOf = ({ url }: NewLink) => `sign-in${new URL(url).hash}`;
const signInButton = (page: Page) => page.getByRole('button', { name: /^Sign in as Ana \d+ at / });
const isSignedIn = (page: Page) => page.getByRole('row').first().waitFor();
const fields = (page: Page) => page.getByLabel('Client id');

async function findings(page: Page): Promise<unknown[]> {
  await page.evaluate(axe.source);
  return (await page.evaluate('axe.run().then(({ violations }) => violations)')) as unknown[];
}

describe.runIf(hasBrowser)('signing in to the explorer (skipped without Chromium)', () => {
  beforeAll(async () => {
    setup = await startExplorer();
  });
  afterAll(() => setup?.close());

  it('by a link takes one click, stays after a reload, and ends by signing out', async () => {
    const link = await newLink();
    const page = await setup.open(pathOf(link));
    await signInButton(page).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.reload();
    await signInButton(page).click();
    await isSignedIn(page);
    expect(page.url()).toBe(`${setup.server.address}/`);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({
      ...{ name: '__Host-stave', secure: true, httpOnly: true, sameSite: 'Lax', path: '/' },
    });
    await page.reload();
    await isSignedIn(page);
    await page.getByRole('button', { name: /^Sign out Ana/ }).click();
    await fields(page).waitFor();
    await until(async () => (await page.context().cookies()).length === 0);
    await page.reload();
    await fields(page).waitFor();
    expect(setup.faults).toEqual([]);
    await page.context().close();
  });

  it('is not possible with a link that was opened before and used since', async () => {
    const link = await newLink();
    const [first, second] = [await setup.open(pathOf(link)), await setup.open(pathOf(link))];
    for (const page of [first, second]) await signInButton(page).waitFor();
    await signInButton(first).click();
    await isSignedIn(first);
    await signInButton(second).click();
    await second.getByText('This link does not work, or no longer').waitFor();
    const unknown = await (await setup.browser.newContext()).newPage();
    await unknown.goto(`${setup.server.address}/sign-in#${'0'.repeat(22)}`);
    await unknown.getByText('This link does not work, or no longer').waitFor();
    for (const page of [second, unknown]) {
      expect(page.url()).toBe(`${setup.server.address}/sign-in`);
    }
    expect(await unknown.locator('main').innerText()).toBe(
      await second.locator('main').innerText(),
    );
    expect(await findings(unknown)).toEqual([]);
    for (const page of [first, second, unknown]) await page.context().close();
  });

  it('with an id and a secret stays after a reload, if it is kept', async () => {
    const page = await setup.open();
    await fields(page).fill(setup.full.clientId);
    await page.getByLabel('Client secret').fill(setup.full.testSecret);
    await page.getByLabel('Keep me signed in').check();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await isSignedIn(page);
    await page.reload();
    await isSignedIn(page);
    await page.context().close();
  });

  it('ends in the open page when the operator ends the session', async () => {
    const link = await newLink();
    const page = await setup.open(pathOf(link));
    await signInButton(page).click();
    await isSignedIn(page);
    await setup.server.operator.store.seats.endSessions(link.id, 'test');
    await until(async () => {
      await page
        .getByRole('combobox', { name: /^Search/ })
        .fill(`a${++count}`, { timeout: 2_000 })
        .catch(() => {});
      return fields(page).isVisible();
    });
    await page.getByText('The session has ended. Sign in again.').waitFor();
    await page.context().close();
  });

  it('says over plain HTTP to another host that HTTPS is needed, and uses nothing up', async () => {
    const link = await newLink();
    const context = await setup.browser.newContext();
    const page = await context.newPage();
    // Any name but those of loopback.
    await page.route('http://stave.example/**', async (route) => {
      const { pathname } = new URL(route.request().url());
      const response = await fetch(`${setup.server.address}${pathname}`);
      const type = response.headers.get('content-type')!;
      await route.fulfill({ body: await response.text(), contentType: type });
    });
    await page.goto(`http://stave.example/${pathOf(link)}`);
    await page.getByText('HTTPS is needed to sign in').waitFor();
    expect((await setup.server.operator.store.seats.record(link.id)).linkExpiresAt).not.toBeNull();
    await context.close();
  });
});
