import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import { NOTE, startShared, violations } from './browser-shared-support.ts';

describe.skipIf(!hasBrowser)('the page of a link to a collection', () => {
  let setup: Awaited<ReturnType<typeof startShared>>;
  const newLink = (body?: object) => setup.newLink(body);
  const open: typeof setup.open = (...given) => setup.open(...given);
  beforeAll(async () => {
    setup = await startShared();
  });
  afterAll(() => setup?.close());

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
    const away = { name: `Approve 0, ${link.names[0]}`, pressed: false };
    await page.getByRole('button', away).waitFor();
    await page.getByText(`Vote removed: ${link.names[0]}`).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`Approved: ${link.names[0]}`).waitFor();
    await page.getByRole('button', { name: 'Change your name: Ana' }).click();
    await page.getByLabel('Everybody with this link').fill('Ana\u202e B.');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Change your name: Ana B.' }).waitFor();
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
