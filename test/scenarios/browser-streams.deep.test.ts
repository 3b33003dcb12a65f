import { once } from 'node:events';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseBuffer } from 'music-metadata';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTags } from '../../src/features/import/audio/read-tags.ts';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { delivery } from '../harness/catalog.ts';
import { FFMPEG, makeByFfmpeg } from '../harness/ffmpeg.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const SECONDS = 8;

/** Files that some browser does not play, by their names: what ffmpeg makes them with. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  'tone.aiff': [],
  'alac.m4a': ['-c:a', 'alac'],
  'adpcm.wav': ['-c:a', 'adpcm_ms'],
};

describe.runIf(hasBrowser && FFMPEG !== undefined)('a browser plays an MP3', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let partner: Server;
  let token: string;

  beforeAll(async () => {
    server = await startTestServer({
      tracks: [],
      config: { streams: 'playable', previewThreads: 1 },
    });
    await using folder = await mkdtempDisposable(join(tmpdir(), 'stave-streams-'));
    const tracks = [];
    for (const [n, [name, options]] of Object.entries(FORMS).entries()) {
      const path = join(folder.path, name);
      makeByFfmpeg('-f', 'lavfi', '-i', `sine=440:duration=${SECONDS}`, ...options, path);
      const { properties, extension } = (await readTags(path)).facts;
      const { key, sizeBytes } = await server.operator.media.putFile(path, extension);
      const audioProperties = { ...properties, bytes: sizeBytes };
      tracks.push(delivery(n, { name, audioKey: key, audioProperties }));
    }
    await server.deliver(tracks);
    token = await (await server.createClient()).token();
    browser = await launchBrowser('--autoplay-policy=no-user-gesture-required');
    page = await browser.newPage();
    const html = await readFile(new URL('./player.html', import.meta.url));
    partner = createServer((_, response) => {
      response.writeHead(200, {
        'Content-Type': 'text/html',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
      });
      response.end(html);
    }).listen(0, '127.0.0.1');
    await once(partner, 'listening');
    await page.goto(`http://127.0.0.1:${(partner.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await browser?.close();
    partner?.close();
    await server?.close();
  });

  it.each(Object.keys(FORMS))('instead of %s, with its duration, and seeks', async (name) => {
    const { data } = await server.call('listTracks', { token, query: { search: name } });
    const [track] = data.items;
    expect(track.stream).toEqual({
      ...{ contentType: 'audio/mpeg', bitrate: 192_000, isOriginal: false },
      bytes: expect.any(Number),
    });
    const { pathname } = new URL(track.streamUrl);
    expect(pathname).toBe(`/media/stream/${track.id}.mp3`);
    const sent = await fetch(track.streamUrl, { method: 'HEAD' });
    expect(Object.fromEntries(sent.headers)).toMatchObject({
      'content-type': 'audio/mpeg',
      'content-length': String(track.stream.bytes),
    });
    const heard = await page
      .evaluate(`play(${JSON.stringify(track.streamUrl)}, 5)`)
      .catch((error: Error) => error.message);
    expect(heard).toEqual({
      duration: expect.closeTo(SECONDS, 1),
      from: expect.closeTo(5, 1),
      to: expect.closeTo(SECONDS, 1),
    });
    const played = new Uint8Array(await (await fetch(track.streamUrl)).arrayBuffer());
    expect(played.length).toBe(track.stream.bytes);
    const { common, format } = await parseBuffer(played);
    expect(common).toMatchObject({
      ...{ title: name, artists: track.artists.map((artist: { name: string }) => artist.name) },
      isrc: [track.isrc],
    });
    expect(format).toMatchObject({ bitrate: 192_000, numberOfChannels: 2 });
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: MP3 streams in a real browser, because this machine has no Chromium');
}
