import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EffectTrack, renderWav, TRACKS } from '@stave/demo-catalog';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

describe.runIf(hasBrowser)('a browser (skipped without Chromium)', () => {
  const rain = TRACKS.find(
    (track): track is EffectTrack => track.name === 'Rain on a Tin Roof' && track.type === 'sfx',
  )!;
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let partner: Server;
  let track: { streamUrl: string; artworkUrl: string };

  beforeAll(async () => {
    server = await startTestServer({ tracks: [] });
    const { key } = await server.operator.media.putBytes(renderWav(rain), 'wav');
    await server.deliver([delivery(0, { name: 'Rain', audioKey: key })]);
    const token = await (await server.createClient()).token();
    await server.until(async () => {
      const { data } = await server.call('listTracks', { token });
      track = data.items[0];
      return track !== undefined;
    });
    browser = await launchBrowser('--autoplay-policy=no-user-gesture-required');
    page = await browser.newPage();
    // A page of a partner has another origin than the API. Video editors isolate theirs, for SharedArrayBuffer.
    partner = createServer((_, response) => {
      response.writeHead(200, {
        'Content-Type': 'text/html',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
      });
      response.end(readFileSync(new URL('./player.html', import.meta.url)));
    }).listen(0, '127.0.0.1');
    await once(partner, 'listening');
    await page.goto(`http://127.0.0.1:${(partner.address() as AddressInfo).port}/`);
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
  });
  afterAll(async () => {
    await browser?.close();
    partner?.close();
    await server?.close();
  });

  /** Calls a function of the page. */
  const inPage = (name: string, ...values: unknown[]): Promise<unknown> =>
    page.evaluate(`${name}(${values.map((value) => JSON.stringify(value)).join(', ')})`);

  it('plays the stream URL in a plain audio element, with its duration, and seeks', async () => {
    const heard = await inPage('play', track.streamUrl, 6);
    expect(heard).toEqual({
      duration: expect.closeTo(rain.seconds, 1),
      from: expect.closeTo(6, 1),
      to: expect.closeTo(rain.seconds, 1),
    });
  });

  it('can read the audio and its ranges from a page of another origin', async () => {
    expect(await inPage('read', track.streamUrl, { Range: 'bytes=0-43' })).toEqual({
      status: 206,
      range: expect.stringMatching(/^bytes 0-43\/\d+$/),
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      length: 44,
    });
  });

  it('shows the artwork', async () => {
    expect(await inPage('showArtwork', track.artworkUrl)).toEqual([512, 512]);
  });

  it('fails after the URL has expired', async () => {
    server.clock.advance(1900);
    expect(await inPage('read', track.streamUrl, {})).toMatchObject({ status: 403 });
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: playback in a real browser, because this machine has no Chromium');
}
