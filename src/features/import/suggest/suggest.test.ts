import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  HAS_SHARED_DATA,
  type ImportBench,
  openImportBench,
  SHARED_DATA,
} from '../../../../test/harness/import-bench.ts';
import { OperatorError } from '../../../common/errors.ts';
import { ern43 } from '../ddex/ern.test-support.ts';
import { parseMapping } from '../mapping/parse-mapping.ts';
import { suggestMapping } from './suggest.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

/** Suggests a mapping for a file, and imports the file with it. */
async function suggestAndImport(name: string, content: string | Uint8Array) {
  const path = await bench.write(name, content);
  const { mapping, remarks } = await suggestMapping({ path });
  const text = JSON.stringify(mapping);
  expect(parseMapping(text, 'suggested.json')).toEqual(mapping);
  const mapFile = await bench.write('suggested.json', text);
  const { summary, rejections } = await bench.run([path], { mapFile });
  return { mapping, remarks, summary, rejections, tracks: await bench.tracks() };
}

const csv = (rows: readonly string[]) => `${rows.join('\n')}\n`;
const json = (value: unknown) => JSON.stringify(value, null, 1);

describe('a suggested mapping', () => {
  it('reads a sheet of plain names', async () => {
    const { mapping, rejections, tracks } = await suggestAndImport(
      'plain sheet (May).csv',
      csv([
        'Cat No;Song;Runtime;Tempo;Mood;Writer(s);Released',
        'A-1;Night Ferry;3:04;120;calm, dark;Ada Lo, Ben Uy;2020-05-01',
        'A-2;Day Ferry;2:10;n/a;bright;Ada Lo;2021-06-02',
        'A-3;Old Ferry;0:59;90;dark;Cy Do;2021-07-03',
      ]),
    );
    expect(mapping.name).toBe('plain-sheet-may');
    expect(rejections).toEqual([]);
    expect(tracks).toHaveLength(3);
    const track = tracks.find(({ name }) => name === 'Night Ferry')!;
    expect(track).toMatchObject({
      durationSeconds: 184,
      bpm: '120',
      releaseDate: '2020-05-01T00:00:00.000Z',
      type: 'music',
    });
    expect(JSON.stringify(track)).toMatch(/"dark".*|"Dark"/i);
    expect(JSON.stringify(track)).toContain('Ben Uy');
  });

  it('finds ISRCs and durations by their values', async () => {
    const { mapping, summary } = await suggestAndImport(
      'unknown.csv',
      csv([
        'Title,Field A,Field B',
        'One,USUAN1100001,PT3M4S',
        'Two,USUAN1100002,PT2M',
        'Three,US-UAN-11-00003,PT59S',
      ]),
    );
    expect(mapping.fields).toMatchObject({
      externalId: 'Field A',
      isrc: 'Field A',
      durationSeconds: { from: 'Field B', unit: 'clock' },
    });
    expect(summary).toMatchObject({ created: 3, rejected: 0 });
  });

  it('reads milliseconds, nested members and lists of objects', async () => {
    const { tracks, rejections } = await suggestAndImport(
      'nested.json',
      json({
        meta: { count: 2 },
        data: {
          songs: [1, 2].map((n) => ({
            guid: `11111111-2222-3333-4444-00000000000${n}`,
            info: { title: `Song ${n}`, lengthMs: 184_000 + n * 1000 },
            contributors: [
              { fullName: 'Ada Lo', role: 'Composer' },
              { fullName: 'Cy Do', role: 'Producer' },
            ],
            genres: [{ id: 1, name: 'Ambient' }],
            isInstrumental: 'no',
          })),
        },
      }),
    );
    expect(rejections).toEqual([]);
    const track = tracks.find(({ name }) => name === 'Song 1')!;
    expect(track).toMatchObject({ durationSeconds: 185, hasVocals: true });
    expect(JSON.stringify(track)).toContain('PRODUCER');
    expect(JSON.stringify(track)).toContain('Ambient');
  });

  it('finds the tracks in the list of each album', async () => {
    const album = (n: number) => ({
      album: `Album ${n}`,
      artist: 'Ada Lo',
      tracks: [1, 2].map((t) => ({ code: `${n}-${t}`, title: `Track ${n} ${t}`, seconds: 60 })),
    });
    const { mapping, tracks } = await suggestAndImport('albums.json', json([album(1), album(2)]));
    expect(mapping.records).toBe('[].tracks[]');
    expect(tracks).toHaveLength(4);
    expect(JSON.stringify(tracks[0])).toContain('Ada Lo');
  });

  it('groups the rows of one track', async () => {
    const { mapping, remarks, tracks, rejections } = await suggestAndImport(
      'rows.csv',
      csv([
        'Track Code,Recording,Writer',
        'T1,Night,Ada Lo',
        'T1,Night,Ben Uy',
        'T2,Day,Ada Lo',
        'T2,Day,Cy Do',
      ]),
    );
    expect(mapping.group).toEqual({ rows: 'consecutive', conflicts: 'first' });
    expect(rejections).toEqual([]);
    expect(tracks).toHaveLength(2);
    expect(JSON.stringify(tracks.find(({ name }) => name === 'Night'))).toContain('Ben Uy');
    expect(remarks).toContain(
      'checked with the whole file, 2 tracks (merged from 4 rows): none is rejected',
    );
  });

  it.each([
    ['ISRC', 'ISRC', ['USUAN1100001', 'USUAN1100002', 'USUAN1100003', '']],
    ['file of audio', 'File', ['a.wav', 'b.wav', 'c.wav', '']],
    ['artist', 'Artist', ['Ada Lo', 'Ben Uy', 'Cy Do', '']],
    ['version', 'Version', ['Main', 'Instrumental', 'Main', 'Live']],
    ['duration', 'Duration', ['3:04', '2:59', '1:00', '1:01']],
    ['duration in fractions', 'Seconds', ['183.5', '179.2', '60.1', '61.9']],
  ])('does not group the rows of one work that differ in %s', async (_, column, values) => {
    const rows = values.map((value, i) => `W-${i >> 1},Song ${i >> 1},${value}`);
    const { mapping, remarks } = await suggestAndImport(
      'works.csv',
      csv([`Work No,Cue,${column}`, ...rows]),
    );
    expect(mapping).not.toHaveProperty('group');
    expect(remarks.join(' ')).not.toContain('merged');
  });

  it('keeps the recordings of one work by their ISRCs', async () => {
    const rows = Array.from({ length: 79 }, (_, i) => {
      const version = ['Main', 'Instrumental', 'Live'][i % 3];
      return `W${100 + (i >> 1)},Song ${i >> 1},Band ${i},${version},USUAN11${10_000 + i}`;
    });
    const { mapping, tracks, rejections } = await suggestAndImport(
      'work.csv',
      csv(['Work No,Title,Artist,Version,ISRC Code', ...rows]),
    );
    expect(mapping).not.toHaveProperty('group');
    expect(mapping.fields.externalId).toBe('ISRC Code');
    expect(rejections).toEqual([]);
    expect(tracks).toHaveLength(79);
  });

  it.each(['artist', 'Band'])('keeps tracks of one title by their %s', async (column) => {
    const rows = Array.from({ length: 40 }, (_, i) => `Song ${i % 10},song-${i % 10},Band ${i}`);
    const { mapping, tracks } = await suggestAndImport(
      'slugs.csv',
      csv([`title,title_slug,${column}`, ...rows]),
    );
    expect(mapping).not.toHaveProperty('group');
    expect(tracks).toHaveLength(40);
  });

  it('makes the name and the id of names of files, and leaves out audio that is not there', async () => {
    const { mapping, remarks, tracks } = await suggestAndImport(
      'files.ndjson',
      ['a/Rain On Roof.wav', 'a/Door.wav']
        .map((file) => `${json({ file }).replace(/\n/g, '')}\n`)
        .join(''),
    );
    expect(mapping.fields.externalId).toBe('file');
    expect(mapping.fields).not.toHaveProperty('audio');
    expect(remarks.join('\n')).toContain('fields.audio has no rule');
    expect(tracks.map(({ name }) => name).sort()).toEqual(['Door', 'Rain On Roof']);
  });

  it('leaves out dates whose day and month cannot be told apart, and reads those that can', async () => {
    const dated = (dates: readonly string[]) =>
      csv(['Id,Title,Release Date', ...dates.map((date, i) => `${i + 1},Song ${i},${date}`)]);
    const unclear = await suggestAndImport('unclear.csv', dated(['01/02/2020', '03/04/2021']));
    expect(unclear.mapping.fields).not.toHaveProperty('releaseDate');
    expect(unclear.remarks.join('\n')).toContain('day and month cannot be told apart');
    const clear = await suggestAndImport(
      'clear.csv',
      dated(['unknown', '13/04/2021', '25/12/2021', ...Array(18).fill('14/05/2020')]),
    );
    expect(clear.mapping.fields.releaseDate).toEqual({
      from: 'Release Date',
      matches: '[0-9]{2}',
      form: 'DD/MM/YYYY',
    });
    expect(clear.rejections).toEqual([]);
  });

  it('joins members if no member is an id, and reads what is not UTF-8', async () => {
    const rows = ['Künstler;Titel;Dauer', 'Ä;Eins;3:00', 'Ä;Zwei;3:00', 'B;Eins;3:00'];
    const { mapping, tracks } = await suggestAndImport(
      'latin.csv',
      Buffer.from(csv(rows), 'latin1'),
    );
    expect(mapping.encoding).toBe('windows-1252');
    expect(mapping.fields.externalId).toMatchObject({ separator: ' / ' });
    expect(tracks).toHaveLength(3);
    expect(tracks[0]).toMatchObject({ durationSeconds: 180 });
  });

  it('takes the type of the records, or of --type', async () => {
    const rows = csv(['Id,Title,Kind', '1,A,Music', '2,B,Sound Effect']);
    const { tracks } = await suggestAndImport('kinds.csv', rows);
    expect(tracks.map(({ type }) => type).sort()).toEqual(['music', 'sfx']);
    const path = await bench.write('typeless.csv', csv(['Id,Title,Rate', '1,A,2']));
    const { mapping, remarks } = await suggestMapping({ path, type: 'sfx' });
    expect(mapping.fields.type).toEqual({ constant: 'sfx' });
    expect(remarks.join('\n')).not.toContain('--type sfx');
  });

  it('is that of Stave if a shipped one fits', async () => {
    const path = await bench.write('sheet.csv', csv(['ISRC,Title', 'USUAN1100001,One']));
    const { mapping, remarks } = await suggestMapping({ path });
    expect(mapping.name).toBe('isrc-title');
    expect(remarks[0]).toContain('the shipped mapping isrc-title fits this file');
  });
});

describe('no mapping is suggested for', () => {
  it.each([
    ['own.ndjson', '{"externalId":"1","name":"A","type":"music"}\n', 'it needs no mapping'],
    ['numbers.csv', 'x,y\n1,2\n3,4\n', 'no member or column looks like the name of a track'],
    ['empty.csv', '', 'is empty'],
    ['list.json', '[1,2,3]', 'holds no track records'],
    ['broken.json', '[{"title":', 'no records were found'],
    ['page.html', '<!doctype html><p>x', 'HTML'],
  ])('%s', async (name, content, reason) => {
    const path = await bench.write(name, content);
    const refusal = await suggestMapping({ path }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(OperatorError);
    expect((refusal as Error).message).toContain(reason);
  });

  it('a folder of audio', async () => {
    await bench.write('music/a.mp3', 'x');
    await expect(suggestMapping({ path: join(bench.folder, 'music') })).rejects.toThrow(
      'whose audio is read by its tags: it needs no mapping',
    );
  });
});

it('suggests no mapping for a message of DDEX', async () => {
  const path = await bench.write('release.xml', ern43({}));
  await expect(suggestMapping({ path })).rejects.toThrow(
    'is a message of DDEX: it needs no mapping',
  );
});

describe.skipIf(!HAS_SHARED_DATA)('real files (skipped without ../shared/data)', () => {
  it('imports the manifest of the audio with all but its faulty files', async () => {
    const path = join(SHARED_DATA, 'audio', 'manifest.json');
    const { mapping, remarks } = await suggestMapping({ path });
    expect(mapping.fields).toMatchObject({ externalId: 'file', name: 'title', audio: 'file' });
    expect(remarks.join('\n')).toContain(
      'checked with the whole file, 78 tracks: none is rejected',
    );
  });

  it('suggests a valid mapping for every catalog, which takes nearly all of its records', async () => {
    const folders = [SHARED_DATA, join(SHARED_DATA, 'raw')];
    const paths = await Promise.all(
      folders.map(async (folder) =>
        (await readdir(folder))
          .filter((name) => /\.gz$/.test(name))
          .map((name) => join(folder, name)),
      ),
    );
    expect(paths.flat().length).toBeGreaterThan(6);
    for (const path of paths.flat()) {
      const { mapping } = await suggestMapping({ path });
      const mapFile = await bench.write('suggested.json', JSON.stringify(mapping));
      const copy = await bench.write('copy.gz', await readFile(path));
      const { summary } = await bench.run([copy], { mapFile, dryRun: true, source: 'test' });
      expect(summary.created, path).toBeGreaterThan(summary.read * 0.98);
    }
  }, 120_000);
});
