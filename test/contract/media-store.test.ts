import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { OperatorError } from '../../src/kernel/operator-error.ts';
import { type MediaStore, mediaPath } from '../../src/media/media-store.ts';
import { openDiskMediaStore } from '../../src/storage/disk/media-store.ts';
import { Bucket } from '../../src/storage/s3/bucket.ts';
import { openS3MediaStore } from '../../src/storage/s3/media-store.ts';
import { hasS3Server, type S3Server, startS3Server } from '../harness/s3-server.ts';

/** One kind of media store; the whole suite runs on each. */
interface MediaAdapter {
  name: string;
  isHere: boolean;
  /** An empty store. */
  open(): Promise<MediaStore>;
}

let s3: S3Server | undefined;
let bucket: string;
beforeAll(async () => {
  if (hasS3Server) {
    s3 = await startS3Server();
    bucket = await s3.createBucket();
    Object.assign(process.env, s3.environment);
  }
});
afterAll(() => s3?.close());

function openInBucket(prefix: string): MediaStore {
  return openS3MediaStore({ bucket, prefix, clock: systemClock, log: silentLog });
}

const ADAPTERS: readonly MediaAdapter[] = [
  {
    name: 'disk',
    isHere: true,
    open: async () => openDiskMediaStore({ folder: join(await temporaryFolder(), 'media') }),
  },
  {
    name: 'S3',
    isHere: hasS3Server,
    open: async () => openInBucket(`a/${randomUUID()}`),
  },
];

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stave-media-'));
  folders.push(folder);
  return folder;
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  return Buffer.concat(await stream.toArray());
}

async function allKeys(store: MediaStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.keys()) keys.push(key);
  return keys;
}

function keyOf(bytes: Uint8Array, extension: string): string {
  return `${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
}

for (const adapter of ADAPTERS) {
  describe.runIf(adapter.isHere)(`the media store on ${adapter.name}`, () => {
    const { open } = adapter;

    it('can be used', async () => {
      await (await open()).check();
    });

    it('keeps any bytes under their content address, and gives any range of them', async () => {
      const store = await open();
      await fc.assert(
        fc.asyncProperty(
          fc.uint8Array({ minLength: 1, maxLength: 2_000 }),
          fc.nat(),
          fc.nat(),
          async (bytes, a, b) => {
            const stored = await store.putBytes(bytes, 'mp3');
            expect(stored).toEqual({ key: keyOf(bytes, 'mp3'), sizeBytes: bytes.length });
            expect(await bytesOf(await store.read(stored.key))).toEqual(Buffer.from(bytes));
            const [start, end] = [a % bytes.length, b % bytes.length].sort((x, y) => x - y);
            const part = await bytesOf(await store.read(stored.key, { start: start!, end: end! }));
            expect(part).toEqual(Buffer.from(bytes.slice(start, end! + 1)));
          },
        ),
        { numRuns: 30 },
      );
    });

    it('stores the same bytes once, also when several put them at once', async () => {
      const store = await open();
      const bytes = randomBytes(300_000);
      const path = join(await temporaryFolder(), 'song');
      await writeFile(path, bytes);
      const stored = await Promise.all([
        store.putFile(path, 'flac'),
        store.putBytes(bytes, 'flac'),
        store.putFile(path, 'flac'),
      ]);
      expect(new Set(stored.map(({ key }) => key))).toEqual(new Set([keyOf(bytes, 'flac')]));
      expect(await allKeys(store)).toEqual([keyOf(bytes, 'flac')]);
      expect((await store.stat(stored[0].key))!.sizeBytes).toBe(300_000);
    });

    it('removes once, and then has nothing', async () => {
      const store = await open();
      const { key } = await store.putBytes(Buffer.from('x'), 'png');
      expect(await store.remove(key)).toBe(true);
      expect(await store.remove(key)).toBe(false);
      expect(await store.stat(key)).toBeUndefined();
      expect(await allKeys(store)).toEqual([]);
      await expect(store.read(key)).rejects.toMatchObject({ kind: 'not_found' });
    });

    it('makes no path of anything but a key', async () => {
      const store = await open();
      const key = keyOf(Buffer.from('x'), 'mp3');
      const odd = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '..', '/etc/passwd', '../../etc/passwd', `${key}/..`, `../${key}`),
        fc.constantFrom(`${key}\u0000`, key.toUpperCase(), `${key}.mp3`, ` ${key}`, `${key}\n`),
        fc.constantFrom(key.replace('.mp3', ''), key.replace('mp3', 'm/3'), `${key.slice(1)}`),
      );
      await fc.assert(
        fc.asyncProperty(odd, async (text) => {
          expect(await store.stat(text)).toBeUndefined();
          expect(await store.remove(text)).toBe(false);
          await expect(store.read(text)).rejects.toMatchObject({ kind: 'not_found' });
          expect(() => mediaPath(text)).toThrow();
        }),
      );
      for (const extension of ['', '.mp3', 'a/b', '../x', 'MP3', 'toolongextension']) {
        await expect(store.putBytes(Buffer.from('x'), extension)).rejects.toMatchObject({
          kind: 'invalid_request',
        });
      }
      expect(await allKeys(store)).toEqual([]);
    });

    it('takes in a large file, and ends what is read no further', async () => {
      const store = await open();
      const bytes = randomBytes(5_000_000);
      const path = join(await temporaryFolder(), 'large');
      await writeFile(path, bytes);
      const { key, sizeBytes } = await store.putFile(path, 'wav');
      expect(sizeBytes).toBe(bytes.length);
      expect((await bytesOf(await store.read(key))).equals(bytes)).toBe(true);
      const left = await store.read(key);
      left.once('error', () => {});
      await new Promise((resolve) => left.once('data', resolve));
      left.destroy();
      expect((await bytesOf(await store.read(key, { start: 9, end: 9 }))).length).toBe(1);
    });

    it('takes in nothing that is not there or is no file', async () => {
      const store = await open();
      const folder = await temporaryFolder();
      await expect(store.putFile(join(folder, 'missing'), 'mp3')).rejects.toThrow(/ENOENT/);
      await expect(store.putFile(folder, 'mp3')).rejects.toThrow(/EISDIR/);
      expect(await allKeys(store)).toEqual([]);
    });
  });
}

describe('the media folder', () => {
  it('is for its owner alone, and holds each file in its place', async () => {
    const folder = join(await temporaryFolder(), 'a', 'media');
    const store = await openDiskMediaStore({ folder });
    const { key } = await store.putBytes(Buffer.from('sound'), 'mp3');
    const file = await stat(join(folder, key.slice(0, 2), key));
    expect([file.size, file.mode & 0o777]).toEqual([5, 0o600]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('loses what a killed process left half-written, once it is old', async () => {
    const folder = await temporaryFolder();
    await openDiskMediaStore({ folder });
    const incoming = join(folder, 'incoming');
    await writeFile(join(incoming, 'old'), 'half');
    await writeFile(join(incoming, 'young'), 'half');
    const now = Date.now();
    await utimes(join(incoming, 'old'), now / 1_000, (now - 7_200_000) / 1_000);
    const store = await openDiskMediaStore({ folder, clock: { now: () => now } });
    expect(await readdir(incoming)).toEqual(['young']);
    expect(await allKeys(store)).toEqual([]);
  });

  it('leaves no file behind when the source cannot be read', async () => {
    const folder = await temporaryFolder();
    const store = await openDiskMediaStore({ folder });
    await expect(store.putFile(join(folder, 'missing'), 'mp3')).rejects.toThrow(/ENOENT/);
    await expect(store.putFile(folder, 'mp3')).rejects.toThrow(/EISDIR/);
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  it('mends a file that was cut short', async () => {
    const folder = await temporaryFolder();
    const store = await openDiskMediaStore({ folder });
    const { key } = await store.putBytes(Buffer.from('whole'), 'mp3');
    await writeFile(join(folder, mediaPath(key)), 'who');
    await store.putBytes(Buffer.from('whole'), 'mp3');
    expect((await bytesOf(await store.read(key))).toString()).toBe('whole');
  });

  it('is refused in one line where it cannot be', async () => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    for (const folder of [file, join(file, 'below'), '/proc/stave/media']) {
      const refused = openDiskMediaStore({ folder });
      await expect(refused).rejects.toThrow(OperatorError);
      await expect(refused).rejects.toThrow(
        /^The media folder .*: .*choose another data folder\.$/,
      );
    }
  });
});

describe.runIf(hasS3Server)('the media bucket', () => {
  const client = () => new S3Client({ forcePathStyle: true });

  /** Puts an object there as any other program might. */
  async function put(name: string, text: string): Promise<void> {
    await client().send(new PutObjectCommand({ Bucket: bucket, Key: name, Body: text }));
  }

  it('names its objects as a folder its files, and says what they are', async () => {
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

  it('lists its keys, and passes over what is not its own', async () => {
    const store = openInBucket('listed');
    const { key } = await store.putBytes(Buffer.from('own'), 'mp3');
    for (const path of ['readme.txt', key, `zz/${key}`, `a/${mediaPath(key)}`, 'incoming/x']) {
      await put(`listed/${path}`, 'x');
    }
    await put(`listed-not/${mediaPath(key)}`, 'x');
    expect(await allKeys(store)).toEqual([key]);
  });

  it('is listed page by page, each name once', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `paged/${i}`);
    for (const name of names) await put(name, 'x');
    const opened = await Bucket.open(bucket);
    const pages: string[][] = [];
    for await (const page of opened.names('paged/', 3)) pages.push(page);
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
    expect(pages.flat()).toEqual(names);
  });

  it('takes in no other bytes than were hashed', async () => {
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

  it('mends an object that was cut short, and overwrites no whole one', async () => {
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
      'nothing at the endpoint',
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

  it('is refused in one line where there is none of that name', async () => {
    const store = openS3MediaStore({
      bucket: 'not-there',
      prefix: '',
      clock: systemClock,
      log: silentLog,
    });
    await expect(store.check()).rejects.toThrow(
      's3://not-there cannot be used: there is no such bucket: make it, or correct STAVE_MEDIA_URL.',
    );
  });

  it('is unavailable while its server is gone, tells so once, and goes on with it', async () => {
    const told: string[] = [];
    const tell = (_: object, message: string) => void told.push(message);
    const log = { ...silentLog, info: tell, error: tell };
    const store = openS3MediaStore({ bucket, prefix: 'gone', clock: systemClock, log });
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
    expect(told).toEqual([
      expect.stringContaining('cannot be reached'),
      's3://bucket-1/gone can be used again.',
    ]);
  });
});
