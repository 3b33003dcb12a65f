import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { hasS3Server, type S3Server, startS3Server } from '../../../../test/harness/s3-server.ts';
import { streamSuite } from '../../../../test/harness/stream-suite.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/test-server.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { generateArtwork } from '../artwork/generate.ts';

/** Starts Stave with its media in a bucket of that S3 server, in proxy mode. */
async function serverOn(s3: S3Server): Promise<TestServer> {
  Object.assign(process.env, s3.environment);
  const bucket = await s3.createBucket();
  return startTestServer({
    tracks: [],
    config: { media: { bucket, prefix: 'media', delivery: 'proxy' } },
  });
}

if (hasS3Server) {
  streamSuite('sent through Stave from a bucket', async () => {
    const s3 = await startS3Server();
    const server = await serverOn(s3);
    const { port } = new URL(s3.endpoint);
    return {
      server,
      /** Returns how many connections to the S3 server have unread bytes, of any key. */
      async openReads() {
        const table = await readFile('/proc/net/tcp', 'utf8');
        const remote = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
        return table.split('\n').filter((line) => {
          const [, , to, state, queues = ':0'] = line.trim().split(/\s+/);
          return to?.endsWith(remote) && state === '01' && !/:0+$/.test(queues);
        }).length;
      },
      async close() {
        await server.close();
        await s3.close();
      },
    };
  });
}

describe.runIf(hasS3Server)('media from a bucket in proxy mode', () => {
  let s3: S3Server;
  let server: TestServer;
  let stream: string;
  let artwork: string;
  let picture: Buffer;

  beforeAll(async () => {
    s3 = await startS3Server();
    server = await serverOn(s3);
    const { media } = server.operator;
    picture = await generateArtwork('delivered');
    const { key: audioKey } = await media.putBytes(wav(), 'wav');
    const { key: artworkKey } = await media.putBytes(picture, 'png');
    await server.deliver([delivery(0, { name: 'One', audioKey, artworkKey })]);
    const token = await (await server.createClient()).token();
    let items: { streamUrl: string; artworkUrl: string }[] = [];
    await server.until(async () => {
      items = (await server.call('listTracks', { token })).data.items;
      return items.length === 1;
    });
    stream = items[0]!.streamUrl.slice(server.address.length);
    artwork = items[0]!.artworkUrl.slice(server.address.length);
  });
  afterAll(async () => {
    await server?.close();
    await s3?.close();
  });

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await server.http.send('GET', path, headers);
    server.contract.check(path.includes('artwork') ? 'readArtwork' : 'streamTrack', response);
    return response;
  };

  it('sends artwork, cacheable forever', async () => {
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

  it('is unavailable while the S3 server is down, and recovers', async () => {
    await s3.kill();
    for (const path of [stream, artwork]) {
      const begun = performance.now();
      const { status, headers, body } = await get(path);
      expect(status).toBe(503);
      expect(JSON.parse(body.toString()).error.type).toBe('unavailable');
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(performance.now() - begun).toBeLessThan(3_000);
    }
    // The rest of the service does not need the bucket.
    expect((await server.http.send('GET', '/health-check')).status).toBe(200);
    await s3.start();
    await server.until(async () => (await get(stream)).status === 200);
    expect((await get(artwork)).body.equals(picture)).toBe(true);
  });

  it('is unavailable after a timeout while the S3 server is paused', async () => {
    s3.pause();
    try {
      const begun = performance.now();
      expect((await get(stream)).status).toBe(503);
      expect(performance.now() - begun).toBeLessThan(15_000);
    } finally {
      s3.resume();
    }
    await server.until(async () => (await get(stream)).status === 200);
  });

  it('aborts a download whose S3 server dies, so that it does not look complete', async () => {
    const large = Buffer.alloc(32 * 1024 * 1024, 5);
    const { key } = await server.operator.media.putBytes(large, 'flac');
    await server.deliver([delivery(1, { name: 'Large', audioKey: key })]);
    const token = await (await server.createClient()).token();
    let url = '';
    await server.until(async () => {
      const { data } = await server.call('listTracks', { token, query: { search: 'Large' } });
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
