import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  HAS_SHARED_DATA,
  type ImportBench,
  ndjson,
  openImportBench,
  record,
  SHARED_DATA,
} from '../../../test/harness/import-bench.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

describe.skipIf(!HAS_SHARED_DATA)('an import of real data (skipped without ../shared/data)', () => {
  it.each([
    ['freemusi', 300],
    ['incompetech', 300],
    ['fma-excerpt', 300],
    ['openscore-lieder', 200],
    ['mutopia', 200],
    ['sfx', 200],
  ])('imports the first records of %s without a mapping', async (name, lines) => {
    const whole = gunzipSync(await readFile(join(SHARED_DATA, `${name}.ndjson.gz`))).toString();
    const path = await bench.write(
      `${name}.ndjson.gz`,
      gzipSync(whole.split('\n').slice(0, lines).join('\n')),
    );
    const { summary, rejections } = await bench.run([path]);
    expect(rejections).toEqual([]);
    expect(summary).toEqual(counts(lines));
    expect((await bench.run([path])).summary).toMatchObject({ unchanged: lines });
    const [track] = await bench.tracks();
    expect(await bench.store.catalog.trackRecord(String(track!.id))).toMatchObject({
      source: 'catalog-dump',
    });
  });

  it('imports the raw FMA tracks, ignores invalid UTF-8 in unread columns, and rejects albums', async () => {
    const raw = join(SHARED_DATA, 'raw', 'raw_tracks_excerpt.csv.gz');
    const lines = gunzipSync(await readFile(raw))
      .toString('latin1')
      .split('\n');
    // The last of these rows has the byte 0x80 in a column that the mapping does not read.
    const rows = Buffer.from(
      [...lines.slice(0, 50), ...lines.slice(1835, 1842)].join('\n'),
      'latin1',
    );
    const { summary, rejections } = await bench.run([await bench.write('raw.csv', rows)]);
    expect(rejections).toEqual([]);
    expect(summary.created).toBe(56);
    const track = (await bench.tracks()).find(({ name }) => name === 'Food');
    expect(track).toMatchObject({
      releaseDate: '2008-11-26T01:48:12.000Z',
      filters: [{ type: 'genre', name: 'Hip-Hop' }],
    });
    const albums = join(SHARED_DATA, 'raw', 'raw_albums_excerpt.csv.gz');
    expect((await bench.run([albums])).rejections).toMatchObject([{ file: albums, line: null }]);
  });

  it('imports a folder of tagged audio, and rejects faulty files', async () => {
    const names = [
      'music/galway.mp3',
      'music/solo-trumpet-06.ogg',
      'music/moonlight-sonata-adagio.mp3',
      'flac/subset-58-gif-picture.flac',
      'flac/uncommon-10-file-starting-at-frame-header.flac',
    ];
    const folder = join(bench.folder, 'delivery');
    await mkdir(folder);
    for (const name of names) {
      await writeFile(
        join(folder, basename(name)),
        await readFile(join(SHARED_DATA, 'audio', name)),
      );
    }
    await writeFile(join(folder, 'manifest.json'), '[]');
    const { summary, rejections } = await bench.run([folder]);
    expect(summary).toEqual(counts(4, 1));
    expect(rejections).toMatchObject([
      { line: null, field: 'audio', reason: expect.stringMatching(/^the audio cannot be read/) },
    ]);
    const tracks = await bench.tracks();
    expect(
      tracks.map(({ name, durationSeconds, hasAudio, type }) => [
        name,
        durationSeconds,
        hasAudio,
        type,
      ]),
    ).toEqual([
      ['Galway', 16, true, 'music'],
      ['Track 11', 15, true, 'music'],
      ['solo-trumpet-06', 5, true, 'music'],
      ['subset-58-gif-picture', 5, true, 'music'],
    ]);
    const flac = await bench.store.catalog.trackRecord(String(tracks[3]!.id));
    expect(flac).toMatchObject({
      source: 'folder:delivery',
      externalId: 'subset-58-gif-picture.flac',
      artworkKey: expect.stringMatching(/\.gif$/),
    });
    expect((await bench.run([folder])).summary).toMatchObject({ unchanged: 4 });
    expect((await bench.run([join(folder, 'galway.mp3')])).summary).toMatchObject({
      read: 1,
      unchanged: 1,
    });
    expect((await bench.run([folder], { type: 'sfx' })).summary).toMatchObject({ updated: 4 });
  });

  it('reads the duration of the audio that a record names', async () => {
    await bench.write('rain.ogg', await readFile(join(SHARED_DATA, 'audio', 'sfx', 'bees.ogg')));
    const path = await bench.write(
      'a.ndjson',
      ndjson(
        record('1', { audio: 'rain.ogg' }),
        record('2', { audio: 'rain.ogg', durationSeconds: 9 }),
      ),
    );
    await bench.run([path]);
    expect(await bench.tracks()).toMatchObject([
      { durationSeconds: 4, hasAudio: true },
      { durationSeconds: 9, hasAudio: true },
    ]);
  });

  it('imports a workbook whose first shared text is empty', async () => {
    const workbook = join(SHARED_DATA, 'failing', 'legit-empty-first.xlsx');
    const path = await bench.write('a.xlsx', await readFile(workbook));
    const { summary, rejections } = await bench.run([path]);
    expect({ summary, rejections }).toEqual({ summary: counts(1), rejections: [] });
    expect(await bench.tracks()).toMatchObject([{ name: 'Song' }]);
  });
});
