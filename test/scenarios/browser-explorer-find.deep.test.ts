import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import {
  type ExplorerSetup,
  moveFocusTo,
  signIn,
  startExplorer,
  totalOf,
  visit,
} from './browser-explorer-support.ts';

describe.runIf(hasBrowser)('finding tracks in the explorer (skipped without Chromium)', () => {
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

  const group = (name: string) => page.getByRole('group', { name, exact: true });
  const chip = (of: string, name: string) =>
    group(of).getByRole('button', { name: new RegExp(`^(not |\\+ )?${name}`) });
  const countOf = async (of: string, name: string) =>
    Number((await chip(of, name).locator('.count').innerText()).replace(/\D/g, ''));
  const isSearch = (search: string) =>
    page.waitForURL((url) => decodeURIComponent(url.search) === search);
  const isTotal = (count: number) =>
    until(async () => (await totalOf(page)) === count, `${count} tracks`);
  const shown = (address: string) => visit(page, `${setup.server.address}/${address}`);

  it('offers any, all and none of the filters of a group, with the number of tracks that each brings', async () => {
    page = await setup.open();
    await signIn(page, setup.full);
    await chip('Genre', 'Jazz').click();
    await isSearch('?anyFilterSlugs=jazz');
    const [jazz, folk] = [await countOf('Genre', 'Jazz'), await countOf('Genre', 'Folk')];
    await isTotal(jazz);
    await chip('Genre', 'Folk').click();
    await isSearch('?anyFilterSlugs=jazz,folk');
    await isTotal(jazz + folk);
    expect([await countOf('Genre', 'Jazz'), await countOf('Genre', 'Folk')]).toEqual([jazz, folk]);

    await group('Mood').getByLabel('Mood: tracks have').selectOption('none of');
    const relaxed = await countOf('Mood', 'Relaxed');
    expect(relaxed).toBeGreaterThan(0);
    await chip('Mood', 'Relaxed').click();
    await isSearch('?anyFilterSlugs=jazz,folk&notFilterSlugs=relaxed');
    await isTotal(jazz + folk - relaxed);
    // No track of the result carries it, so its name comes from the list of filters.
    await page.getByRole('button', { name: 'Remove not Relaxed' }).waitFor();
    await shown(new URL(page.url()).search);
    await signIn(page, setup.full);
    await page.getByRole('button', { name: 'Remove not Relaxed' }).click();
    await isSearch('?anyFilterSlugs=jazz,folk');

    await group('Genre').getByLabel('Genre: tracks have').selectOption('all of');
    await chip('Genre', 'Folk').click();
    await isSearch('?filterSlugs=folk&anyFilterSlugs=jazz');
    await chip('Genre', 'Folk').click();
    await chip('Genre', 'Jazz').click();
    await isSearch('?filterSlugs=jazz');
    await isTotal(jazz);
  });

  it('restricts tempo and length by sliders, keys by a wheel, and vocals, with the keyboard alone', async () => {
    page = await setup.open();
    const { keyboard } = page;
    await signIn(page, setup.full);
    await page.getByRole('row').first().waitFor();
    await moveFocusTo(chip('Vocals', 'Instrumental'), 'Shift+Tab');
    const instrumental = await countOf('Vocals', 'Instrumental');
    await keyboard.press('Space');
    await isSearch('?vocals=instrumental');
    await isTotal(instrumental);
    const unknown = await countOf('Vocals', 'Not known');
    await keyboard.press('Tab');
    await keyboard.press('Space');
    await isSearch('?vocals=instrumental,unknown');
    await isTotal(instrumental + unknown);

    await moveFocusTo(page.getByLabel('Lowest tempo'));
    for (let presses = 0; presses < 20; presses++) await keyboard.press('ArrowRight');
    expect(await page.getByLabel('Lowest tempo').getAttribute('aria-valuetext')).toBe(
      'from 60 BPM',
    );
    await isSearch('?vocals=instrumental,unknown&bpmMin=60');
    await moveFocusTo(page.getByLabel('Longest length'));
    await keyboard.press('Home');
    // It stays above the shortest length.
    await isSearch('?vocals=instrumental,unknown&bpmMin=60&durationMax=0');
    for (let presses = 0; presses < 61; presses++) await keyboard.press('ArrowRight');
    await isSearch('?vocals=instrumental,unknown&bpmMin=60&durationMax=65');
    await page.getByRole('button', { name: 'Remove up to 1:05' }).waitFor();

    await page.getByRole('button', { name: 'Clear all' }).click();
    await isSearch('');
    const key = (name: string) => page.getByRole('checkbox', { name });
    await moveFocusTo(key('8B, C major'), 'Shift+Tab');
    await keyboard.press('ArrowDown');
    await keyboard.press('Space');
    await isSearch('?songKey=8A');
    await page.getByRole('row', { name: /^Basement Sunrise,/ }).waitFor();
    const minor = await totalOf(page);
    await keyboard.press('ArrowLeft');
    await keyboard.press('ArrowUp');
    await keyboard.press('Enter');
    await isSearch('?songKey=8A,7B');
    await until(async () => (await totalOf(page)) > minor, 'tracks of both keys');
    expect(await key('7B, F major').getAttribute('aria-checked')).toBe('true');
    await page.getByRole('button', { name: 'Remove A minor (8A)' }).click();
    await isSearch('?songKey=7B');
    await chipOfAudio('Without audio').click();
    await isSearch('?hasAudio=false&songKey=7B');
    await page.getByText('No tracks match.').waitFor();
  });

  const chipOfAudio = (name: string) => group('Audio').getByRole('button', { name });

  it('moves a thumb of a slider with the pointer', async () => {
    page = await setup.open();
    await signIn(page, setup.full);
    const slider = page.getByLabel('Lowest tempo');
    await slider.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await slider.boundingBox())!;
    await page.mouse.move(x + 8, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 5 });
    expect(new URL(page.url()).search).toBe('');
    await page.mouse.up();
    await page.waitForURL(/\?bpmMin=1[23]\d$/);
  });

  it('shows what was understood of a brief, of which parts can be left out', async () => {
    page = await setup.open('?search=night&sort=bpm');
    await signIn(page, setup.full);
    const { keyboard } = page;
    await page.getByRole('button', { name: 'Brief' }).click();
    await page.locator('textarea:focus').waitFor();
    await keyboard.type('calm jazz, around 120 bpm, no vocals');
    await keyboard.press('Enter');
    await isSearch('?brief=calm+jazz,+around+120+bpm,+no+vocals');
    const understood = page.getByRole('group', { name: 'Understood' });
    const part = (name: string) => understood.getByRole('button', { name, exact: true });
    await part('Leave out around 120 bpm 108 – 132 BPM').waitFor();
    const row = page.getByRole('row').first();
    await row.getByText(/jazz/).first().waitFor();
    const total = await totalOf(page);
    // It can neither be sorted nor saved.
    expect(await page.getByLabel('Order').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Save search' }).count()).toBe(0);

    await part('Leave out around 120 bpm 108 – 132 BPM').click();
    await page.waitForURL(/&ignore=around\+120\+bpm$/);
    await until(async () => (await totalOf(page)) > total, 'tracks of all tempos');
    const address = new URL(page.url()).search;
    await shown(address);
    await signIn(page, setup.full);
    await part('Take in around 120 bpm again').click();
    await isTotal(total);

    await page.getByRole('combobox', { name: /^Search/ }).fill('light');
    await isSearch('?search=light');
    await understood.waitFor({ state: 'detached' });
  });

  it('has all of it on a phone and with forced colors, and axe finds nothing', async () => {
    page = await setup.open('?brief=dark+trailer,+no+vocals&songKey=11A&notFilterSlugs=calm', {
      viewport: { width: 360, height: 640 },
      forcedColors: 'active',
    });
    await signIn(page, setup.full);
    const look = async () => {
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate('axe.run()')) as { violations: object[] };
      expect(violations).toEqual([]);
      const isTooWide = 'document.documentElement.scrollWidth > innerWidth';
      expect(await page.evaluate(isTooWide)).toBe(false);
    };
    await page.getByRole('group', { name: 'Understood' }).waitFor();
    await look();
    await page.getByRole('button', { name: 'Lists and filters' }).click();
    await page.getByRole('checkbox', { name: '11A, F# minor' }).click();
    await page.waitForURL((url) => !url.searchParams.has('songKey'));
    await look();
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: finding tracks in the explorer, because this machine has no Chromium');
}
