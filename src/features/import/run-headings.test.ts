import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  HAS_SHARED_DATA,
  type ImportBench,
  openImportBench,
  SHARED_DATA,
} from '../../../test/harness/import-bench.ts';
import type { Reading } from './options.ts';
import { suggestMapping } from './suggest/suggest.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

async function read(path: string, options: object = {}) {
  const readings: Reading[] = [];
  const ran = await bench.run([path], { onReading: (one) => readings.push(one), ...options });
  return { ...ran, mapping: readings[0]?.mapping };
}

/** Imports a sheet as it is, then with the mapping that is suggested for it, which must change nothing. */
async function readTwice(content: string) {
  const path = await bench.write('sheet.csv', content);
  const plain = await read(path, { source: 'acme' });
  const { mapping, remarks } = await suggestMapping({ path });
  const mapFile = await bench.write('suggested.json', JSON.stringify(mapping));
  const again = await bench.run([path], { mapFile, source: 'acme' });
  return { ...plain, remarks, again, tracks: await bench.tracks() };
}

const table = (...rows: string[]) => `${rows.join('\n')}\n`;

describe('a table whose headings differ from those of a shipped mapping', () => {
  it.each([
    ['SOURCEAUDIO ID,TITLE,ISRC,Has vocal,Album Code', 'sourceaudio', '81'],
    ['Source Audio Id,title,Isrc,HasVocal,AlbumCode', 'sourceaudio', '81'],
    ['track_id,track_title,isrc,vocals,album_code', 'harvest', '81'],
    ['Genre,Track title,Isrc,Vocals,Label', 'isrc-track-title', 'USUAN1100001'],
  ])('in letters is read by it: %s', async (heading, name, externalId) => {
    const row = '81,Night Rain,USUAN1100001,no,NR1';
    const { mapping, summary, again, tracks } = await readTwice(table(heading, row));
    expect(mapping).toBe(name);
    expect(summary).toEqual(counts(1));
    expect(again.summary).toMatchObject({ unchanged: 1, rejected: 0 });
    expect(tracks).toMatchObject([{ name: 'Night Rain' }]);
    const record = await bench.store.catalog.trackRecord(String(tracks[0]!.id));
    expect(record).toMatchObject({ externalId });
    expect(JSON.stringify(record)).toContain('"isrc":"USUAN1100001"');
  });

  it.each([
    ['Track ID,ISRC,Title,Artist', 'isrc-title', 'USUAN1100001'],
    ['ISRC,Title,Track title', 'isrc-title', 'USUAN1100001'],
    ['Album code,ISRC,Title', 'isrc-title', 'USUAN1100001'],
    ['ISRC,Title,SourceAudio Id', 'isrc-title', 'USUAN1100001'],
    ['externalId,isrc,name,title,type', null, 'NR1'],
  ])(
    'in letters is still read by the form that its exact headings fit: %s',
    async (heading, name, externalId) => {
      const values: Record<string, string> = {
        ISRC: 'USUAN1100001',
        isrc: 'USUAN1100001',
        type: 'music',
      };
      const row = heading.split(',').map((column) => values[column] ?? 'NR1');
      const { mapping, summary } = await read(
        await bench.write('a.csv', table(heading, row.join(','))),
      );
      expect({ mapping, summary }).toEqual({ mapping: name, summary: counts(1) });
      const [track] = await bench.tracks();
      const record = await bench.store.catalog.trackRecord(String(track!.id));
      expect(record).toMatchObject({ externalId, source: name ?? 'stave' });
    },
  );

  it('in letters of optional columns is read with them', async () => {
    const heading = 'SourceAudio ID,Title,isrc,album code';
    const { mapping, tracks } = await readTwice(table(heading, '81,Night Rain,USUAN1100001,NR1'));
    expect(mapping).toBe('sourceaudio');
    const record = await bench.store.catalog.trackRecord(String(tracks[0]!.id));
    expect(record).toMatchObject({ externalId: '81' });
    expect(JSON.stringify(record)).toContain('"isrc":"USUAN1100001"');
  });

  it('is read by --map with the name of the mapping', async () => {
    const path = await bench.write('a.csv', table('sourceaudio id,TITLE', '81,Rain'));
    const { summary, notes } = await read(path, { mapFile: 'sourceaudio' });
    expect(summary).toEqual(counts(1));
    expect(notes).toEqual([]);
  });

  it('is not read by a mapping that takes no row, if another one takes some', async () => {
    const sheet = table('Album Code,ISRC,Title,externalId', 'NR1,x,Rain,', 'NR1,y,Sun,');
    const own = table('Album Code,name,type,externalId', 'NR1,Rain,music,1');
    const { mapping, rejections } = await read(await bench.write('a.csv', sheet));
    expect(mapping).toBe('harvest');
    expect(rejections).toHaveLength(2);
    expect(await read(await bench.write('b.csv', own))).toMatchObject({
      mapping: null,
      summary: counts(1),
    });
  });

  it('is one for a new mapping if the shipped one takes no row', async () => {
    const path = await bench.write(
      'odd.csv',
      table('Album Code,Cue Name,Cue Code', 'NR1,Rain,A-17', 'NR1,Sun,B-4'),
    );
    const { mapping, remarks } = await suggestMapping({ path });
    expect(mapping).toMatchObject({
      name: 'odd',
      fields: { externalId: 'Cue Code', name: 'Cue Name' },
    });
    expect(remarks).toContain('checked with the whole file, 2 tracks: none is rejected');
  });
});

describe('a table whose headings differ from the members of the record', () => {
  it('in letters is read in Stave’s own form', async () => {
    const path = await bench.write(
      'own.csv',
      table('External ID,Name,TYPE,Duration Seconds,Tags,Color', 'A-1,Rain,music,3:04,a|b,red'),
    );
    const { summary, mapping, notes } = await read(path);
    expect({ summary, mapping }).toEqual({ summary: counts(1), mapping: null });
    expect(notes).toEqual([`${path}: the column "Color" is passed over`]);
    expect(await bench.tracks()).toMatchObject([{ durationSeconds: 184, tags: ['a', 'b'] }]);
  });

  it('is refused if no row fits it, and gets a mapping', async () => {
    const path = await bench.write(
      'ids.csv',
      table('Id,Name,Type', 'A-7,Rain,Song', 'B-4,Sun,Song'),
    );
    const { rejections } = await read(path);
    expect(rejections).toMatchObject([{ line: null }]);
    expect(rejections[0]!.reason).toContain('no known mapping reads those');
    const { mapping } = await suggestMapping({ path });
    expect(mapping.fields).toMatchObject({ externalId: 'Id', name: 'Name' });
  });

  it('keeps the columns beside it that only look like members', async () => {
    const rows = table('externalId,name,type,Language', 'A-1,Rain,music,English');
    const { summary } = await read(await bench.write('a.csv', rows));
    expect(summary).toEqual(counts(1));
  });
});

describe('a suggestion', () => {
  it('is checked with all records of the file, and counts what is rejected', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => `c-${i * 7},Song ${i},120`);
    const path = await bench.write(
      'long.csv',
      table('Code,Song,Tempo', ...rows, 'c-x,Last,fast', 'c-0,Song 0,121'),
    );
    const { remarks } = await suggestMapping({ path });
    expect(remarks.join('\n')).toMatch(
      /checked with the whole file, 3002 tracks: 2 are rejected, the first in line 3002: bpm: /,
    );
  });
});

it.skipIf(!HAS_SHARED_DATA)('reads the sheet of a supplier with other capitals', async () => {
  const path = join(SHARED_DATA, 'failing', 'sheet-of-known-shape.csv');
  const { summary, notes } = await read(path);
  expect(summary).toEqual(counts(2));
  expect(notes).toEqual([]);
  const tracks = await bench.tracks();
  expect(tracks).toMatchObject([
    { name: 'Glass Orchard', bpm: '104', hasVocals: true },
    { name: 'Slow Ferry', bpm: '72', hasVocals: false },
  ]);
  const records = await Promise.all(
    tracks.map(({ id }) => bench.store.catalog.trackRecord(String(id))),
  );
  expect(records).toMatchObject([{ externalId: '9000002' }, { externalId: '9000001' }]);
  expect(JSON.stringify(records)).toMatch(/ZZAAA2600002.*ZZAAA2600001/);
  expect(JSON.stringify(tracks)).toMatch(/Kite Season.*Indie Folk.*Hopeful.*Ada Lindqvist.*Calm/);
  const { mapping } = await suggestMapping({ path });
  const mapFile = await bench.write('m.json', JSON.stringify(mapping));
  expect((await read(path, { mapFile })).summary).toMatchObject({ unchanged: 2 });
});
