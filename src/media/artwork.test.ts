import { setImmediate as nextTurn } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { newId } from '../kernel/ids.ts';
import { generateArtwork } from './artwork/generate.ts';
import {
  artworkPath,
  openGeneratedArtwork,
  parseArtworkName,
  playlistArtworkPath,
} from './artwork.ts';

const ID = 'f0e1d2c3-b4a5-4697-8877-665544332211';

describe('artwork names', () => {
  it('name the delivered picture, or one generated from the id', () => {
    const key = `${'ab'.repeat(32)}.jpg`;
    expect(artworkPath(ID, key)).toBe(`/media/artwork/${key}`);
    expect(artworkPath(ID, null)).toBe(
      '/media/artwork/generated-1-f0e1d2c3-b4a5-4697-8877-665544332211.png',
    );
    expect(playlistArtworkPath(ID)).toBe(
      '/media/artwork/generated-1-f0e1d2c3-b4a5-4697-8877-665544332211.png',
    );
  });

  it('are understood again, and nothing else is', () => {
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
  it('draws a PNG of 512 pixels square that decodes, in at most 30 KB', async () => {
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

  it('gives equal bytes for an id and other ones for another', async () => {
    const pictures = new Set<string>();
    for (let i = 0; i < 30; i++) {
      const [first, second] = await Promise.all([generateArtwork(`${i}`), generateArtwork(`${i}`)]);
      expect(first.equals(second)).toBe(true);
      pictures.add(first.toString('base64'));
    }
    expect(pictures.size).toBe(30);
  });
});

describe('openGeneratedArtwork', () => {
  it('makes a picture once for requests at the same time and keeps it', async () => {
    const artwork = openGeneratedArtwork({ maxBytes: 1_000_000 });
    const [first, second] = await Promise.all([artwork.picture('a'), artwork.picture('a')]);
    expect(first).toBe(second);
    expect(await artwork.picture('a')).toBe(first);
  });

  it('stays within its bound, and still answers', async () => {
    const artwork = openGeneratedArtwork({ maxBytes: 40_000 });
    const first = await artwork.picture('a');
    for (let i = 0; i < 10; i++) await artwork.picture(newId());
    const again = await artwork.picture('a');
    expect(again).not.toBe(first);
    expect(again.equals(first)).toBe(true);
  });

  it('draws one picture at a time, and others get a turn in between', async () => {
    let drawing = 0;
    let most = 0;
    let turns = 0;
    const artwork = openGeneratedArtwork({
      maxBytes: 1_000_000,
      generate: async (seed) => {
        most = Math.max(most, ++drawing);
        await nextTurn();
        drawing--;
        if (seed === '3') throw new Error('spilt ink');
        return Buffer.from(seed);
      },
    });
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const pictures = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => artwork.picture(String(i))),
    );
    clearImmediate(timer);
    expect(most).toBe(1);
    expect(turns).toBeGreaterThanOrEqual(20);
    expect(pictures.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });

  it('answers a picture that is larger than the whole bound', async () => {
    const artwork = openGeneratedArtwork({ maxBytes: 10 });
    expect((await artwork.picture('a')).length).toBeGreaterThan(10);
  });
});
