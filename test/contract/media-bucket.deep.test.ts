import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { OperatorError } from '../../src/common/errors.ts';
import { silentLog } from '../../src/common/log.ts';
import { mediaPath } from '../../src/engines/blobs/media-store.ts';
import { Bucket } from '../../src/engines/blobs/s3/bucket.ts';
import { S3MediaStore } from '../../src/engines/blobs/s3/media-store.ts';
import { hasS3Server } from '../harness/s3-server.ts';
import {
  allKeys,
  bucket,
  bytesOf,
  keyOf,
  openInBucket,
  provideMediaStores,
  s3,
  temporaryFolder,
} from './media-support.ts';

provideMediaStores();

describe.runIf(hasS3Server)('the media bucket', () => {
  const client = () => new S3Client({ forcePathStyle: true });

  /** Puts an object into the bucket, as another program might. */
  async function put(name: string, text: string): Promise<void> {
    await client().send(new PutObjectCommand({ Bucket: bucket, Key: name, Body: text }));
  }

  it('names its objects like the files of a folder, with their content type', async () => {
    const { key } = await openInBucket('some/prefix').putBytes(Buffer.from('sound'), 'opus');
    const name = `some/prefix/${key.slice(0, 2)}/${key}`;
    const object = await client().send(new HeadObjectCommand({ Bucket: bucket, Key: name }));
    expect(object.ContentType).toBe('audio/ogg; codecs=opus');
    const { key: bare } = await openInBucket('').putBytes(Buffer.from('bare'), 'mp3');
    const found = await client().send(
      new HeadObjectCommand({ Bucket: bucket, Key: `${bare.slice(0, 2)}/${bare}` }),
    );
    expect(found.ContentLength).toBe(4);
  });

  it('lists its keys, and ignores other objects', async () => {
    const store = openInBucket('listed');
    const { key } = await store.putBytes(Buffer.from('own'), 'mp3');
    for (const path of ['readme.txt', key, `zz/${key}`, `a/${mediaPath(key)}`, 'incoming/x']) {
      await put(`listed/${path}`, 'x');
    }
    await put(`listed-not/${mediaPath(key)}`, 'x');
    expect(await allKeys(store)).toEqual([key]);
  });

  it('lists all pages, each name once', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `paged/${i}`);
    for (const name of names) await put(name, 'x');
    const opened = await Bucket.open(bucket);
    const pages: string[][] = [];
    for await (const page of opened.names('paged/', 3)) pages.push(page);
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
    expect(pages.flat()).toEqual(names);
  });

  it('accepts only the bytes that were hashed', async () => {
    const opened = await Bucket.open(bucket);
    const upload = {
      name: `other/${mediaPath(keyOf(Buffer.from('right'), 'mp3'))}`,
      body: Buffer.from('wrong'),
      sizeBytes: 5,
      sha256: createHash('sha256').update('right').digest('hex'),
      contentType: 'audio/mpeg',
    };
    await expect(opened.put(upload)).rejects.toThrow();
    expect(await opened.head(upload.name)).toBeUndefined();
  });

  describe('in parts', () => {
    const PART = 5 * 1024 ** 2;
    const inParts = (prefix: string) =>
      new S3MediaStore({
        ...{ bucket, prefix, clock: systemClock, log: silentLog },
        ...{ singleBytes: PART, partBytes: PART },
      });

    it('takes a file that is too large for one request', async () => {
      const path = join(await temporaryFolder(), 'large');
      const bytes = Buffer.concat([randomBytes(2 * PART), Buffer.from('the end')]);
      await writeFile(path, bytes);
      const store = inParts('large');
      const { key } = await store.putFile(path, 'wav');
      expect(key).toBe(keyOf(bytes, 'wav'));
      expect((await bytesOf(await store.read(key))).equals(bytes)).toBe(true);
      expect(await store.stat(key)).toMatchObject({ sizeBytes: bytes.length });
      const name = `large/${mediaPath(key)}`;
      const object = await client().send(new HeadObjectCommand({ Bucket: bucket, Key: name }));
      expect(object).toMatchObject({
        ContentType: 'audio/wav',
        ETag: expect.stringMatching(/-3"$/),
      });
    });

    it('stores nothing of a file that changes meanwhile', async () => {
      const opened = await Bucket.open(bucket);
      const upload = { name: 'changed/x', contentType: 'audio/wav' };
      const parts = async function* () {
        yield randomBytes(PART);
        throw new Error('the file was changed meanwhile');
      };
      await expect(opened.putParts(upload, parts(), (send) => send())).rejects.toThrow('changed');
      expect(await opened.head(upload.name)).toBeUndefined();
      const left = await client().send(new ListMultipartUploadsCommand({ Bucket: bucket }));
      expect(left.Uploads ?? []).toEqual([]);
    });
  });

  it('replaces a truncated object, and never overwrites a complete one', async () => {
    const store = openInBucket('mended');
    const key = keyOf(Buffer.from('whole'), 'mp3');
    await put(`mended/${mediaPath(key)}`, 'who');
    await store.putBytes(Buffer.from('whole'), 'mp3');
    expect((await bytesOf(await store.read(key))).toString()).toBe('whole');
    await put(`mended/${mediaPath(key)}`, 'WHOLE');
    await store.putBytes(Buffer.from('whole'), 'mp3');
    expect((await bytesOf(await store.read(key))).toString()).toBe('WHOLE');
  });

  it.each([
    [
      'another secret',
      { AWS_SECRET_ACCESS_KEY: 'wrong' },
      /access is denied \(SignatureDoesNotMatch\): check the credentials/,
    ],
    [
      'another region',
      { AWS_REGION: 'eu-south-9' },
      /it lies in another region: correct AWS_REGION/,
    ],
    ['another key', { AWS_ACCESS_KEY_ID: 'nobody' }, /access is denied/],
    ['no credentials', { AWS_ACCESS_KEY_ID: '' }, /there are no credentials: set AWS_ACCESS/],
    ['no region', { AWS_REGION: undefined }, /its region is not known: set AWS_REGION/],
    [
      'no server at the endpoint',
      { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' },
      /its endpoint 127\.0\.0\.1:9 cannot be reached \(nothing listens there\)/,
    ],
  ])('is refused in one line with %s', async (_, changed, reason) => {
    const before = { ...process.env };
    process.env.AWS_EC2_METADATA_DISABLED = 'true';
    for (const [name, value] of Object.entries(changed)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    try {
      const store = openInBucket('some');
      const refused = store.check();
      await expect(refused).rejects.toThrow(OperatorError);
      await expect(refused).rejects.toThrow(reason);
      await expect(refused).rejects.toThrow(/^s3:\/\/bucket-1\/some cannot be used: .*[^.]\.$/);
      await expect(refused).rejects.not.toThrow(/tests/);
      await expect(store.stat(`${'0'.repeat(64)}.mp3`)).rejects.toMatchObject({
        kind: 'unavailable',
        headers: { 'Retry-After': '5' },
        cause: expect.any(OperatorError),
      });
    } finally {
      for (const name of Object.keys(process.env)) delete process.env[name];
      Object.assign(process.env, before);
    }
  });

  it('is refused in one line if it does not exist', async () => {
    const store = new S3MediaStore({
      bucket: 'not-there',
      prefix: '',
      clock: systemClock,
      log: silentLog,
    });
    await expect(store.check()).rejects.toThrow(
      's3://not-there cannot be used: there is no such bucket: make it, or correct its name.',
    );
  });

  it('is unavailable while its server is down, logs it once, and works again afterwards', async () => {
    const lines: string[] = [];
    const note = (_: object, message: string) => void lines.push(message);
    const log = { ...silentLog, info: note, error: note };
    const store = new S3MediaStore({ bucket, prefix: 'gone', clock: systemClock, log });
    const { key } = await store.putBytes(Buffer.from('here'), 'mp3');
    await s3!.kill();
    for (const work of [
      () => store.stat(key),
      () => store.read(key),
      () => store.putBytes(Buffer.from('more'), 'mp3'),
      () => store.remove(key),
      () => allKeys(store),
    ]) {
      await expect(work()).rejects.toMatchObject({ kind: 'unavailable' });
    }
    await s3!.start();
    expect((await bytesOf(await store.read(key))).toString()).toBe('here');
    expect(lines).toEqual([
      expect.stringContaining('cannot be reached'),
      's3://bucket-1/gone can be used again.',
    ]);
  });
});
