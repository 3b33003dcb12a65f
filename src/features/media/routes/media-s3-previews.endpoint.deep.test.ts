import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { hasS3Server, type S3Server, startS3Server } from '../../../../test/harness/s3-server.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/test-server.ts';
import { setPreviews } from '../../../../test/harness/track-previews.ts';
import { ALL_SCOPES } from '../../../common/caller.ts';
import { renditionsOf } from '../../renditions/rendition.ts';
import { waveformDat, waveformJson } from '../../renditions/rendition-files.ts';

const WAVEFORM = {
  sampleRate: 44_100,
  samplesPerPixel: 512,
  data: Int8Array.from({ length: 20_000 }, (_, i) => i % 100),
};
const JSON_BYTES = Buffer.from(waveformJson(WAVEFORM));
const CLIP = Buffer.from('a clip');

describe.runIf(hasS3Server)('previews in a bucket, by redirects', () => {
  let s3: S3Server;
  let server: TestServer;
  /** A track whose previews were made, and one whose previews were imported. */
  let tracks: Record<string, string>[];

  beforeAll(async () => {
    s3 = await startS3Server();
    Object.assign(process.env, s3.environment);
    const bucket = await s3.createBucket();
    server = await startTestServer({
      tracks: [],
      config: { media: { bucket, prefix: '', delivery: 'redirect' } },
    });
    const { media, store } = server.operator;
    const keyOf = async (bytes: Uint8Array, extension: string) =>
      (await media.putBytes(bytes, extension)).key;
    const keys = {
      preview: await keyOf(CLIP, 'mp3'),
      waveform: await keyOf(gzipSync(JSON_BYTES), 'jgz'),
      'waveform-dat': await keyOf(waveformDat(WAVEFORM), 'dat'),
    };
    const audioKey = `${'0'.repeat(64)}.wav`;
    const ids = [delivery(0).id, delivery(1).id];
    await server.deliver([delivery(0, { audioKey }), delivery(1)]);
    const none = { previewStart: null, previewKey: null, waveformKey: null };
    await store.renditions.add(renditionsOf({ audioKey, ...none }));
    const claim = (await store.renditionClaims.claim('node', ['wav'], 60_000))!;
    const files = claim.names.map(({ kind }) => ({ mediaKey: keys[kind], sizeBytes: 1 }));
    await store.renditionClaims.finish(claim, files);
    await setPreviews(server, ids[1]!, {
      previewKey: keys.preview,
      waveformKey: keys['waveform-dat'],
    });
    const client = await server.createClient({ scopes: ALL_SCOPES, features: ['previews'] });
    const token = await client.token();
    await server.until(async () => {
      const params = ids.map((slug) => server.call('showTrack', { token, params: { slug } }));
      const shown = await Promise.all(params);
      tracks = shown.map(({ data }) => data);
      return shown.every(({ status }) => status === 200);
    });
  });
  afterAll(async () => {
    await server?.close();
    await s3?.close();
  });

  it.each([0, 1])('redirect to the clip, which has ranges there: track %i', async (number) => {
    const { previewUrl } = tracks[number]!;
    const response = await fetch(previewUrl!, { headers: { Range: 'bytes=2-5' } });
    expect([response.status, response.redirected]).toEqual([206, true]);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(await response.text()).toBe('clip');
    const { status, headers } = await server.http.send(
      'HEAD',
      previewUrl!.slice(server.address.length),
    );
    expect([status, headers['access-control-allow-origin']]).toEqual([302, '*']);
  });

  it.each([0, 1])(
    'send the waveform in every form without a redirect: track %i',
    async (number) => {
      const { waveformUrl, waveformDataUrl } = tracks[number]!;
      const get = (url: string, headers = {}) =>
        server.http.send('GET', url.slice(server.address.length), headers);
      const plain = await get(waveformUrl!);
      expect(plain.body.equals(JSON_BYTES)).toBe(true);
      expect(plain.headers['content-length']).toBe(String(JSON_BYTES.length));
      const zipped = await get(waveformUrl!, { 'Accept-Encoding': 'gzip' });
      expect(gunzipSync(zipped.body).equals(JSON_BYTES)).toBe(true);
      const dat = await get(waveformDataUrl!);
      expect(dat.body.equals(waveformDat(WAVEFORM))).toBe(true);
    },
  );
});
