import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { ROOT } from '../guards/source.ts';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const PAGE = `<link rel="icon" href="data:,"><audio></audio>
<script type="module">import * as client from './index.js'; window.client = client;</script>`;

describe.runIf(hasBrowser)('playTrack in Chromium (skipped without it)', () => {
  let server: TestServer;
  let browser: Awaited<ReturnType<typeof launchBrowser>>;
  let token: string;
  const files = createServer();
  beforeAll(async () => {
    server = await startTestServer({ tracks: [] });
    token = await (await server.createClient({ scopes: ['tracks'] })).token();
    const { key } = await server.operator.media.putBytes(wavFile([tone(5, 44_100)]), 'wav');
    await server.deliver([delivery(1, { audioKey: key })]);
    const bundle = await rolldown({ input: join(ROOT, 'packages/sdk/src/index.ts') });
    const { code } = (await bundle.generate()).output[0];
    files.on('request', ({ url }, response) => {
      const isPage = url === '/';
      response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript');
      response.end(isPage ? PAGE : code);
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    browser = await launchBrowser('--autoplay-policy=no-user-gesture-required');
  });
  afterAll(async () => {
    await browser?.close();
    files.closeAllConnections();
    files.close();
    await server?.close();
  });

  /** Runs a function of this file in a new page. */
  async function inPage<T>(run: (setting: Setting) => Promise<T>): Promise<T> {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(files.address() as AddressInfo).port}/`);
    return page.evaluate(run, { baseUrl: server.address, token, trackId: delivery(1).id });
  }

  it('gets one URL, although the clock of the page is hours ahead', async () => {
    expect(await inPage(playAhead)).toEqual({ requests: 1, position: expect.any(Number) });
  });

  it('starts a track from its start in an element that played another one', async () => {
    expect(await inPage(playTwice)).toBeLessThan(2);
  });

  it('does not touch the element after it was closed, also while it waits for the URL', async () => {
    expect(await inPage(closeEarly)).toEqual({ source: '', isPaused: true });
  });
});

interface Setting {
  baseUrl: string;
  token: string;
  trackId: string;
}

async function playAhead({ baseUrl, token, trackId }: Setting) {
  // biome-ignore lint/suspicious/noExplicitAny: a page has globals of its own
  const { client, document } = globalThis as any;
  const now = Date.now;
  Date.now = () => now() + 5 * 3_600_000;
  let requests = 0;
  const stave = new client.StaveClient({
    baseUrl,
    getAccessToken: async () => ({ access_token: token, expires_in: 3_600 }),
    hooks: { onRequest: () => requests++ },
  });
  const audio = document.querySelector('audio');
  await client.playTrack(stave, audio, trackId).play();
  for (const position of [1, 2, 3]) {
    audio.currentTime = position;
    await new Promise((resolve) => audio.addEventListener('seeked', resolve, { once: true }));
  }
  return { requests, position: audio.currentTime };
}

async function playTwice({ baseUrl, token, trackId }: Setting) {
  // biome-ignore lint/suspicious/noExplicitAny: a page has globals of its own
  const { client, document } = globalThis as any;
  const getAccessToken = async () => ({ access_token: token, expires_in: 3_600 });
  const stave = new client.StaveClient({ baseUrl, getAccessToken });
  const audio = document.querySelector('audio');
  const first = client.playTrack(stave, audio, trackId);
  await first.play();
  audio.currentTime = 4.5;
  await new Promise((resolve) => audio.addEventListener('seeked', resolve, { once: true }));
  first.close();
  await client.playTrack(stave, audio, trackId).play();
  return audio.currentTime;
}

async function closeEarly({ baseUrl, token, trackId }: Setting) {
  // biome-ignore lint/suspicious/noExplicitAny: a page has globals of its own
  const { client, document } = globalThis as any;
  const getAccessToken = async () => ({ access_token: token, expires_in: 3_600 });
  const stave = new client.StaveClient({ baseUrl, getAccessToken });
  const audio = document.querySelector('audio');
  const player = client.playTrack(stave, audio, trackId);
  const playing = player.play();
  player.close();
  await playing;
  await player.play();
  return { source: audio.src, isPaused: audio.paused };
}
