import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import type { RawResponse } from '../../../../test/harness/http.ts';
import { hasS3Server, type S3Server, startS3Server } from '../../../../test/harness/s3-server.ts';
import {
  startTestServer,
  type TestClient,
  type TestServer,
} from '../../../../test/harness/test-server.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { setClientEnabled } from '../../access/clients.ts';

describe.runIf(hasS3Server)('GET /media/stream/{id}, by redirects to a bucket', () => {
  const file = wav();
  let s3: S3Server;
  let server: TestServer;
  let client: TestClient;
  let url: string;
  let pathOf: (name: string) => Promise<string>;

  beforeAll(async () => {
    s3 = await startS3Server();
    Object.assign(process.env, s3.environment);
    const bucket = await s3.createBucket();
    server = await startTestServer({
      tracks: [],
      config: { media: { bucket, prefix: 'a/prefix', delivery: 'redirect' } },
    });
    const { key: audioKey } = await server.operator.media.putBytes(file, 'wav');
    await server.deliver([
      delivery(0, { name: 'With audio', audioKey }),
      delivery(1, { name: 'Without audio' }),
      delivery(2, { name: 'Taken down', audioKey }),
      delivery(3, { name: 'Lost', audioKey: `${'0'.repeat(64)}.mp3` }),
    ]);
    client = await server.createClient();
    pathOf = async (search) => {
      const token = await client.token();
      const { data } = await server.call('listTracks', { token, query: { search } });
      return data.items[0]?.streamUrl.slice(server.address.length) ?? '';
    };
    await server.until(async () => (await pathOf('Lost')) !== '');
    url = await pathOf('With audio');
  });
  afterAll(async () => {
    await server?.close();
    await s3?.close();
  });

  async function get(method = 'GET', path = url, headers: Record<string, string> = {}) {
    const response = await server.http.send(method, path, headers);
    server.contract.check('streamTrack', response);
    return response;
  }

  const errorType = ({ body }: RawResponse) => JSON.parse(body.toString()).error.type;
  const maxAge = (value: unknown) => Number(/^private, max-age=(\d+)$/.exec(String(value))?.[1]);

  it('plays after the redirect: whole, in part, and by HEAD', async () => {
    const whole = await fetch(server.address + url);
    expect([whole.status, whole.redirected]).toEqual([200, true]);
    expect(Buffer.from(await whole.arrayBuffer()).equals(file)).toBe(true);
    expect(whole.headers.get('content-type')).toBe('audio/wav');
    expect(maxAge(whole.headers.get('cache-control'))).toBeGreaterThan(1_700);

    expect(whole.headers.get('content-disposition')).toMatch(/^inline; .*With audio\.wav"/);
    const saved = await fetch(`${server.address}${url}&download`);
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment; .*With audio\.wav"/);
    await saved.arrayBuffer();

    const part = await fetch(server.address + url, { headers: { Range: 'bytes=100-199' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 100-199/${file.length}`);
    expect(Buffer.from(await part.arrayBuffer()).equals(file.subarray(100, 200))).toBe(true);

    const head = await fetch(server.address + url, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(file.length));
  });

  it('redirects no longer than the URL is valid, and forbids shared caching', async () => {
    const { status, headers, body } = await get();
    expect([status, body.length]).toEqual([302, 0]);
    const issued = Number(new URL(url, server.address).searchParams.get('issued'));
    const location = new URL(headers.location!);
    const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/
      .exec(location.searchParams.get('X-Amz-Date')!)!
      .map(Number);
    const signedAt = Date.UTC(y!, mo! - 1, d, h, mi, s) / 1000;
    const life = Number(location.searchParams.get('X-Amz-Expires'));
    expect(signedAt + life).toBeLessThanOrEqual(issued + 1800);
    expect(signedAt + life).toBeGreaterThan(issued + 1797);
    expect(maxAge(headers['cache-control'])).toBeLessThanOrEqual(life);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
    expect(headers['content-type']).toBeUndefined();
    expect(location.href).not.toContain(s3.environment.AWS_SECRET_ACCESS_KEY);
  });

  it('signs only for the method and the object', async () => {
    const { location } = (await get('HEAD')).headers;
    expect((await fetch(location!, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(location!)).status).toBe(403);
    const other = (await get()).headers.location!;
    expect((await fetch(other.replace('max-age', 'max_age'))).status).toBe(403);
    expect((await fetch(other.replace(/Expires=\d+/, 'Expires=604800'))).status).toBe(403);
    expect((await fetch(other.replace(/[0-9a-f]{64}\.wav/, `${'1'.repeat(64)}.wav`))).status).toBe(
      403,
    );
  });

  it('refuses a forged URL, and one of a track without audio or taken down, without a redirect', async () => {
    const forged = await get('GET', url.replace('mode=test', 'mode=live'));
    expect([forged.status, errorType(forged)]).toEqual([403, 'invalid_signature']);
    const silent = await get('GET', await pathOf('Without audio'));
    expect([silent.status, errorType(silent)]).toEqual([404, 'not_found']);

    const path = await pathOf('Taken down');
    const { data } = await server.call('listTracks', {
      token: await client.token(),
      query: { search: 'Taken down' },
    });
    await setTrackState(server.operator.store, data.items[0].id, 'taken_down', 'test');
    const gone = await get('GET', path);
    expect([gone.status, errorType(gone)]).toEqual([410, 'gone']);
  });

  it('makes no round trip: the bucket reports a lost file, and redirects work while it is down', async () => {
    const lost = await get('GET', await pathOf('Lost'));
    expect(lost.status).toBe(302);
    expect((await fetch(lost.headers.location!)).status).toBe(404);
    await s3.kill();
    expect((await get()).status).toBe(302);
    await s3.start();
    expect((await fetch(server.address + url)).status).toBe(200);
  });

  // These two tests move the clock, so they come last.
  it('redirects for at least a second, until the URL expires', async () => {
    const issued = Number(new URL(url, server.address).searchParams.get('issued'));
    const left = issued + 1800 - server.clock.now() / 1000;
    server.clock.advance(left - 3);
    const late = await get();
    expect(late.status).toBe(302);
    const life = Number(new URL(late.headers.location!).searchParams.get('X-Amz-Expires'));
    expect(life).toBeGreaterThanOrEqual(1);
    expect(life).toBeLessThanOrEqual(3);
    server.clock.advance(4);
    const over = await get();
    expect([over.status, errorType(over)]).toEqual([403, 'url_expired']);
  });

  it('is refused after the client is disabled', async () => {
    await client.token({ fresh: true });
    const path = await pathOf('With audio');
    expect((await get('GET', path)).status).toBe(302);
    server.clock.advance(20);
    await setClientEnabled(server.operator, client.clientId, false);
    await server.until(async () => (await get('GET', path)).status === 403);
    expect(errorType(await get('GET', path))).toBe('url_expired');
  });
});
