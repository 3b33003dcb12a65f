import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../common/ids.ts';
import { silentLog } from '../../../common/log.ts';
import { openDiskMediaStore } from '../../../engines/blobs/disk/media-store.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import {
  artworkPath,
  generatedArtwork,
  generatedArtworkPath,
  parseArtworkName,
} from './artwork.ts';
import { generateArtwork } from './generate.ts';

const ID = 'f0e1d2c3-b4a5-4697-8877-665544332211';

describe('artwork names', () => {
  it('name the delivered picture, or the one generated from the id', () => {
    const key = `${'ab'.repeat(32)}.jpg`;
    expect(artworkPath(ID, key)).toBe(`/media/artwork/${key}`);
    expect(artworkPath(ID, null)).toBe(
      '/media/artwork/generated-1-f0e1d2c3-b4a5-4697-8877-665544332211.png',
    );
    expect(generatedArtworkPath(ID)).toBe(
      '/media/artwork/generated-1-f0e1d2c3-b4a5-4697-8877-665544332211.png',
    );
  });

  it('can be parsed, and no other names can', () => {
    const key = `${'ab'.repeat(32)}.jpg`;
    expect(parseArtworkName(key)).toEqual({ key });
    expect(parseArtworkName('generated-1-f0e1d2c3-b4a5-4697-8877-665544332211.png')).toEqual({
      generatedFor: ID,
    });
    for (const name of [
      '',
      '..',
      `../${key}`,
      `x${key}`,
      `${key}/..`,
      `${key}\n`,
      `generated-2-${ID}.png`,
      `generated-1-${ID.slice(1)}.png`,
      `generated-1-${'-'.repeat(36)}.png`,
      `generated-1-${ID}.jpg`,
    ]) {
      expect(parseArtworkName(name), name).toBeUndefined();
    }
  });
});

describe('generateArtwork', () => {
  it('draws a valid PNG of 512 x 512 pixels and at most 30 KB', async () => {
    for (let i = 0; i < 40; i++) {
      const png = await generateArtwork(`seed ${i}`);
      expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([512, 512]);
      const dataAt = png.indexOf('IDAT');
      const data = png.subarray(dataAt + 4, dataAt + 4 + png.readUInt32BE(dataAt - 4));
      const rows = inflateSync(data);
      expect(rows.length).toBe(513 * 512);
      expect(new Set(rows).size, `shades of seed ${i}`).toBeGreaterThan(5);
      expect(png.length).toBeLessThanOrEqual(30 * 1024);
    }
  });

  it('returns equal bytes for equal ids, and other bytes for other ids', async () => {
    const pictures = new Set<string>();
    for (let i = 0; i < 30; i++) {
      const [first, second] = await Promise.all([generateArtwork(`${i}`), generateArtwork(`${i}`)]);
      expect(first.equals(second)).toBe(true);
      pictures.add(first.toString('base64'));
    }
    expect(pictures.size).toBe(30);
  });
});

describe('generatedArtwork', () => {
  let folder: string;
  let store: MediaStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stave-artwork-'));
    store = await openDiskMediaStore({ folder });
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Opens the pictures, and records the drawn ids. */
  function open(overrides: Partial<Parameters<typeof generatedArtwork>[0]> = {}) {
    const drawn: string[] = [];
    const artwork = generatedArtwork({
      maxBytes: 1_000_000,
      store,
      log: silentLog,
      async draw(id) {
        drawn.push(id);
        return Buffer.from(`picture of ${id}`);
      },
      ...overrides,
    });
    return { drawn, picture: async (id: string) => String(await artwork(id)) };
  }

  it('draws a picture once for concurrent requests, and keeps it in memory', async () => {
    const { drawn, picture } = open();
    const expected = `picture of ${ID}`;
    expect(await Promise.all([picture(ID), picture(ID)])).toEqual([expected, expected]);
    await rm(join(folder, 'derived'), { recursive: true });
    expect(await picture(ID)).toBe(expected);
    expect(drawn).toEqual([ID]);
  });

  it('reads a picture that another process drew from the media store', async () => {
    await open().picture(ID);
    const { drawn, picture } = open();
    expect(await picture(ID)).toBe(`picture of ${ID}`);
    expect(drawn).toEqual([]);
  });

  it('stays within its memory limit, and reads removed pictures from the media store', async () => {
    const { drawn, picture } = open({ maxBytes: 100 });
    const ids = Array.from({ length: 10 }, newId);
    for (const id of [...ids, ...ids]) expect(await picture(id)).toBe(`picture of ${id}`);
    expect(drawn).toEqual(ids);
    expect(await open({ maxBytes: 1 }).picture(ids[0]!)).toBe(`picture of ${ids[0]}`);
  });

  it('returns pictures if the media store fails, and logs the fault once', async () => {
    const logged: string[] = [];
    const { picture } = open({
      store: {
        readDerived: () => Promise.reject(new Error('the disk is gone')),
        keepDerived: () => Promise.reject(new Error('the disk is gone')),
      },
      log: { ...silentLog, warn: (_, message) => logged.push(message) },
    });
    for (let i = 0; i < 3; i++) {
      const id = newId();
      expect(await picture(id)).toBe(`picture of ${id}`);
    }
    expect(logged).toEqual(['generated artwork cannot be kept in the media store']);
  });

  it('keeps nothing if drawing fails, and tries again', async () => {
    let isBroken = true;
    const { picture } = open({
      draw: async () => {
        if (isBroken) throw new Error('the drawing failed');
        return Buffer.from('mended');
      },
    });
    await expect(picture(ID)).rejects.toThrow('the drawing failed');
    isBroken = false;
    expect(await picture(ID)).toBe('mended');
  });
});
