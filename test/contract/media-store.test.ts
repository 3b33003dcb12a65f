import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/kernel/clock.ts';
import { OperatorError } from '../../src/kernel/operator-error.ts';
import type { MediaStore } from '../../src/media/media-store.ts';
import { openDiskMediaStore } from '../../src/storage/disk/media-store.ts';

/** One kind of media store; the whole suite runs on each. */
interface MediaAdapter {
  name: string;
  open(folder: string, clock?: Clock): Promise<MediaStore>;
}

const ADAPTERS: readonly MediaAdapter[] = [
  {
    name: 'disk',
    open: (folder, clock) => openDiskMediaStore(clock ? { folder, clock } : { folder }),
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
  describe(`the media store on ${adapter.name}`, () => {
    const open = async () => adapter.open(join(await temporaryFolder(), 'media'));

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
          expect(() => store.location(text)).toThrow();
        }),
      );
      for (const extension of ['', '.mp3', 'a/b', '../x', 'MP3', 'toolongextension']) {
        await expect(store.putBytes(Buffer.from('x'), extension)).rejects.toMatchObject({
          kind: 'invalid_request',
        });
      }
      expect(await allKeys(store)).toEqual([]);
    });
  });
}

describe('the media folder', () => {
  it('is for its owner alone, and location leads a file server to the file', async () => {
    const folder = join(await temporaryFolder(), 'a', 'media');
    const store = await openDiskMediaStore({ folder });
    const { key } = await store.putBytes(Buffer.from('sound'), 'mp3');
    const { root, path } = store.location(key);
    expect(root).toBe(folder);
    const file = await stat(join(root, path));
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
    const store = await openDiskMediaStore({ folder: await temporaryFolder() });
    const { key } = await store.putBytes(Buffer.from('whole'), 'mp3');
    const { root, path } = store.location(key);
    await writeFile(join(root, path), 'who');
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
