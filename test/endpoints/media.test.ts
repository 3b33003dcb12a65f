import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../harness/catalog.ts';
import { startHouse, type TestClient, type TestHouse } from '../harness/house.ts';
import type { RawResponse } from '../harness/http.ts';

/** Every declared status of the binary operations, held against the document. */
const AUDIO = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251));
const BY = 'test:harness';

let house: TestHouse;
let client: TestClient;
let id: string;
beforeAll(async () => {
  house = await startHouse({ tracks: [] });
  client = await house.createClient();
  const { key } = await house.operator.media.putBytes(AUDIO, 'mp3');
  const track = delivery(0, { audioKey: key });
  id = track.id;
  await house.deliver([track]);
  await house.until(async () => (await track0()).status === 200);
});
afterAll(() => house?.close());

const track0 = async () =>
  house.call('showTrack', { token: await client.token(), params: { slug: id } });

/** Plays the track's stream URL as a player would, with these headers. */
async function stream(headers: Record<string, string> = {}, url?: string): Promise<RawResponse> {
  const { pathname, search } = new URL(url ?? (await track0()).data.streamUrl);
  const answer = await house.http.send('GET', pathname + search, headers);
  house.contract.check('streamTrack', answer);
  return answer;
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

  it('is gone once the track is taken down', async () => {
    const { streamUrl } = (await track0()).data;
    await house.operator.store.catalog.setState(id, 'taken_down', BY);
    const gone = await stream({}, streamUrl);
    expect([gone.status, kindOf(gone)]).toEqual([410, 'gone']);
    await house.operator.store.catalog.setState(id, 'live', BY);
    await house.until(async () => (await track0()).status === 200);
    expect((await stream({}, streamUrl)).status).toBe(200);
  });

  it('lives for 30 minutes, and 10 seconds at most beyond', async () => {
    const { streamUrl, streamUrlExpiresAt } = (await track0()).data;
    const left = (Date.parse(streamUrlExpiresAt) - house.clock.now()) / 1000;
    house.clock.turn(left - 3);
    expect((await stream({}, streamUrl)).status).toBe(200);
    house.clock.turn(4);
    const late = await stream({}, streamUrl);
    expect([late.status, kindOf(late)]).toEqual([403, 'url_expired']);
    // The token has half an hour left, and gets a URL that works.
    expect((await stream()).status).toBe(200);
  });
});

describe('readArtwork', () => {
  it('serves a picture for ever, and revalidates it', async () => {
    const { pathname } = new URL((await track0()).data.artworkUrl);
    const picture = await house.http.send('GET', pathname);
    house.contract.check('readArtwork', picture);
    expect(picture.status).toBe(200);
    expect(picture.headers['cache-control']).toContain('immutable');
    const same = await house.http.send('GET', pathname, { 'If-None-Match': picture.headers.etag! });
    house.contract.check('readArtwork', same);
    expect(same.status).toBe(304);
    const other = await house.http.send('GET', pathname, { 'If-Match': '"other"' });
    house.contract.check('readArtwork', other);
    expect(other.status).toBe(412);
  });
});
