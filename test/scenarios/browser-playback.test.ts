import { existsSync, readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EFFECTS, renderEffect } from '../../src/demo/effects.ts';
import { encodeWav } from '../../src/demo/synth/wav.ts';
import { delivery } from '../harness/catalog.ts';
import { startHouse, type TestHouse } from '../harness/house.ts';

const CHROMIUM = '/usr/bin/chromium';
const hasBrowser = existsSync(CHROMIUM);

describe.runIf(hasBrowser)('a browser (left out where there is no Chromium)', () => {
  const effect = EFFECTS.find(({ name }) => name === 'Rain on a Tin Roof')!;
  let house: TestHouse;
  let browser: Browser;
  let page: Page;
  let track: { streamUrl: string; artworkUrl: string };

  beforeAll(async () => {
    house = await startHouse({ tracks: [] });
    const { key } = await house.operator.media.putBytes(encodeWav(renderEffect(effect)), 'wav');
    await house.deliver([delivery(0, { name: 'Rain', audioKey: key })]);
    const token = await (await house.createClient()).token();
    await house.until(async () => {
      const { data } = await house.call('listTracks', { token });
      track = data.items[0];
      return track !== undefined;
    });
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--autoplay-policy=no-user-gesture-required',
      ],
    });
    page = await browser.newPage();
    // Another origin than the API's, as a partner's page is.
    await page.setContent(readFileSync(new URL('./player.html', import.meta.url), 'utf8'));
  });
  afterAll(async () => {
    await browser?.close();
    await house?.close();
  });

  /** Calls a function of the page. */
  const inPage = (name: string, ...values: unknown[]): Promise<unknown> =>
    page.evaluate(`${name}(${values.map((value) => JSON.stringify(value)).join(', ')})`);

  it('plays the stream URL in a plain audio element, knows its length, and seeks', async () => {
    const heard = await inPage('hear', track.streamUrl, 6);
    expect(heard).toEqual({
      duration: expect.closeTo(effect.seconds, 1),
      from: expect.closeTo(6, 1),
      to: expect.closeTo(effect.seconds, 1),
    });
  });

  it('may read the audio and its ranges from a page of another origin', async () => {
    expect(await inPage('read', track.streamUrl, { Range: 'bytes=0-43' })).toEqual({
      status: 206,
      range: expect.stringMatching(/^bytes 0-43\/\d+$/),
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      length: 44,
    });
  });

  it('shows the artwork', async () => {
    expect(await inPage('look', track.artworkUrl)).toEqual([512, 512]);
  });

  it('is refused once the URL has expired', async () => {
    house.clock.turn(1900);
    expect(await inPage('read', track.streamUrl, {})).toMatchObject({ status: 403 });
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: what is left out is said aloud
  console.warn('LEFT OUT: playback in a real browser, for there is no Chromium on this machine');
}
