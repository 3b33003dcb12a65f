import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { hasS3Server, type S3Server, startS3Server } from '../../../../test/harness/s3-server.ts';
import { startTestServer, type TestServer } from '../../../../test/harness/test-server.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { ALL_SCOPES } from '../../../common/caller.ts';

const AUDIO = [wav(40_000), wav(50_000)];

describe.runIf(hasS3Server)('parts in a bucket, by redirects', () => {
  let s3: S3Server;
  let server: TestServer;
  let shown: { stems: { url: string }[]; archiveUrl: string };

  beforeAll(async () => {
    s3 = await startS3Server();
    Object.assign(process.env, s3.environment);
    const bucket = await s3.createBucket();
    server = await startTestServer({
      tracks: [],
      config: { media: { bucket, prefix: '', delivery: 'redirect' } },
    });
    const stems = await Promise.all(
      AUDIO.map(async (bytes) => {
        const { key, sizeBytes } = await server.operator.media.putBytes(bytes, 'wav');
        return { kind: 'bass', name: null, durationSeconds: 1, audioKey: key, sizeBytes };
      }),
    );
    await server.deliver([delivery(0, { stems })]);
    const client = await server.createClient({ scopes: ALL_SCOPES, features: ['stems'] });
    const token = await client.token();
    const params = { slug: delivery(0).id };
    shown = (await server.call('listStems', { token, params })).data;
  });
  afterAll(async () => {
    await server?.close();
    await s3?.close();
  });

  it('redirect to the audio of a part, which has ranges there', async () => {
    const { url } = shown.stems[1]!;
    const response = await fetch(url, { headers: { Range: 'bytes=100-199' } });
    expect([response.status, response.redirected]).toEqual([206, true]);
    expect(Buffer.from(await response.arrayBuffer()).equals(AUDIO[1]!.subarray(100, 200))).toBe(
      true,
    );
  });

  it('send the archive without a redirect, in the announced length', async () => {
    const response = await fetch(shown.archiveUrl, { redirect: 'manual' });
    expect(response.status).toBe(200);
    const body = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(body.length));
    for (const bytes of AUDIO) expect(body.includes(bytes)).toBe(true);
  });

  it('do not begin an archive of which the bucket has lost a file', async () => {
    const { parts } = (await server.operator.store.catalog.trackParts(delivery(0).id))!;
    await server.operator.media.remove(parts.stems[1]!.audioKey);
    const response = await fetch(shown.archiveUrl);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
  });
});
