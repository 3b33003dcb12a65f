import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  ndjson,
  openImportBench,
  PNG,
  record,
} from '../../../test/harness/import-bench.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

describe('audio and artwork', () => {
  it('stores files below the folder of the catalog file', async () => {
    await bench.write('sub/cover.jpg', PNG);
    const path = await bench.write('a.ndjson', ndjson(record('1', { artwork: 'sub/cover.jpg' })));
    expect((await bench.run([path])).rejections).toEqual([]);
    const [track] = await bench.tracks();
    const stored = await bench.store.catalog.trackRecord(String(track!.id));
    expect(stored!.artworkKey).toMatch(/^[0-9a-f]{64}\.png$/);
    const byKey = await bench.write(
      'b.ndjson',
      ndjson(record('2', { artwork: stored!.artworkKey })),
    );
    expect((await bench.run([byKey])).summary).toEqual(counts(1));
  });

  it('stops reading an audio file that keeps its parser busy, and imports the other records', async () => {
    await bench.write('slow.mp3', Buffer.alloc(1024 * 1024, 0xff));
    const path = await bench.write(
      'a.ndjson',
      ndjson(record('1', { audio: 'slow.mp3' }), record('2')),
    );
    const { summary, rejections } = await bench.run([path], { audioSeconds: 0.5 });
    expect(rejections).toMatchObject([
      { line: 1, field: 'audio', reason: 'the audio took longer than 0.5 s to read' },
    ]);
    expect(summary).toEqual(counts(1, 1));
  });

  it('rejects a media key of the wrong kind', async () => {
    const [audioKey, artworkKey] = [
      await bench.media.putBytes(Buffer.from('sound'), 'mp3'),
      await bench.media.putBytes(PNG, 'png'),
    ].map(({ key }) => key);
    const path = await bench.write(
      'a.ndjson',
      ndjson(record('1', { artwork: audioKey }), record('2', { audio: artworkKey })),
    );
    expect(
      (await bench.run([path])).rejections.map(({ field, reason }) => [field, reason]),
    ).toEqual([
      ['artwork', 'must be a PNG, JPEG, GIF, WebP or AVIF picture'],
      ['audio', expect.stringContaining('must be an audio file')],
    ]);
  });

  it('never reads a file outside the folder', async () => {
    const outside = await bench.write('secret.png', PNG);
    await bench.write('in/empty.png', '');
    await bench.write('in/text.png', 'no picture');
    await bench.write('in/song.txt', 'no audio');
    await symlink(outside, join(bench.folder, 'in', 'link.png'));
    await symlink(bench.folder, join(bench.folder, 'in', 'up'));
    const artworks = [
      '../secret.png',
      outside,
      'link.png',
      'up/secret.png',
      'a/../../secret.png',
      '..\\secret.png',
      'C:\\x.png',
    ];
    const others = [
      'https://example.org/a.png',
      'none.png',
      'empty.png',
      'text.png',
      '.',
      `${'0'.repeat(64)}.png`,
    ];
    const path = await bench.write(
      'in/a.ndjson',
      ndjson(
        ...[...artworks, ...others].map((artwork, i) => record(`${i}`, { artwork })),
        record('audio', { audio: 'song.txt' }),
      ),
    );
    const { summary, rejections, notes } = await bench.run([path]);
    expect(summary.created).toBe(2);
    expect(notes).toEqual([
      expect.stringMatching(/:9: artwork names "none.png", which does not exist; .*stays$/),
      expect.stringMatching(/:13: artwork names "0{50}.*", which does not exist; .*stays$/),
    ]);
    expect(rejections.slice(0, artworks.length).map(({ reason }) => reason)).toEqual(
      artworks.map(() => 'must lie beneath the folder of the file that names it'),
    );
    expect(
      rejections.slice(artworks.length).map(({ field, reason }) => `${field} ${reason}`),
    ).toEqual([
      'artwork must be a path or a key, not a URL: Stave fetches nothing',
      'artwork is empty',
      'artwork must be a PNG, JPEG, GIF, WebP or AVIF picture',
      'artwork must lie beneath the folder of the file that names it',
      expect.stringContaining('audio must be an audio file'),
    ]);
    expect(await bench.mediaKeys()).toEqual([]);
  });

  it('refuses a folder without audio with one reason', async () => {
    await mkdir(join(bench.folder, 'none'));
    const { summary, rejections } = await bench.run([join(bench.folder, 'none')]);
    expect(summary).toMatchObject({ read: 0, rejected: 1 });
    expect(rejections[0]!.reason).toContain('contains no audio files');
  });
});
