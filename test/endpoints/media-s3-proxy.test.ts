import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateArtwork } from '../../src/media/artwork/generate.ts';
import { delivery } from '../harness/catalog.ts';
import { startHouse, type TestHouse } from '../harness/house.ts';
import { hasS3Server, type S3Server, startS3Server } from '../harness/s3-server.ts';
import { streamSuite, wav } from './stream-suite.ts';

/** Opens a house whose media is in a bucket of this server, which it passes on. */
async function houseOn(s3: S3Server): Promise<TestHouse> {
  Object.assign(process.env, s3.environment);
  const bucket = await s3.createBucket();
  return startHouse({
    tracks: [],
    config: { media: { bucket, prefix: 'media', delivery: 'proxy' } },
  });
}

if (hasS3Server) {
  streamSuite('passed on from a bucket', async () => {
    const s3 = await startS3Server();
    const house = await houseOn(s3);
    const { port } = new URL(s3.endpoint);
    return {
      house,
      /** How many connections to the server hold bytes that nobody has taken: any read, not just of the key. */
      async openReads() {
        const table = await readFile('/proc/net/tcp', 'utf8');
        const remote = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
        return table.split('\n').filter((line) => {
          const [, , to, state, queues = ':0'] = line.trim().split(/\s+/);
          return to?.endsWith(remote) && state === '01' && !/:0+$/.test(queues);
        }).length;
      },
      async close() {
        await house.close();
        await s3.close();
      },
    };
  });
}

describe.runIf(hasS3Server)('media passed on from a bucket', () => {
  let s3: S3Server;
  let house: TestHouse;
  let stream: string;
  let artwork: string;
  let picture: Buffer;

  beforeAll(async () => {
    s3 = await startS3Server();
    house = await houseOn(s3);
    const { media } = house.operator;
    picture = await generateArtwork('delivered');
    const { key: audioKey } = await media.putBytes(wav(), 'wav');
    const { key: artworkKey } = await media.putBytes(picture, 'png');
    await house.deliver([delivery(0, { name: 'One', audioKey, artworkKey })]);
    const token = await (await house.createClient()).token();
    let items: { streamUrl: string; artworkUrl: string }[] = [];
    await house.until(async () => {
      items = (await house.call('listTracks', { token })).data.items;
      return items.length === 1;
    });
    stream = items[0]!.streamUrl.slice(house.address.length);
    artwork = items[0]!.artworkUrl.slice(house.address.length);
  });
  afterAll(async () => {
    await house?.close();
    await s3?.close();
  });

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await house.http.send('GET', path, headers);
    house.contract.check(path.includes('artwork') ? 'readArtwork' : 'streamTrack', answer);
    return answer;
  };

  it('sends artwork, to be kept for ever', async () => {
    const { status, headers, body } = await get(artwork);
    expect(status).toBe(200);
    expect(body.equals(picture)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': String(picture.length),
    });
    expect((await get(artwork, { 'If-None-Match': headers.etag! })).status).toBe(304);
    const absent = await get(`/media/artwork/${'0'.repeat(64)}.png`);
    expect(absent.status).toBe(404);
  });

  it('is unavailable while the server is gone, and comes back with it', async () => {
    await s3.kill();
    for (const path of [stream, artwork]) {
      const begun = performance.now();
      const { status, headers, body } = await get(path);
      expect(status).toBe(503);
      expect(JSON.parse(body.toString()).error.type).toBe('unavailable');
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(performance.now() - begun).toBeLessThan(3_000);
    }
    // The rest of the service does not need it.
    expect((await house.http.send('GET', '/health-check')).status).toBe(200);
    await s3.start();
    await house.until(async () => (await get(stream)).status === 200);
    expect((await get(artwork)).body.equals(picture)).toBe(true);
  });

  it('is unavailable within a bound while the server holds still', async () => {
    s3.pause();
    try {
      const begun = performance.now();
      expect((await get(stream)).status).toBe(503);
      expect(performance.now() - begun).toBeLessThan(15_000);
    } finally {
      s3.resume();
    }
    await house.until(async () => (await get(stream)).status === 200);
  });

  it('breaks off a download whose server dies, so that no half looks like a whole', async () => {
    const large = Buffer.alloc(32 * 1024 * 1024, 5);
    const { key } = await house.operator.media.putBytes(large, 'flac');
    await house.deliver([delivery(1, { name: 'Large', audioKey: key })]);
    const token = await (await house.createClient()).token();
    let url = '';
    await house.until(async () => {
      const { data } = await house.call('listTracks', { token, query: { search: 'Large' } });
      url = data.items[0]?.streamUrl ?? '';
      return url !== '';
    });
    const response = await fetch(url);
    const reader = response.body!.getReader();
    await reader.read();
    await s3.kill();
    const drained = async () => {
      while (!(await reader.read()).done);
    };
    await expect(drained()).rejects.toThrow();
    await s3.start();
  });
});
