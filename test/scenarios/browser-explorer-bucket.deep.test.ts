import { type EffectTrack, renderWav, TRACKS } from '@stave/demo-catalog';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../harness/browser.ts';
import { delivery } from '../harness/catalog.ts';
import { hasS3Server, type S3Server, startS3Server } from '../harness/s3-server.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';
import { audioOf, browse, signIn } from './browser-explorer-support.ts';

describe.runIf(hasBrowser && hasS3Server)('the explorer with audio in a bucket', () => {
  let s3: S3Server;
  let server: TestServer;
  let explorer: Awaited<ReturnType<typeof browse>>;
  beforeAll(async () => {
    s3 = await startS3Server();
    Object.assign(process.env, s3.environment);
    const bucket = await s3.createBucket();
    const media = { bucket, prefix: '', delivery: 'redirect' } as const;
    server = await startTestServer({ tracks: [], config: { media } });
    const rain = TRACKS.find((track): track is EffectTrack => track.type === 'sfx')!;
    const { key } = await server.operator.media.putBytes(renderWav(rain), 'wav');
    await server.deliver([delivery(0, { audioKey: key })]);
    explorer = await browse(server, s3.endpoint);
  });
  afterAll(async () => {
    await (explorer ?? server)?.close();
    await s3?.close();
  });

  it('plays it from the other origin, and no other one is allowed', async () => {
    const client = await server.createClient();
    const page = await explorer.open();
    const heard = page.waitForResponse((response) => response.url().startsWith(s3.endpoint));
    await signIn(page, client);
    await page.getByRole('button', { name: 'Play Night Ferry' }).click();
    await until(async () => (await audioOf(page)).position > 0, 'the sound');
    expect((await heard).ok()).toBe(true);
    const violations = () => explorer.faults.filter((text) => /Content Security/.test(text));
    expect(violations()).toEqual([]);

    const other = 'http://127.0.0.1:9/audio.mp3';
    await page.evaluate((url) => fetch(url).catch(() => {}), other);
    await until(() => violations().length > 0, 'the violation');
    expect(violations()[0]).toContain(other);
  });
});

if (!hasBrowser) {
  // biome-ignore lint/suspicious/noConsole: skipped tests are reported
  console.warn(
    'SKIPPED: the explorer with audio in a bucket, because this machine has no Chromium',
  );
}
