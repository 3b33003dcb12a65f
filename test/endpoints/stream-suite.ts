import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disableClient, enableClient } from '../../src/access/clients.ts';
import { rotateKeys } from '../../src/access/key-ring.ts';
import { delivery } from '../harness/catalog.ts';
import type { TestClient, TestHouse } from '../harness/house.ts';
import type { RawResponse } from '../harness/http.ts';

const SHARED_AUDIO = new URL('../../../shared/data/audio/music/', import.meta.url);
const hasSharedAudio = existsSync(SHARED_AUDIO);

/** A second of a quiet tone: a real WAV file of 16,044 bytes. */
export function wav(): Buffer {
  const data = Buffer.alloc(16_000);
  for (let i = 0; i < 8_000; i++) data.writeInt16LE(Math.round(3000 * Math.sin(i / 7)), i * 2);
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8);
  header.set([16, 0, 0, 0, 1, 0, 1, 0], 16);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(16_000, 28);
  header.set([2, 0, 16, 0], 32);
  header.write('data', 36);
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

/** A house whose media store the suite is about. */
export interface StreamHouse {
  house: TestHouse;
  /** How many reads of the key are open in the store. */
  openReads(key: string): Promise<number>;
  close(): Promise<void>;
}

/** What holds for `GET /media/stream/{id}` wherever the bytes lie, as long as Stave passes them on. */
export function streamSuite(title: string, start: () => Promise<StreamHouse>): void {
  describe(`GET /media/stream/{id}, ${title}`, () => {
    const file = wav();
    let started: StreamHouse;
    let house: TestHouse;
    let client: TestClient;
    let audioKey: string;
    let streamUrl: (name: string) => Promise<string>;
    let url: string;

    beforeAll(async () => {
      started = await start();
      house = started.house;
      audioKey = (await house.operator.media.putBytes(file, 'wav')).key;
      await house.deliver([
        delivery(0, { name: 'With audio', audioKey }),
        delivery(1, { name: 'Without audio' }),
        delivery(2, { name: 'Taken down', audioKey }),
        delivery(3, { name: 'Lost', audioKey: `${'0'.repeat(64)}.mp3` }),
      ]);
      client = await house.createClient();
      await house.until(async () => (await list('')).length === 4);
      streamUrl = async (name) => {
        const [track] = await list(name);
        return track!.streamUrl.slice(house.address.length);
      };
      url = await streamUrl('With audio');
    });
    afterAll(() => started?.close());

    async function list(search: string): Promise<{ id: string; streamUrl: string }[]> {
      const token = await client.token();
      const query = search === '' ? undefined : { search };
      return (await house.call('listTracks', { token, ...(query && { query }) })).data.items;
    }

    /** Every answer is held against the document as well. */
    async function get(headers: Record<string, string> = {}, method = 'GET', path = url) {
      const answer = await house.http.send(method, path, headers);
      house.contract.check('streamTrack', answer);
      return answer;
    }

    const errorType = ({ body }: RawResponse) => JSON.parse(body.toString()).error.type;

    it('sends the whole file to whoever holds the URL, with no header needed', async () => {
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
      // In whole seconds, which a store may round up to.
      expect(Date.parse(headers['last-modified']!)).toBeLessThanOrEqual(Date.now() + 1_000);
      const [, maxAge] = /^private, max-age=(\d+)$/.exec(headers['cache-control']!)!;
      expect(Number(maxAge)).toBeGreaterThan(1790);
      expect(Number(maxAge)).toBeLessThanOrEqual(1810);
    });

    it('lets a browser see what it needs to seek', async () => {
      const { headers } = await get({ Origin: 'https://player.example', Range: 'bytes=0-9' });
      const exposed = String(headers['access-control-expose-headers']).toLowerCase();
      for (const name of ['content-range', 'accept-ranges', 'etag']) {
        expect(exposed).toContain(name);
      }
    });

    it('answers HEAD as GET would, without the body, and passes over its Range', async () => {
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
    ])('answers %s with that range', async (range, start, end) => {
      const { status, headers, body } = await get({ Range: range });
      expect(status).toBe(206);
      expect(headers['content-range']).toBe(`bytes ${start}-${end}/${file.length}`);
      expect(headers['content-length']).toBe(String(end - start + 1));
      expect(body.equals(file.subarray(start, end + 1))).toBe(true);
    });

    it.each([
      'items=0-5',
      'bytes=5-2',
      'bytes=x',
      'bytes=0-1,4-5',
      `bytes=${'0-,'.repeat(1000)}0-`,
    ])('answers the whole file to %.20s', async (range) => {
      const { status, headers, body } = await get({ Range: range });
      expect([status, body.length]).toEqual([200, file.length]);
      expect(headers['content-range']).toBeUndefined();
    });

    it('refuses a range past the end and tells the length', async () => {
      const answer = await get({ Range: 'bytes=16044-' });
      expect([answer.status, errorType(answer)]).toEqual([416, 'range_not_satisfiable']);
      expect(answer.headers['content-range']).toBe(`bytes */${file.length}`);
    });

    it('honours If-Range for its own tag or date alone', async () => {
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

    it('answers 304 without a body to who has the file already', async () => {
      const { headers } = await get();
      for (const condition of [
        { 'If-None-Match': headers.etag! },
        { 'If-None-Match': `"x", W/${headers.etag}` },
        { 'If-Modified-Since': headers['last-modified']! },
      ]) {
        const answer = await get(condition as unknown as Record<string, string>);
        expect([answer.status, answer.body.length]).toEqual([304, 0]);
        expect(answer.headers.etag).toBe(headers.etag);
        expect(answer.headers['cache-control']).toMatch(/^private, max-age=/);
      }
      expect((await get({ 'If-None-Match': '"x"' })).status).toBe(200);
    });

    it('answers 412 where the condition names another file', async () => {
      for (const condition of [
        { 'If-Match': '"x"' },
        { 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' },
      ]) {
        const answer = await get(condition as unknown as Record<string, string>);
        expect([answer.status, errorType(answer)]).toEqual([412, 'precondition_failed']);
      }
      const { headers } = await get();
      expect((await get({ 'If-Match': headers.etag! })).status).toBe(200);
    });

    it('accepts the absolute form of the request target, for the host is not signed', async () => {
      const answer = await house.http.send('GET', `http://other.example${url}`);
      expect(answer.status).toBe(200);
    });

    it('refuses a changed byte, and a dropped, added, repeated or reordered parameter', async () => {
      for (const changed of [
        `${url}&x=1`,
        `${url}&expires=1800`,
        url.replace('expires=1800&', ''),
        url.replace('expires=1800', 'expires=604800'),
        url.replace(/(expires=1800)&(issued=\d+)/, '$2&$1'),
        url.replace('mode=test', 'mode=live'),
        url.replace('signature=', 'Signature='),
        url.split('?')[0]!,
        url.replace('/stream/', '/stream/..%2f'),
        url.replace(/stream\/[^?]+/, 'stream/%2e%2e%2fstave.db'),
      ]) {
        const answer = await get({}, 'GET', changed);
        expect([answer.status, errorType(answer)], changed).toEqual([403, 'invalid_signature']);
      }
    });

    it('refuses what no path may hold before it looks at the signature', async () => {
      for (const name of ['a%00b', 'a%zzb', '%c3%28']) {
        const answer = await house.http.send('GET', url.replace(/stream\/[^?]+/, `stream/${name}`));
        expect([answer.status, errorType(answer)], name).toEqual([400, 'invalid_request']);
      }
    });

    it('accepts no random mutation over the wire', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.nat({ max: url.length - 1 }),
          fc.stringMatching(/^[!-"$-~]$/),
          async (at, character) => {
            const changed = url.slice(0, at) + character + url.slice(at + 1);
            fc.pre(changed !== url);
            const { status } = await house.http.send('GET', changed);
            expect([400, 403, 404]).toContain(status);
          },
        ),
        { numRuns: 300 },
      );
    });

    it('is not_found for a track without audio, and gone for one that was taken down', async () => {
      const silent = await get({}, 'GET', await streamUrl('Without audio'));
      expect([silent.status, errorType(silent)]).toEqual([404, 'not_found']);

      const path = await streamUrl('Taken down');
      const [track] = await list('Taken down');
      expect((await get({}, 'GET', path)).status).toBe(200);
      await house.operator.store.catalog.setState(track!.id, 'taken_down', 'test');
      const gone = await get({}, 'GET', path);
      expect([gone.status, errorType(gone)]).toEqual([410, 'gone']);
    });

    it('is unavailable where the file is missing from the store', async () => {
      const answer = await get({}, 'GET', await streamUrl('Lost'));
      expect([answer.status, errorType(answer)]).toEqual([503, 'unavailable']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    });

    it('keeps issued URLs through a rotation of the keys and a revoked secret', async () => {
      const { store } = house.operator;
      await rotateKeys({ keys: store.keys, clock: house.clock }, 'test');
      const { secrets } = (await store.clients.get(client.clientId))!;
      const live = secrets.find(({ mode }) => mode === 'live')!;
      await store.clients.revokeSecret(client.clientId, live.id, 'test');
      await house.until(async () => {
        const fresh = await streamUrl('With audio');
        return fresh !== url && (await get({}, 'GET', fresh)).status === 200;
      });
      expect((await get()).status).toBe(200);
    });

    it('leaks no open read when clients go away in the middle', async () => {
      const large = Buffer.alloc(8 * 1024 * 1024, 7);
      const { key } = await house.operator.media.putBytes(large, 'flac');
      await house.deliver([delivery(7, { name: 'Large', audioKey: key })]);
      await house.until(async () => (await list('Large')).length === 1);
      const path = await streamUrl('Large');
      const { hostname, port } = new URL(house.address);

      await Promise.all(
        Array.from({ length: 60 }, async () => {
          const socket = connect(Number(port), hostname);
          socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
          await new Promise((resolve) => socket.once('data', resolve));
          socket.destroy();
        }),
      );
      await house.until(async () => (await started.openReads(key)) === 0);
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
    ])('serves a real %s (left out where ../shared is absent)', async (extension, type) => {
      const bytes = readFileSync(new URL(`galway.${extension}`, SHARED_AUDIO));
      const { key } = await house.operator.media.putBytes(bytes, extension);
      const name = `Galway as ${extension}`;
      await house.deliver([delivery(100 + bytes.length, { name, audioKey: key, releasedAt: 0 })]);
      await house.until(async () => (await list(name)).length === 1);
      const path = await streamUrl(name);
      const { status, headers, body } = await get({}, 'GET', path);
      expect([status, headers['content-type']]).toEqual([200, type]);
      expect(body.equals(bytes)).toBe(true);
      const end = await get({ Range: 'bytes=-1000' }, 'GET', path);
      expect(end.body.equals(bytes.subarray(-1000))).toBe(true);
    });

    // These two turn the clock and the client, so they come last.
    it('finishes a download that began in time, and refuses the next', async () => {
      const large = Buffer.alloc(4 * 1024 * 1024, 9);
      const { key } = await house.operator.media.putBytes(large, 'flac');
      await house.deliver([delivery(8, { name: 'Slow', audioKey: key })]);
      await house.until(async () => (await list('Slow')).length === 1);
      const path = await streamUrl('Slow');

      const response = await fetch(house.address + path);
      const reader = response.body!.getReader();
      let received = (await reader.read()).value!.length;
      house.clock.turn(1811);
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        received += value.length;
      }
      expect(received).toBe(large.length);

      const late = await get({ Range: 'bytes=0-9' }, 'GET', path);
      expect([late.status, errorType(late)]).toEqual([403, 'url_expired']);
      const forged = await get({}, 'GET', path.replace('mode=test', 'mode=live'));
      expect(errorType(forged)).toBe('invalid_signature');
    });

    it('ends the URLs of a client that is disabled', async () => {
      const path = await streamUrl('With audio');
      expect((await get({}, 'GET', path)).status).toBe(200);
      // Past the ten seconds that a time of issue is rounded up by.
      house.clock.turn(20);
      await disableClient(house.operator, client.clientId);
      await house.until(async () => (await get({}, 'GET', path)).status === 403);
      expect(errorType(await get({}, 'GET', path))).toBe('url_expired');

      await enableClient(house.operator, client.clientId);
      await client.token({ fresh: true });
      const fresh = await streamUrl('With audio');
      expect((await get({}, 'GET', fresh)).status).toBe(200);
      expect(errorType(await get({}, 'GET', path))).toBe('url_expired');
    });
  });
}

if (!hasSharedAudio) {
  // biome-ignore lint/suspicious/noConsole: what is left out is said aloud
  console.warn('LEFT OUT: streaming of real audio, for ../shared/data/audio is absent');
}
