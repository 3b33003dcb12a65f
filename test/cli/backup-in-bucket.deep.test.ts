import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, serve, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { hasS3Server, type S3Server, startS3Server } from '../harness/s3-server.ts';
import { wav } from '../harness/wav.ts';
import { filledCatalog } from './backup-support.ts';

describe.runIf(hasS3Server)('backups in a bucket', () => {
  let s3: S3Server;
  beforeAll(async () => {
    s3 = await startS3Server();
    Object.assign(process.env, s3.environment);
  });
  afterAll(() => s3?.close());

  it('are made, listed, verified, thinned out and restored as in a folder', async () => {
    using folder = temporaryFolder();
    const data = folder.at('data');
    const place = `s3://${await s3.createBucket()}/backups/stave`;
    const { clientId, liveSecret } = await filledCatalog(data, folder.at('sources'));
    const first = await staveJson(data, ['backup', place]);
    expect(first).toMatchObject({ path: place, copied: { files: 2 }, counts: { media: 2 } });
    await staveJson(data, ['tracks', 'takedown', 'two']);
    const second = await staveJson(data, ['backup', place]);
    expect(second.copied.files).toBe(0);
    const times = async () =>
      (await staveJson(data, ['backup', 'list', place])).map(({ createdAt }: Json) => createdAt);
    expect(await times()).toEqual([second.createdAt, first.createdAt]);
    const verified = await staveJson(data, ['backup', 'verify', place, '--deep']);
    expect(verified).toMatchObject({ backups: 2, problems: [] });

    const older = ['restore', place, '--backup', first.createdAt];
    expect((await staveJson(folder.at('older'), older)).counts.takenDown).toBe(0);
    const third = await staveJson(data, ['backup', place, '--keep', 'monthly=1']);
    expect(await times()).toEqual([third.createdAt]);

    await staveJson(folder.at('new'), ['restore', place]);
    await using service = await serve(folder.at('new'));
    const token = await service.token(clientId, liveSecret);
    const { body } = await service.get('/v1/tracks/one', token);
    const audio = await fetch(body.data.streamUrl);
    expect(Buffer.from(await audio.arrayBuffer())).toEqual(wav(800));
    expect((await service.get('/v1/tracks/two', token)).status).toBe(404);
  });

  it('are refused with the reason of the bucket', async () => {
    using folder = temporaryFolder();
    await staveJson(folder.at('data'), ['keys', 'rotate']);
    for (const args of [['backup'], ['backup', 'list'], ['restore']]) {
      const ran = await stave(folder.at('data'), [...args, 's3://no-such-bucket/x']);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^stave: s3:\/\/no-such-bucket\S* cannot be used: [^\n]+\n$/);
    }
  });
});
