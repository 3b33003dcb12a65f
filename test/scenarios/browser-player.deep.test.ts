import type { Locator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';
import {
  difference,
  loudnessOf,
  outlineOf,
  outlineOfData,
  type PlayerSetup,
  playedOf,
  rowOf,
  startPlayer,
  TRACKS,
} from './browser-player-support.ts';

const SECONDS = 20;

describe.runIf(hasBrowser)('examples/player in a browser (skipped without Chromium)', () => {
  let setup: PlayerSetup;
  let page: Page;
  let requests: Request[];
  let errors: string[];

  beforeAll(async () => {
    setup = await startPlayer();
  });
  afterAll(() => setup?.close());
  beforeEach(async () => {
    await page?.close();
    requests = [];
    errors = [];
    page = await setup.browser.newPage();
    page.on('request', (request) => requests.push(request));
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(setup.address);
    return async () => expect(errors).toEqual([]);
  });

  const row = (number: number) => rowOf(setup, page, number);
  const isHeard = async (button: Locator, from = 0) => {
    await until(
      async () =>
        (await button.getAttribute('data-state')) === 'heard' && (await playedOf(button)) > from,
      'the sound',
    );
  };
  /** The statuses of the responses to requests for this, in order. */
  const statusesOf = async (part: string) => {
    const found = requests.filter((request) => request.url().includes(part));
    const responses = await Promise.all(found.map((request) => request.response()));
    return responses.map((response) => response?.status());
  };

  it('draws the waveform that Stave serves, with both libraries', async () => {
    const steps = await row(TRACKS.steps);
    await steps.locator('.wave.drawn').waitFor();
    const [waveformUrl] = requests
      .map((request) => request.url())
      .filter((url) => /\.json\?/.test(url));
    const { data } = (await (await fetch(waveformUrl!)).json()) as { data: number[] };
    const served = outlineOfData(data, SECONDS);
    const played = Array.from({ length: SECONDS }, (_, second) => loudnessOf(second));
    expect(difference(served, { above: played, below: played.map((y) => y / 4) })).toBeLessThan(
      0.02,
    );

    // A difference of one pixel of 28.
    const inList = await outlineOf(steps.locator('.wave canvas').first(), SECONDS);
    expect(difference(inList, served)).toBeLessThan(0.05);

    await steps.locator('.closer').click();
    await steps.locator('.overview canvas').first().waitFor();
    await until(async () => {
      const inDetail = await outlineOf(steps.locator('.overview canvas').first(), SECONDS);
      return difference(inDetail, served) < 0.05;
    }, 'the drawing of peaks.js');
    expect(requests.some((request) => /\.dat\?/.test(request.url()))).toBe(true);
  });

  it('plays a clip, then the whole track from where its waveform is clicked', async () => {
    const long = await row(TRACKS.long);
    const [clip, whole] = [long.locator('.clip'), long.locator('.play')];
    await clip.click();
    await isHeard(clip);
    const before = await playedOf(clip);
    await isHeard(clip, before);

    await long.locator('.wave.drawn').waitFor();
    const { width } = (await long.locator('.wave').boundingBox())!;
    await long.locator('.wave').click({ position: { x: width / 2, y: 20 } });
    await isHeard(whole, 0.5);
    expect(await clip.getAttribute('data-state')).toBe('silent');
    await whole.click();
    expect(await whole.getAttribute('data-state')).toBe('silent');
  });

  it('finds tracks by their artists', async () => {
    const search = page.getByRole('searchbox');
    await search.fill('Artist 1');
    await search.press('Enter');
    await page.getByText('1 track', { exact: true }).waitFor();
    expect(await (await row(TRACKS.long)).count()).toBe(1);
    await search.fill('nothing like this');
    await search.press('Enter');
    await page.getByText('No tracks').waitFor();
    expect(await page.locator('.track').count()).toBe(0);
  });

  it('shows a sentence for a track without audio', async () => {
    const silent = await row(TRACKS.silent);
    await silent.locator('.play').click();
    await silent.getByText('There is no recording of this track.').waitFor();
    expect(await silent.locator('.play').getAttribute('data-state')).toBe('silent');
  });

  it('sends nothing to other hosts, and has neither the secret nor a token', async () => {
    await (await row(TRACKS.steps)).locator('.wave.drawn').waitFor();
    await (await row(TRACKS.steps)).locator('.closer').click();
    await until(() => requests.some((request) => /\.dat\?/.test(request.url())));
    const origins = new Set(requests.map((request) => new URL(request.url()).origin));
    origins.delete('null');
    expect([...origins].sort()).toEqual(
      [new URL(setup.address).origin, new URL(setup.server.address).origin].sort(),
    );
    for (const request of requests) {
      expect(await request.headerValue('authorization')).toBeNull();
      if (!request.url().startsWith(setup.address)) continue;
      const text = await (await request.response())!.text();
      expect(text).not.toContain(setup.client.testSecret);
      expect(text).not.toContain(await setup.client.token());
    }
    for (const path of ['server.ts', '../server.ts', 'tracks/changes', 'tracks/..%2Fme', 'v1/me']) {
      expect((await fetch(setup.address + path)).status, path).toBe(404);
    }
  });

  it('renews URLs that have ended, while a track plays and before another one does', async () => {
    const [steps, long] = [await row(TRACKS.steps), await row(TRACKS.long)];
    await long.locator('.wave.drawn').waitFor();
    await long.locator('.play').click();
    await isHeard(long.locator('.play'));
    setup.server.clock.advance(1_900);

    // The browser has not loaded this part, and its URL has ended.
    const { width } = (await long.locator('.wave').boundingBox())!;
    await long.locator('.wave').click({ position: { x: 0.9 * width, y: 20 } });
    await isHeard(long.locator('.play'), 0.9);
    expect(await statusesOf('/media/stream/')).toContain(403);
    expect((await statusesOf('/media/stream/')).at(-1)).toBe(206);

    await steps.locator('.clip').click();
    await isHeard(steps.locator('.clip'));
    expect(await statusesOf('/media/preview/')).toContain(403);
    expect(await steps.or(long).and(page.locator('.unavailable')).count()).toBe(0);
  });

  it('renews URLs before they end, by the clock of the visitor', async () => {
    const steps = await row(TRACKS.steps);
    await steps.locator('.wave.drawn').waitFor();
    await page.clock.setFixedTime(Date.now() + 3_600_000 * 24);
    await steps.locator('.clip').click();
    await until(async () => (await statusesOf(`tracks/`)).includes(200), 'the renewal');
    await isHeard(steps.locator('.clip'));
    expect(await statusesOf('/media/preview/')).not.toContain(403);
  });

  it('shows a sentence when a track was taken down', async () => {
    const steps = await row(TRACKS.steps);
    await steps.locator('.wave.drawn').waitFor();
    const id = (await steps.getAttribute('data-id'))!;
    await setTrackState(setup.server.operator.store, id, 'taken_down', 'cli:test');
    await setup.server.until(async () => {
      const token = await setup.client.token();
      const found = await setup.server.call('showTrack', { token, params: { slug: id } });
      return found.status === 404;
    });
    await steps.locator('.clip').click();
    await steps.getByText('This track is no longer available.').waitFor();
    expect(await steps.locator('.clip').getAttribute('data-state')).toBe('silent');
    await setTrackState(setup.server.operator.store, id, 'live', 'cli:test');
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: the example player, because this machine has no Chromium');
}
