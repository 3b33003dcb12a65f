import { expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { publishCard } from '../../../../test/harness/licensing.ts';
import { hasS3Server, startS3Server } from '../../../../test/harness/s3-server.ts';
import { sell } from '../../../../test/harness/sold-licenses.ts';
import { startTestServer } from '../../../../test/harness/test-server.ts';
import { wav } from '../../../../test/harness/wav.ts';

it.runIf(hasS3Server)('sends licensed files of a bucket itself, in ranges, too', async () => {
  const s3 = await startS3Server();
  Object.assign(process.env, s3.environment);
  const bucket = await s3.createBucket();
  const server = await startTestServer({
    tracks: [],
    config: { media: { bucket, prefix: 'a/prefix', delivery: 'redirect' } },
  });
  try {
    const { media, store } = server.operator;
    const { key: audioKey } = await media.putBytes(wav(), 'wav');
    await server.deliver([delivery(0, { audioKey })]);
    await publishCard(store);
    const client = await server.createClient({ scopes: ['licensing'], features: ['licensing'] });
    const token = await client.token({ mode: 'live' });
    const { number } = await sell(server, token, { tracks: [delivery(0).id] });
    const { data } = await server.call('createDownloads', { token, params: { number }, body: {} });
    const [{ url, bytes }] = data.items;
    const whole = await fetch(url, { redirect: 'error' });
    const body = Buffer.from(await whole.arrayBuffer());
    expect([whole.status, body.length]).toEqual([200, bytes]);
    expect(body.includes(wav().subarray(44))).toBe(true);
    const part = await fetch(url, { redirect: 'error', headers: { Range: 'bytes=600-9000' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(body.subarray(600, 9_001))).toBe(true);
  } finally {
    await server.close();
    await s3.close();
  }
});
