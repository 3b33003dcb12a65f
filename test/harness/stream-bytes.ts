import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { delivery } from './catalog.ts';
import {
  audioKey,
  errorType,
  file,
  get,
  list,
  server,
  started,
  streamUrl,
  url,
} from './stream-fixture.ts';

const SHARED_AUDIO = new URL('../../../shared/data/audio/music/', import.meta.url);
const hasSharedAudio = existsSync(SHARED_AUDIO);

/** Tests the bytes and headers of the response to a stream URL. */
export function streamBytes(): void {
  it('sends the whole file without any header', async () => {
    const { status, headers, body } = await get();
    expect(status).toBe(200);
    expect(body.equals(file)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': String(file.length),
      'accept-ranges': 'bytes',
      etag: `"${audioKey.slice(0, 64)}"`,
      'x-content-type-options': 'nosniff',
      'x-api-version': 'v1',
      'access-control-allow-origin': '*',
    });
    // The date has whole seconds; a store may round up.
    expect(Date.parse(headers['last-modified']!)).toBeLessThanOrEqual(Date.now() + 1_000);
    const [, maxAge] = /^private, max-age=(\d+)$/.exec(headers['cache-control']!)!;
    expect(Number(maxAge)).toBeGreaterThan(1790);
    expect(Number(maxAge)).toBeLessThanOrEqual(1810);
  });

  it('names the file, which `&download` turns into an attachment', async () => {
    const { headers } = await get();
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
    expect(headers['content-disposition']).toMatch(/^inline; filename="[^"]*With audio\.wav";/);
    const saved = await get({ Range: 'bytes=0-9' }, 'GET', `${url}&download`);
    expect([saved.status, saved.headers['content-disposition']]).toEqual([
      206,
      headers['content-disposition']!.replace('inline', 'attachment'),
    ]);
    expect(saved.headers.etag).toBe(headers.etag);
    const changed = await get({}, 'GET', `${url}&download=1`);
    expect([changed.status, errorType(changed)]).toEqual([403, 'invalid_signature']);
  });

  it('reserves the right to learn from the audio if its supplier does', async () => {
    expect((await get()).headers['tdm-reservation']).toBeUndefined();
    const provenance = {
      ai: 'none',
      aiParts: [],
      trainingAllowed: false,
      statement: null,
    } as const;
    await server.deliver([delivery(7, { name: 'Reserved', audioKey, provenance })]);
    await server.until(async () => (await list('Reserved')).length === 1);
    const { headers } = await get({ Range: 'bytes=0-9' }, 'GET', await streamUrl('Reserved'));
    expect(headers).toMatchObject({ 'tdm-reservation': '1', 'content-usage': 'train-ai=n' });
  });

  it('exposes the headers that a browser needs to seek', async () => {
    const { headers } = await get({ Origin: 'https://player.example', Range: 'bytes=0-9' });
    const exposed = String(headers['access-control-expose-headers']).toLowerCase();
    for (const name of ['content-range', 'accept-ranges', 'etag']) {
      expect(exposed).toContain(name);
    }
  });

  it('responds to HEAD like to GET, without the body, and ignores its Range', async () => {
    const { status, headers, body } = await get({ Range: 'bytes=0-9' }, 'HEAD');
    expect([status, body.length]).toEqual([200, 0]);
    expect(headers['content-length']).toBe(String(file.length));
    expect(headers['content-range']).toBeUndefined();
  });

  it.each([
    ['bytes=0-99', 0, 99],
    ['bytes=16000-', 16_000, 16_043],
    ['bytes=-44', 16_000, 16_043],
    ['bytes=100-999999', 100, 16_043],
    ['Bytes=5-5', 5, 5],
  ])('responds to %s with that range', async (range, start, end) => {
    const { status, headers, body } = await get({ Range: range });
    expect(status).toBe(206);
    expect(headers['content-range']).toBe(`bytes ${start}-${end}/${file.length}`);
    expect(headers['content-length']).toBe(String(end - start + 1));
    expect(body.equals(file.subarray(start, end + 1))).toBe(true);
  });

  it.each(['items=0-5', 'bytes=5-2', 'bytes=x', 'bytes=0-1,4-5', `bytes=${'0-,'.repeat(1000)}0-`])(
    'sends the whole file for %.20s',
    async (range) => {
      const { status, headers, body } = await get({ Range: range });
      expect([status, body.length]).toEqual([200, file.length]);
      expect(headers['content-range']).toBeUndefined();
    },
  );

  it('refuses a range after the end, and names the length', async () => {
    const response = await get({ Range: 'bytes=16044-' });
    expect([response.status, errorType(response)]).toEqual([416, 'range_not_satisfiable']);
    expect(response.headers['content-range']).toBe(`bytes */${file.length}`);
  });

  it('applies If-Range only for its own tag or date', async () => {
    const { headers } = await get();
    const { etag, 'last-modified': modified } = headers as Record<string, string>;
    const status = async (ifRange: string) =>
      (await get({ Range: 'bytes=0-9', 'If-Range': ifRange })).status;
    expect(await status(etag!)).toBe(206);
    expect(await status(modified!)).toBe(206);
    expect(await status(`W/${etag}`)).toBe(200);
    expect(await status('"other"')).toBe(200);
    expect(await status('Sat, 01 Jan 2000 00:00:00 GMT')).toBe(200);
  });

  it('responds with 304 without a body if the client has the file', async () => {
    const { headers } = await get();
    for (const condition of [
      { 'If-None-Match': headers.etag! },
      { 'If-None-Match': `"x", W/${headers.etag}` },
      { 'If-Modified-Since': headers['last-modified']! },
    ]) {
      const response = await get(condition as unknown as Record<string, string>);
      expect([response.status, response.body.length]).toEqual([304, 0]);
      expect(response.headers.etag).toBe(headers.etag);
      expect(response.headers['cache-control']).toMatch(/^private, max-age=/);
    }
    expect((await get({ 'If-None-Match': '"x"' })).status).toBe(200);
  });

  it('responds with 412 if the condition names another file', async () => {
    for (const condition of [
      { 'If-Match': '"x"' },
      { 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' },
    ]) {
      const response = await get(condition as unknown as Record<string, string>);
      expect([response.status, errorType(response)]).toEqual([412, 'precondition_failed']);
    }
    const { headers } = await get();
    expect((await get({ 'If-Match': headers.etag! })).status).toBe(200);
  });

  it('leaves no read open after clients disconnect', async () => {
    const large = Buffer.alloc(8 * 1024 * 1024, 7);
    const { key } = await server.operator.media.putBytes(large, 'flac');
    await server.deliver([delivery(7, { name: 'Large', audioKey: key })]);
    await server.until(async () => (await list('Large')).length === 1);
    const path = await streamUrl('Large');
    const { hostname, port } = new URL(server.address);

    await Promise.all(
      Array.from({ length: 60 }, async () => {
        const socket = connect(Number(port), hostname);
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
        await new Promise((resolve) => socket.once('data', resolve));
        socket.destroy();
      }),
    );
    await server.until(async () => (await started.openReads(key)) === 0);
    expect((await get({ Range: 'bytes=0-0' }, 'GET', path)).status).toBe(206);
  });

  it.runIf(hasSharedAudio).each([
    ['mp3', 'audio/mpeg'],
    ['flac', 'audio/flac'],
    ['ogg', 'audio/ogg'],
    ['opus', 'audio/ogg; codecs=opus'],
    ['m4a', 'audio/mp4'],
    ['mp4', 'audio/mp4'],
    ['aac', 'audio/aac'],
    ['wav', 'audio/wav'],
    ['aiff', 'audio/aiff'],
  ])('serves a real %s (skipped without ../shared)', async (extension, type) => {
    const bytes = readFileSync(new URL(`galway.${extension}`, SHARED_AUDIO));
    const { key } = await server.operator.media.putBytes(bytes, extension);
    const name = `Galway as ${extension}`;
    await server.deliver([delivery(100 + bytes.length, { name, audioKey: key, releasedAt: 0 })]);
    await server.until(async () => (await list(name)).length === 1);
    const path = await streamUrl(name);
    const { status, headers, body } = await get({}, 'GET', path);
    expect([status, headers['content-type']]).toEqual([200, type]);
    expect(body.equals(bytes)).toBe(true);
    const end = await get({ Range: 'bytes=-1000' }, 'GET', path);
    expect(end.body.equals(bytes.subarray(-1000))).toBe(true);
  });
}

if (!hasSharedAudio) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn('SKIPPED: streaming of real audio, because ../shared/data/audio is absent');
}
