import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { silentLog } from '../../src/common/log.ts';
import { S3MediaStore } from '../../src/engines/blobs/s3/media-store.ts';
import { BucketLock } from '../../src/operator/backup/bucket-lock.ts';
import {
  type Json,
  serve,
  start,
  stave,
  staveJson,
  staveProcess,
  temporaryFolder,
} from '../harness/cli.ts';
import { hasS3Server, type S3Server, startS3Server } from '../harness/s3-server.ts';
import { until } from '../harness/until.ts';
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

  /** Where the running backups to the place `backups` of a bucket show themselves. */
  function signsOf(bucket: string) {
    const options = { bucket, prefix: 'backups/running', clock: systemClock, log: silentLog };
    return new S3MediaStore(options);
  }

  it('are not made beside that of a catalog that was restored from the same one', async () => {
    using folder = temporaryFolder();
    const bucket = await s3.createBucket();
    const place = `s3://${bucket}/backups`;
    await filledCatalog(folder.at('data'), folder.at('sources'));
    await staveJson(folder.at('data'), ['backup', place]);
    await staveJson(folder.at('elsewhere'), ['restore', place]);
    const holder = { command: 'stave backup', host: 'elsewhere', pid: 7, since: 'now' };
    let now = Date.now();
    const lock = { signs: signsOf(bucket), holder, clock: { now: () => now } };
    const taken = await BucketLock.take(lock);
    if (!('lock' in taken)) throw new Error('another backup runs');
    const child = start(folder.at('data'), ['backup', place, '--keep', 'daily=1']);
    const ended = once(child, 'close');
    let stderr = '';
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    await until(() => stderr.endsWith('\n'), 'the note');
    now += 60_000;
    await taken.lock.ensure();
    expect(await ended).toEqual([1, null]);
    const other = `another backup to ${place} (process 7 on elsewhere, since now) runs`;
    expect(stderr).toBe(
      `${other}, or was killed less than two minutes ago: waiting to see which\nstave: ${other}: wait until it has ended\n`,
    );
    await taken.lock[Symbol.asyncDispose]();
    for (const data of ['elsewhere', 'data']) {
      await staveJson(folder.at(data), ['backup', place, '--keep', 'daily=1']);
    }
    const verified = await staveJson(folder.at('data'), ['backup', 'verify', place, '--deep']);
    expect(verified.problems).toEqual([]);
  });

  it('that were killed leave the earlier ones whole', async () => {
    using folder = temporaryFolder();
    const bucket = await s3.createBucket();
    const [data, place] = [folder.at('data'), `s3://${bucket}/backups`];
    await filledCatalog(data, folder.at('sources'));
    const { createdAt } = await staveJson(data, ['backup', place]);
    const signs = signsOf(bucket);
    const shown = async () => {
      for await (const key of signs.keys()) return key;
      return undefined;
    };
    const child = start(data, ['backup', place]);
    const ended = once(child, 'close');
    let sign: string | undefined;
    await until(async () => {
      sign = await shown();
      return sign !== undefined;
    }, 'the backup');
    child.kill('SIGKILL');
    await ended;
    // As if it had expired.
    await signs.remove(sign!);
    const verified = await staveJson(data, ['backup', 'verify', place, '--deep']);
    expect(verified.problems).toEqual([]);
    const next = await staveJson(data, ['backup', place, '--keep', 'daily=9']);
    expect(next.createdAt > createdAt).toBe(true);
    expect(await shown()).toBeUndefined();
  });

  it('are listed, verified and restored by those who may only read', async () => {
    using folder = temporaryFolder();
    const place = `s3://${await s3.createBucket()}/backups`;
    await filledCatalog(folder.at('data'), folder.at('sources'));
    await staveJson(folder.at('data'), ['backup', place]);
    const { port, hostname: host } = new URL(s3.endpoint);
    await using reading = createServer((asked, response) => {
      const { method, url: path, headers } = asked;
      if (method !== 'GET' && method !== 'HEAD') {
        asked.resume().on('end', () => response.writeHead(403).end());
        return;
      }
      const closing = { ...headers, connection: 'close' };
      const passed = request(
        { host, port, method, path, headers: closing, agent: false },
        (found) => {
          response.writeHead(found.statusCode!, found.headers);
          found.pipe(response);
        },
      );
      // Swift sends a body after HEAD, which is no part of the response.
      passed.on('error', () => response.headersSent || response.destroy());
      asked.pipe(passed);
    }).listen(0, '127.0.0.1');
    await once(reading, 'listening');
    const url = `http://127.0.0.1:${(reading.address() as AddressInfo).port}`;
    const env = { AWS_ENDPOINT_URL: url };
    for (const args of [['backup', 'list'], ['backup', 'verify', '--deep'], ['restore']]) {
      const ran = await staveProcess(folder.at('new'), [...args, place, '--json'], { env });
      expect(ran).toMatchObject({ code: 0, stderr: '' });
    }
    const refused = await staveProcess(folder.at('data'), ['backup', place], { env });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^stave: s3:\S+ cannot be used: access is denied/);
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
