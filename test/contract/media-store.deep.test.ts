import { randomBytes, randomUUID } from 'node:crypto';
import { rmSync, watch } from 'node:fs';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../src/common/errors.ts';
import { openDiskMediaStore } from '../../src/engines/blobs/disk/media-store.ts';
import { type MediaStore, mediaPath } from '../../src/engines/blobs/media-store.ts';
import { hasS3Server } from '../harness/s3-server.ts';
import {
  allKeys,
  bytesOf,
  keyOf,
  openInBucket,
  provideMediaStores,
  temporaryFolder,
} from './media-support.ts';

provideMediaStores();

/** One kind of media store. The whole suite runs on each. */
interface MediaAdapter {
  name: string;
  isHere: boolean;
  /** Opens an empty store. */
  open(): Promise<MediaStore>;
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

for (const adapter of ADAPTERS) {
  describe.runIf(adapter.isHere)(`the media store on ${adapter.name}`, () => {
    const { open } = adapter;

    it('is usable', async () => {
      await (await open()).check();
    });

    it('stores any bytes under their content address, and returns any range of them', async () => {
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

    it('stores equal bytes once, also if several callers put them at once', async () => {
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

    it('removes a file once', async () => {
      const store = await open();
      const { key } = await store.putBytes(Buffer.from('x'), 'png');
      expect(await store.remove(key)).toBe(true);
      expect(await store.remove(key)).toBe(false);
      expect(await store.stat(key)).toBeUndefined();
      expect(await allKeys(store)).toEqual([]);
      await expect(store.read(key)).rejects.toMatchObject({ kind: 'not_found' });
    });

    it('refuses any name that is not a media key', async () => {
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

    it('stores derived files, which are not media keys', async () => {
      const store = await open();
      const name = `generated-1-${randomUUID()}.png`;
      expect(await store.readDerived(name)).toBeUndefined();
      await store.keepDerived(name, Buffer.from('picture'));
      await Promise.all([1, 2, 3].map(() => store.keepDerived(name, Buffer.from('picture'))));
      expect(String(await store.readDerived(name))).toBe('picture');
      const range = { start: 1, end: 3 };
      expect(String(await bytesOf((await store.openDerived(name, range))!))).toBe('ict');
      await store.removeDerived(name);
      await store.removeDerived(name);
      expect(await store.openDerived(name, range)).toBeUndefined();
      const path = join(await temporaryFolder(), 'stream');
      await writeFile(path, 'a stream');
      const stream = name.replace('.png', '.mp3');
      await store.keepDerivedFile(stream, path);
      expect(String(await store.readDerived(stream))).toBe('a stream');
      expect(await allKeys(store)).toEqual([]);
      await store.check();
      for (const odd of ['', '..', '../x.png', 'a/b.png', 'a.b.png', 'A.png', `${name}\n`]) {
        await expect(store.readDerived(odd)).rejects.toMatchObject({ kind: 'not_found' });
        await expect(store.keepDerived(odd, Buffer.from('x'))).rejects.toMatchObject({
          kind: 'not_found',
        });
      }
    });

    it('stores a large file, and frees a stream that is not read to its end', async () => {
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

    it('refuses a missing file and a folder', async () => {
      const store = await open();
      const folder = await temporaryFolder();
      await expect(store.putFile(join(folder, 'missing'), 'mp3')).rejects.toThrow(/ENOENT/);
      await expect(store.putFile(folder, 'mp3')).rejects.toThrow(/EISDIR/);
      expect(await allKeys(store)).toEqual([]);
    });
  });
}

describe('the media folder', () => {
  it('has a path for each key, and for no other text', async () => {
    const store = await openDiskMediaStore({ folder: join(await temporaryFolder(), 'media') });
    const { key } = await store.putBytes(Buffer.from('sound'), 'mp3');
    expect(await readFile(store.localPath!(key), 'utf8')).toBe('sound');
    expect(() => store.localPath!(`../${key}`)).toThrow('There is no such file');
  });

  it('is readable only by its owner, and has a fixed path for each file', async () => {
    const folder = join(await temporaryFolder(), 'a', 'media');
    const store = await openDiskMediaStore({ folder });
    const { key } = await store.putBytes(Buffer.from('sound'), 'mp3');
    const file = await stat(join(folder, key.slice(0, 2), key));
    expect([file.size, file.mode & 0o777]).toEqual([5, 0o600]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('deletes old partial files of a killed process', async () => {
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

  it('stores a file although another process has taken its incomplete copy for an abandoned one', async () => {
    const folder = await temporaryFolder();
    const store = await openDiskMediaStore({ folder: join(folder, 'media') });
    const bytes = randomBytes(16_000_000);
    await writeFile(join(folder, 'long.wav'), bytes);
    const incoming = join(folder, 'media', 'incoming');
    const removed: string[] = [];
    const watcher = watch(incoming, (_, name) => {
      if (removed.length > 0) return;
      rmSync(join(incoming, name!));
      removed.push(name!);
    });
    const stored = await store.putFile(join(folder, 'long.wav'), 'wav');
    watcher.close();
    expect(removed).toHaveLength(1);
    expect(stored).toEqual({ key: keyOf(bytes, 'wav'), sizeBytes: bytes.length });
    expect(bytes.equals(await bytesOf(await store.read(stored.key)))).toBe(true);
    expect(await readdir(incoming)).toEqual([]);
  });

  it('leaves no file if the source cannot be read', async () => {
    const folder = await temporaryFolder();
    const store = await openDiskMediaStore({ folder });
    await expect(store.putFile(join(folder, 'missing'), 'mp3')).rejects.toThrow(/ENOENT/);
    await expect(store.putFile(folder, 'mp3')).rejects.toThrow(/EISDIR/);
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
  });

  it('replaces a truncated file', async () => {
    const folder = await temporaryFolder();
    const store = await openDiskMediaStore({ folder });
    const { key } = await store.putBytes(Buffer.from('whole'), 'mp3');
    await writeFile(join(folder, mediaPath(key)), 'who');
    await store.putBytes(Buffer.from('whole'), 'mp3');
    expect((await bytesOf(await store.read(key))).toString()).toBe('whole');
  });

  it('is refused in one line if it cannot be created', async () => {
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
