import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/test-server.ts';
import { generateArtwork } from '../artwork/generate.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const FOR_EVER = 'public, max-age=31536000, immutable';

describe('GET /media/artwork/{name}', () => {
  let server: TestServer;
  let picture: Buffer;
  let uploaded: string;
  let generated: string;
  let audioKey: string;

  beforeAll(async () => {
    server = await startTestServer({ tracks: [] });
    picture = await generateArtwork('delivered');
    const { media } = server.operator;
    const { key } = await media.putBytes(picture, 'png');
    audioKey = (await media.putBytes(Buffer.from('secret audio'), 'wav')).key;
    await server.deliver([
      delivery(0, { name: 'Delivered', artworkKey: key, audioKey }),
      delivery(1, { name: 'Generated' }),
    ]);
    const token = await (await server.createClient()).token();
    const pathOf = async (search: string): Promise<string> => {
      const { data } = await server.call('listTracks', { token, query: { search } });
      return data.items[0]?.artworkUrl.slice(server.address.length);
    };
    await server.until(async () => (await pathOf('Generated')) !== undefined);
    uploaded = await pathOf('Delivered');
    generated = await pathOf('Generated');
  });
  afterAll(() => server?.close());

  async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const response = await server.http.send(method, path, headers);
    server.contract.check('readArtwork', response);
    return response;
  }

  it('sends the delivered picture without a signature, cacheable forever', async () => {
    const { status, headers, body } = await get(uploaded);
    expect(status).toBe(200);
    expect(body.equals(picture)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': FOR_EVER,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(headers.etag).toMatch(/^"[0-9a-f]{64}"$/);
  });

  it('may be shown by pages of other origins, and saved', async () => {
    for (const path of [uploaded, generated]) {
      const { headers } = await get(path);
      expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
      expect(headers['content-disposition']).toMatch(/^inline; filename="artwork-[\w]+\.png";/);
      const saved = await get(`${path}?download`);
      expect([saved.status, saved.headers['content-disposition']]).toEqual([
        200,
        headers['content-disposition']!.replace('inline', 'attachment'),
      ]);
      expect((await get(`${path}?download=1`)).headers).toMatchObject({
        'content-disposition': headers['content-disposition'],
      });
    }
  });

  it('generates a picture for a track without one, always the same', async () => {
    const first = await get(generated);
    const second = await get(generated);
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({ 'content-type': 'image/png', 'cache-control': FOR_EVER });
    expect(first.body.subarray(1, 4).toString()).toBe('PNG');
    expect(second.body.equals(first.body)).toBe(true);
    expect(second.headers.etag).toBe(first.headers.etag);
    // The picture is in the media store, so that no node generates it again.
    const name = generated.slice(generated.lastIndexOf('/') + 1);
    expect((await server.operator.media.readDerived(name))!.equals(first.body)).toBe(true);
  });

  it('responds with 304 or 412 to conditions, and to HEAD without a body', async () => {
    for (const path of [uploaded, generated]) {
      const { headers, body } = await get(path);
      const known = await get(path, { 'If-None-Match': headers.etag! });
      expect([known.status, known.body.length]).toEqual([304, 0]);
      expect(known.headers['cache-control']).toBe(FOR_EVER);
      expect((await get(path, { 'If-Match': '"x"' })).status).toBe(412);
      const head = await get(path, {}, 'HEAD');
      expect([head.status, head.body.length]).toEqual([200, 0]);
      expect(head.headers['content-length']).toBe(String(body.length));
    }
  });

  it('never serves audio, which is in the same store', async () => {
    expect((await get(`/media/artwork/${audioKey}`)).status).toBe(404);
  });

  it.each([
    `${'0'.repeat(64)}.png`,
    `${'0'.repeat(64)}.svg`,
    `generated-2-${NOBODY}.png`,
    // Generating a picture takes milliseconds, so only existing tracks and playlists have one.
    `generated-1-${NOBODY}.png`,
    'generated-1-xyz.png',
    '..%2fstave.db',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  ])('responds to %s with not_found', async (name) => {
    const response = await get(`/media/artwork/${name}`);
    expect(response.status).toBe(404);
    expect(JSON.parse(response.body.toString()).error.type).toBe('not_found');
  });
});
