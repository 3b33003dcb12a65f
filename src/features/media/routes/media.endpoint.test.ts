import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import type { RawResponse } from '../../../../test/harness/http.ts';
import {
  startTestServer,
  type TestClient,
  type TestServer,
} from '../../../../test/harness/test-server.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';

// Every declared status of the two operations. The other tests of this folder test the bytes, the access, and media in
// a bucket.

const AUDIO = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251));
const BY = 'test:harness';

let server: TestServer;
let client: TestClient;
let id: string;
let silentId: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: [] });
  client = await server.createClient();
  const { key } = await server.operator.media.putBytes(AUDIO, 'mp3');
  const track = delivery(0, { audioKey: key });
  id = track.id;
  const silent = delivery(1);
  silentId = silent.id;
  await server.deliver([track, silent]);
  const list = async () => server.call('listTracks', { token: await client.token() });
  await server.until(async () => (await list()).data.totalRecords === 2);
});
afterAll(() => server?.close());

const show = async (slug: string) =>
  server.call('showTrack', { token: await client.token(), params: { slug } });
const track0 = () => show(id);

/** Requests the track's stream URL like a player, with these headers. */
async function stream(headers: Record<string, string> = {}, url?: string): Promise<RawResponse> {
  const { pathname, search } = new URL(url ?? (await track0()).data.streamUrl);
  const response = await server.http.send('GET', pathname + search, headers);
  server.contract.check('streamTrack', response);
  return response;
}
const kindOf = ({ body }: RawResponse) => JSON.parse(body.toString('utf8')).error.type;

describe('streamTrack', () => {
  it('plays without a token, whole and in parts, and revalidates', async () => {
    const { data } = await track0();
    expect(data.hasAudio).toBe(true);
    const whole = await stream();
    expect(whole.status).toBe(200);
    expect(whole.headers['content-type']).toBe('audio/mpeg');
    expect(whole.body.equals(AUDIO)).toBe(true);
    const part = await stream({ Range: 'bytes=100-199' });
    expect(part.status).toBe(206);
    expect(part.headers['content-range']).toBe('bytes 100-199/5000');
    expect(part.body.equals(AUDIO.subarray(100, 200))).toBe(true);
    const same = await stream({ 'If-None-Match': whole.headers.etag! });
    expect(same.status).toBe(304);
  });

  it('refuses a range outside the file and a condition that does not hold', async () => {
    const outside = await stream({ Range: 'bytes=5000-' });
    expect([outside.status, kindOf(outside)]).toEqual([416, 'range_not_satisfiable']);
    const other = await stream({ 'If-Match': '"other"' });
    expect([other.status, kindOf(other)]).toEqual([412, 'precondition_failed']);
  });

  it('refuses a wrong signature, and finds nothing for a track without audio', async () => {
    const { pathname } = new URL((await track0()).data.streamUrl);
    const forged = await stream({}, new URL(`${pathname}?signature=x`, server.address).href);
    expect(forged.status).toBe(403);
    const silent = await stream({}, (await show(silentId)).data.streamUrl);
    expect(silent.status).toBe(404);
  });

  it('is gone once the track is taken down', async () => {
    const { streamUrl } = (await track0()).data;
    await setTrackState(server.operator.store, id, 'taken_down', BY);
    const gone = await stream({}, streamUrl);
    expect([gone.status, kindOf(gone)]).toEqual([410, 'gone']);
    await setTrackState(server.operator.store, id, 'live', BY);
    await server.until(async () => (await track0()).status === 200);
    expect((await stream({}, streamUrl)).status).toBe(200);
  });

  it('is valid for 30 minutes, and at most 10 seconds more', async () => {
    const { streamUrl, streamUrlExpiresAt } = (await track0()).data;
    const left = (Date.parse(streamUrlExpiresAt) - server.clock.now()) / 1000;
    server.clock.advance(left - 3);
    expect((await stream({}, streamUrl)).status).toBe(200);
    server.clock.advance(4);
    const late = await stream({}, streamUrl);
    expect([late.status, kindOf(late)]).toEqual([403, 'url_expired']);
    // The token is valid for another half an hour, so it gets a valid URL.
    expect((await stream()).status).toBe(200);
  });
});

describe('readArtwork', () => {
  it('finds no picture with another name', async () => {
    const nothing = await server.http.send('GET', '/media/artwork/none.png');
    server.contract.check('readArtwork', nothing);
    expect(nothing.status).toBe(404);
  });

  it('serves a picture that is cacheable forever, and revalidates it', async () => {
    // Not that of the other track, which the index may not have again yet.
    const { pathname } = new URL((await show(silentId)).data.artworkUrl);
    const picture = await server.http.send('GET', pathname);
    server.contract.check('readArtwork', picture);
    expect(picture.status).toBe(200);
    expect(picture.headers['cache-control']).toContain('immutable');
    const same = await server.http.send('GET', pathname, {
      'If-None-Match': picture.headers.etag!,
    });
    server.contract.check('readArtwork', same);
    expect(same.status).toBe(304);
    const other = await server.http.send('GET', pathname, { 'If-Match': '"other"' });
    server.contract.check('readArtwork', other);
    expect(other.status).toBe(412);
  });
});
