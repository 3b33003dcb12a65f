import { once } from 'node:events';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { parseBuffer, parseFile } from 'music-metadata';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planTags } from '../../src/engines/audio/tags/plan-tags.ts';
import { inMemory, TAGS, tagged } from '../../src/engines/audio/tags/tagged-file.test-support.ts';
import { readTags } from '../../src/features/import/audio/read-tags.ts';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { delivery } from '../harness/catalog.ts';
import { decodeByFfmpeg, FFMPEG, makeByFfmpeg } from '../harness/ffmpeg.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const SECONDS = 2;
const FROM = 1.5;

interface Form {
  /** What ffmpeg makes it with. */
  made?: readonly string[];
  /** Whether each browser plays it, so that it is sent as it is. */
  isOriginal: boolean;
  /** Whether a license is written into it. */
  isTagged: boolean;
}

const PLAYED = { isOriginal: true, isTagged: true };
const CONVERTED = { isOriginal: false, isTagged: true };
const codec = (name: string, ...options: string[]) => ['-c:a', name, ...options];

const FORMS: Readonly<Record<string, Form>> = {
  'constant.mp3': { ...PLAYED, made: ['-b:a', '128k'] },
  'variable.mp3': { ...PLAYED, made: ['-q:a', '4'] },
  'slow.mp3': { ...PLAYED, made: ['-ac', '1', '-ar', '22050'] },
  'adts.aac': { isOriginal: true, isTagged: false },
  'aac.m4a': { ...PLAYED, made: codec('aac') },
  'aac.mp4': { ...PLAYED, made: codec('aac') },
  'fast.m4a': { ...PLAYED, made: codec('aac', '-movflags', '+faststart') },
  'sixteen.flac': { ...PLAYED, made: ['-sample_fmt', 's16'] },
  'twenty-four.flac': { ...PLAYED, made: ['-sample_fmt', 's32', '-bits_per_raw_sample', '24'] },
  'mono.flac': { ...PLAYED, made: ['-ac', '1'] },
  'high.flac': { ...PLAYED, made: ['-ar', '96000'] },
  'surround.flac': { ...CONVERTED, made: ['-ac', '6'] },
  'eight.wav': { ...PLAYED, made: codec('pcm_u8') },
  'sixteen.wav': { ...PLAYED, made: codec('pcm_s16le') },
  'twenty-four.wav': { ...PLAYED, made: codec('pcm_s24le') },
  'thirty-two.wav': { ...CONVERTED, made: codec('pcm_s32le') },
  'float.wav': { ...CONVERTED, made: codec('pcm_f32le') },
  'double.wav': { ...CONVERTED, made: codec('pcm_f64le') },
  'a-law.wav': { ...CONVERTED, made: codec('pcm_alaw') },
  'mu-law.wav': { ...CONVERTED, made: codec('pcm_mulaw') },
  'adpcm.wav': { ...CONVERTED, made: codec('adpcm_ms') },
  'ima.wav': { ...CONVERTED, made: codec('adpcm_ima_wav') },
  'rf64.wav': { ...CONVERTED, made: ['-rf64', 'always'] },
  'sixteen.aiff': { ...CONVERTED, made: codec('pcm_s16be') },
  'twenty-four.aiff': { ...CONVERTED, made: codec('pcm_s24be') },
  'alac.m4a': { ...CONVERTED, made: codec('alac') },
  'ac3.mp4': { ...CONVERTED, made: codec('eac3') },
  'vorbis.ogg': { ...CONVERTED, made: codec('libvorbis') },
  'opus.opus': { ...CONVERTED, made: codec('libopus') },
  'flac.oga': { isOriginal: false, isTagged: false, made: codec('flac') },
  'opus.webm': { isOriginal: false, isTagged: false, made: codec('libopus') },
};

describe.runIf(hasBrowser && FFMPEG !== undefined)('a form of audio', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let partner: Server;
  let token: string;
  let folder: Awaited<ReturnType<typeof mkdtempDisposable>>;

  beforeAll(async () => {
    server = await startTestServer({
      tracks: [],
      config: { streams: 'playable', previewThreads: 1 },
    });
    folder = await mkdtempDisposable(join(tmpdir(), 'stave-streams-'));
    const tracks = [];
    for (const [n, [name, { made = [] }]] of Object.entries(FORMS).entries()) {
      const path = join(folder.path, name);
      makeByFfmpeg('-f', 'lavfi', '-i', `sine=440:duration=${SECONDS}`, ...made, path);
      const { properties, extension } = (await readTags(path)).facts;
      const { key, sizeBytes } = await server.operator.media.putFile(path, extension);
      const audioProperties = { ...properties, bytes: sizeBytes };
      const isrc = `QZES72400${100 + n}`;
      tracks.push(delivery(n, { name, isrc, audioKey: key, audioProperties }));
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
    await folder?.remove();
  });

  it.each(Object.entries(FORMS))('plays %s, with its duration, and seeks', async (name, form) => {
    const { data } = await server.call('listTracks', { token, query: { search: name } });
    const track = data.items.find((one: { name: string }) => one.name === name);
    expect(track.stream).toMatchObject({ isOriginal: form.isOriginal, bytes: expect.any(Number) });
    if (!form.isOriginal) {
      expect(track.stream).toMatchObject({ contentType: 'audio/mpeg', bitrate: 192_000 });
    }
    const { pathname } = new URL(track.streamUrl);
    expect(pathname).toBe(`/media/stream/${track.id}${form.isOriginal ? extname(name) : '.mp3'}`);
    const sent = await fetch(track.streamUrl, { method: 'HEAD' });
    expect(Object.fromEntries(sent.headers)).toMatchObject({
      'content-type': track.stream.contentType,
      'content-length': String(track.stream.bytes),
    });
    const heard = await page
      .evaluate(`play(${JSON.stringify(track.streamUrl)}, ${FROM})`)
      .catch((error: Error) => error.message);
    expect(heard).toEqual({
      duration: expect.closeTo(SECONDS, 1),
      from: expect.closeTo(FROM, 1),
      to: expect.closeTo(SECONDS, 1),
    });
    const played = new Uint8Array(await (await fetch(track.streamUrl)).arrayBuffer());
    expect(played.length).toBe(track.stream.bytes);
    const written = join(folder.path, `played-${name}${form.isOriginal ? extname(name) : '.mp3'}`);
    await writeFile(written, played);
    const { sampleRate, channels } = decodeByFfmpeg(written);
    expect(channels[0]!.length / sampleRate).toBeCloseTo(SECONDS, 0);
    if (form.isOriginal) return;
    const { common, format } = await parseBuffer(played);
    expect(common).toMatchObject({
      ...{ title: name, artists: track.artists.map((artist: { name: string }) => artist.name) },
      isrc: [track.isrc],
    });
    expect(format).toMatchObject({ bitrate: 192_000, numberOfChannels: 2 });
  });

  it.each(Object.entries(FORMS))('writes a license into %s', async (name, { isTagged }) => {
    const path = join(folder.path, name);
    const delivered = await readFile(path);
    const extension = extname(name).slice(1);
    if (!isTagged) {
      expect(await planTags(inMemory(delivered), extension, TAGS)).toBeUndefined();
      return;
    }
    const written = join(folder.path, `licensed-${name}`);
    await writeFile(written, await tagged(delivered, extension));
    expect(decodeByFfmpeg(written)).toEqual(decodeByFfmpeg(path));
    expect((await readFile(written)).includes('2026-000123-7K2QX9MD')).toBe(true);
    // The parser does not read RF64.
    if (name === 'rf64.wav') return;
    const { common, native } = await parseFile(written);
    expect(common).toMatchObject({ title: TAGS.title, isrc: [TAGS.isrc] });
    const license = Object.values(native)
      .flat()
      .find(({ id }) => id === 'LICENSE' || id.endsWith(':LICENSE'));
    expect(license?.value).toBe('2026-000123-7K2QX9MD');
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: MP3 streams in a real browser, because this machine has no Chromium');
}
