import { parseBuffer } from 'music-metadata';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { mp3 } from '../../../../test/harness/clips.ts';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';
import type { RawResponse } from '../../../../test/harness/http.ts';
import { publishCard } from '../../../../test/harness/licensing.ts';
import { errorOf } from '../../../../test/harness/preview-server.ts';
import { sell } from '../../../../test/harness/sold-licenses.ts';
import {
  startTestServer,
  type TestClient,
  type TestServer,
} from '../../../../test/harness/test-server.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { FIXTURE_TRACK_ID } from '../../catalog/track-document.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
const BY = 'test:harness';
const AUDIO = wav(4_000);

/** Sells a test license of a track with an imported clip to the client with all features. */
async function sold({ server, featured }: EndpointContext): Promise<string> {
  await publishCard(server.operator.store);
  const { media } = server.operator;
  const { key: audioKey } = await media.putBytes(AUDIO, 'wav');
  const { key: previewKey } = await media.putBytes(await mp3(1), 'mp3');
  await server.deliver([delivery(0, { audioKey, previewKey })]);
  return (await sell(server, featured, { tracks: [delivery(0).id] })).number;
}

const access = { feature: 'licensing' };

testEndpoint({
  operationId: 'createDownloads',
  operation: 'POST /v1/licenses/{number}/downloads',
  access,
  status: 201,
  async request(context) {
    const number = await sold(context);
    return { token: context.featured, params: { number: number.toLowerCase() }, body: {} };
  },
  expectResponse({ data }) {
    expect(data.licenseNumber).toMatch(/^TEST-/);
    expect(data.items).toMatchObject([
      { slug: 'night-ferry', format: 'original', tagged: true, partId: null },
    ]);
    expect(data.items[0].fileName).toBe('TEST - Artist 0 - Night Ferry.mp3');
  },
});

testEndpoint({
  operationId: 'listDownloads',
  operation: 'GET /v1/licenses/{number}/downloads',
  access,
  async request(context) {
    return { token: context.featured, params: { number: await sold(context) } };
  },
  expectResponse({ data }) {
    expect(data).toMatchObject({ totalRecords: 0, items: [] });
  },
});

describe('downloadLicensedFile', () => {
  let server: TestServer;
  let client: TestClient;
  let live: string;
  beforeAll(async () => {
    server = await startTestServer({ tracks: [] });
    client = await server.createClient({ scopes: ['licensing'], features: ['licensing'] });
    live = await client.token({ mode: 'live' });
    await publishCard(server.operator.store, { parts: true });
    const { media } = server.operator;
    const put = async (bytes: Buffer, extension: string) =>
      (await media.putBytes(bytes, extension)).key;
    const audioKey = await put(AUDIO, 'wav');
    const part = await media.putBytes(wav(2_000), 'wav');
    const stem = { kind: 'drums', name: 'Kit', durationSeconds: 1 };
    const stems = [{ ...stem, audioKey: part.key, sizeBytes: part.sizeBytes }];
    await server.deliver([
      delivery(0, { audioKey, artworkKey: await put(PNG, 'png'), iswc: 'T-034.524.680-1' }),
      delivery(35, { audioKey, artists: delivery(0).artists, stems }),
      delivery(1, { audioKey: await put(Buffer.from('no audio at all'), 'aac') }),
      delivery(2),
      delivery(3, { audioKey: await put(await mp3(2), 'mp3') }),
    ]);
  });
  afterAll(() => server?.close());

  const license = async (...numbers: number[]) =>
    sell(server, live, { tracks: numbers.map((number) => delivery(number).id) });
  const request = (number: string, body: object = {}, token = live) =>
    server.call('createDownloads', { token, params: { number }, body });
  const listed = async (number: string) =>
    (await server.call('listDownloads', { token: live, params: { number } })).data;
  async function get(
    url: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<RawResponse> {
    const response = await server.http.send(method, url.slice(server.address.length), headers);
    if (method !== 'HEAD') server.contract.check('downloadLicensedFile', response);
    return response;
  }

  it('sends the delivered audio with the license in its tags, whole and in ranges', async () => {
    const { number } = await license(0);
    const { data } = await request(number);
    const [item] = data.items;
    expect(item).toMatchObject({ fileName: 'Artist 0 - Night Ferry.wav', tagged: true });
    const whole = await get(item.url);
    expect(whole.status).toBe(200);
    expect(whole.headers).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': String(item.bytes),
      'accept-ranges': 'bytes',
      'content-disposition': expect.stringMatching(/^attachment; filename="Artist 0 - Night F/),
    });
    expect(whole.body).toHaveLength(item.bytes);
    expect(whole.body.includes(AUDIO.subarray(44))).toBe(true);
    const { common, native } = await parseBuffer(whole.body, 'audio/wav');
    expect(common).toMatchObject({
      title: 'Night Ferry',
      artist: 'Artist 0',
      isrc: ['QZES72400000'],
    });
    expect(common.picture).toMatchObject([{ format: 'image/png' }]);
    const frames = native['ID3v2.4']!;
    for (const [id, value] of [
      ['TXXX:LICENSE', number],
      ['TXXX:LICENSEE', 'Lighthouse Film'],
      ['TXXX:TERRITORIES', 'DE'],
      ['TXXX:ISWC', 'T-034.524.680-1'],
      ['WCOP', `${server.address}/v1/licenses/${number}/verify`],
    ]) {
      expect(frames).toContainEqual({ id, value });
    }
    expect(whole.body.includes('a@b.example')).toBe(false);

    const range = await get(item.url, { Range: 'bytes=700-999', 'If-Range': whole.headers.etag! });
    expect([range.status, range.headers['content-range']]).toEqual([
      206,
      `bytes 700-999/${item.bytes}`,
    ]);
    expect(range.body.equals(whole.body.subarray(700, 1_000))).toBe(true);
    expect(errorOf(await get(item.url, { Range: 'bytes=99999999-' }))[0]).toBe(416);
    expect((await get(item.url, { 'If-None-Match': whole.headers.etag! })).status).toBe(304);
    expect(errorOf(await get(item.url, { 'If-Match': '"other"' }))[0]).toBe(412);
  });

  it('gives another file, with another entity tag, to another license', async () => {
    const [one, other] = [await license(3), await license(3)];
    const files = [];
    for (const { number } of [one, other]) {
      files.push(await get((await request(number)).data.items[0].url));
    }
    expect(files[0]!.headers.etag).not.toBe(files[1]!.headers.etag);
    expect(files[0]!.body.equals(files[1]!.body)).toBe(false);
  });

  it('sends a file without tags as it is, and says so', async () => {
    const { number } = await license(1);
    const [item] = (await request(number)).data.items;
    expect(item).toMatchObject({ tagged: false, bytes: 15 });
    expect((await get(item.url)).body.toString()).toBe('no audio at all');
  });

  it('counts a file once a day, from the first byte of a GET', async () => {
    const { number } = await license(0);
    const [{ url, bytes }] = (await request(number)).data.items;
    await get(url, {}, 'HEAD');
    expect(await listed(number)).toMatchObject({ totalRecords: 0 });
    for (let i = 0; i < 3; i++) await get(url, { Range: `bytes=${i}-9` });
    const { totalRecords, items } = await listed(number);
    expect(totalRecords).toBe(1);
    expect(items).toMatchObject([
      { trackId: delivery(0).id, partId: null, format: 'original', bytes },
    ]);
    server.clock.advance(86_400);
    live = await client.token({ mode: 'live', fresh: true });
    await get((await request(number)).data.items[0].url);
    expect(await listed(number)).toMatchObject({ totalRecords: 2 });
    const { store } = server.operator;
    await server.until(async () => {
      const used = await store.mediaRequests.ofTrack(delivery(0).id, { from: 0, to: 2 ** 52 });
      const downloads = used.filter(({ kind }) => kind === 'download');
      return downloads.reduce((sum, { requests }) => sum + requests, 0) >= 3;
    });
  });

  it('names parts, and files with equal names', async () => {
    const { number, parts } = await license(0, 35);
    expect(parts).toBe(true);
    const { data } = await request(number, { parts: true });
    expect(data.items.map(({ fileName }: { fileName: string }) => fileName)).toEqual([
      'Artist 0 - Night Ferry.wav',
      'Artist 0 - Night Ferry (2).wav',
      'Artist 0 - Night Ferry (Kit).wav',
    ]);
    const part = data.items[2];
    expect(part).toMatchObject({ trackId: delivery(35).id, partId: expect.any(String) });
    const { headers, body } = await get(part.url);
    expect(headers['content-disposition']).toContain('Night Ferry (Kit).wav');
    expect(body.includes(wav(2_000).subarray(44))).toBe(true);
    expect((await get(data.items[1].url)).headers['content-disposition']).toContain('(2).wav');
    expect(await listed(number)).toMatchObject({ totalRecords: 2 });
  });

  it('refuses what a license does not have', async () => {
    const { number } = await license(0, 2, 3);
    const refused = async (body: object) => {
      const { status, error } = await request(number, body);
      return `${status} ${error.message}`;
    };
    expect(await refused({})).toMatch(/^409 .*tracks\[1] has no audio\.$/);
    expect(await refused({ tracks: [delivery(1).id] })).toMatch(/^404 Not on the license/);
    expect(await refused({ tracks: ['no-such-track'] })).toMatch(/^404 Not on the license/);
    expect(await refused({ tracks: [delivery(3).id, delivery(3).id.toUpperCase()] })).toMatch(
      /^400 .*names a track again/,
    );
    expect(await refused({ tracks: [] })).toMatch(/^400/);
    expect(await refused({ format: 'ogg' })).toMatch(/^400/);
    expect(await refused({ tracks: [delivery(3).id], format: 'wav' })).toMatch(
      /^409 .*is delivered as mp3 and is not converted to wav/,
    );
    expect((await request(number, { tracks: [delivery(3).id], format: 'mp3' })).status).toBe(201);
    const other = await server.createClient({ scopes: ['licensing'], features: ['licensing'] });
    const { status } = await request(number, {}, await other.token({ mode: 'live' }));
    expect(status).toBe(404);
    expect((await request(number, {}, await client.token())).status).toBe(404);
  });

  it('signs afresh for a repeated request with a key', async () => {
    const { number } = await license(0);
    const asked = {
      token: live,
      params: { number },
      body: {},
      headers: { 'Idempotency-Key': 'a1' },
    };
    const first = await server.call('createDownloads', asked);
    server.clock.advance(60);
    const again = await server.call('createDownloads', asked);
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
    expect(again.data.items[0].url).not.toBe(first.data.items[0].url);
    expect((await get(again.data.items[0].url)).status).toBe(200);
    const other = await server.call('createDownloads', { ...asked, body: { format: 'wav' } });
    expect(other.status).toBe(422);
  });

  it('delivers a track that was taken down, unless it was taken down from licenses, too', async () => {
    const { number } = await license(3);
    const { store } = server.operator;
    const [{ url }] = (await request(number)).data.items;
    const [[rowId]] = (await store.trackFinder.named([delivery(3).id])) as [[number]];
    await setTrackState(store, delivery(3).id, 'taken_down', BY);
    expect((await get(url)).status).toBe(200);
    expect((await request(number)).status).toBe(201);
    await store.trackFinder.withhold([rowId]);
    expect(errorOf(await get(url))).toEqual([410, 'gone']);
    expect((await request(number)).error.message).toContain('was taken down');
    await setTrackState(store, delivery(3).id, 'live', BY);
    expect((await get(url)).status).toBe(200);
  });

  it('stops when the license is revoked or not active, and for a changed URL', async () => {
    const { number } = await license(3);
    const [{ url }] = (await request(number)).data.items;
    const changed = [
      url.replace(number, (await license(3)).number),
      url.replace('copy=1', 'copy=2'),
      url.replace('format=original', 'format=mp3'),
      url.replace('kind=download', 'kind=part'),
      url.replace('/media/download/', '/media/part/'),
    ];
    for (const one of changed) {
      const response = await server.http.send('GET', one.slice(server.address.length));
      expect(errorOf(response), one).toEqual([403, 'invalid_signature']);
    }
    const { issuedLicenses } = server.operator.store;
    await issuedLicenses.revoke(number, { reason: 'unpaid', now: server.clock.now() }, BY);
    expect(errorOf(await get(url))).toEqual([410, 'gone']);
    const { status, error } = await request(number);
    expect([status, error.message]).toEqual([409, expect.stringContaining('was revoked')]);
  });

  it('is refused before a license starts, after it has ended, and for the fixture track', async () => {
    const token = await client.token();
    const { number } = await sell(server, token, { tracks: [FIXTURE_TRACK_ID] });
    const at = async (time: string) => {
      const headers = { 'X-Stave-Now': time };
      const { status, error } = await server.call('createDownloads', {
        ...{ token, params: { number }, body: {}, headers },
      });
      return `${status} ${error.message}`;
    };
    expect(await at('2020-01-01T00:00:00Z')).toMatch(/^409 .* starts at/);
    expect(await at('2099-01-01T00:00:00Z')).toMatch(/^409 .* ended at/);
    const { status, error } = await request(number, {}, token);
    expect([status, error.message]).toEqual([409, 'The fixture track has no file.']);
  });
});
