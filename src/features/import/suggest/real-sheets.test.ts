import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  HAS_SHARED_DATA,
  type ImportBench,
  openImportBench,
  SHARED_DATA,
} from '../../../../test/harness/import-bench.ts';
import { suggestMapping } from './suggest.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

async function suggest(name: string, content: string) {
  const path = await bench.write(name, content);
  const { mapping, remarks } = await suggestMapping({ path });
  const mapFile = await bench.write('suggested.json', JSON.stringify(mapping));
  const { summary, rejections } = await bench.run([path], { mapFile });
  const tracks = await bench.tracks();
  const names = tracks.map(({ name: one }) => one);
  return {
    mapping,
    fields: mapping.fields,
    remarks: remarks.join('\n'),
    summary,
    rejections,
    tracks,
    names,
  };
}

const table = (...rows: string[]) => `${rows.join('\n')}\n`;

describe('the suggested id of a track', () => {
  it.each([
    ['rank', '1 2 3'],
    ['id', '1 2 3'],
    ['', '0 1 2'],
    ['Position', '7 3 12'],
    ['Chart Position', '101 102 103'],
    ['Track No', '4 9 2'],
    ['UPC', '8.05E+11 8.06E+11 8.07E+11'],
  ])('is not the column "%s" with %s, and a remark says what is taken', async (column, values) => {
    const [a, b, c] = values.split(' ');
    const { fields, remarks, summary } = await suggest(
      'chart.csv',
      table(`${column},Song,Artist`, `${a},Rain,Ann`, `${b},Sun,Bob`, `${c},Rain,Cy`),
    );
    expect(fields.externalId).toEqual({
      join: [{ from: 'Artist', default: '' }, 'Song'],
      separator: ' / ',
    });
    expect(remarks).toContain(
      'no member identifies a track from delivery to delivery, so fields.externalId is composed of "Artist", "Song"',
    );
    expect(summary).toMatchObject({ created: 3, rejected: 0 });
  });

  const numbers = Array.from({ length: 40 }, (_, i) => i + 1);
  const days = numbers.map((n) => `2024-03-${String((n % 28) + 1).padStart(2, '0')}`);
  it.each([
    ['No', 'numbers in another order', numbers.toReversed()],
    ['No', 'numbers with full stops', numbers.map((n) => `${n}.`)],
    ['No', 'numbers with signs', numbers.map((n) => `#${n}`)],
    ['No', 'numbers with a gap', numbers.map((n) => (n > 20 ? n + 2 : n))],
    ['id', 'numbers from 0 on', numbers.map((n) => 40 - n)],
    ['last_modified', 'times', days.map((day, i) => `${day}T10:${10 + i}:00Z`)],
  ])('is not the column %s with %s', async (column, _, values) => {
    const rows = values.map((value, i) => `${value},Song ${i % 20},Band ${i}`);
    const { fields, summary } = await suggest('a.csv', table(`${column},Song,Artist`, ...rows));
    expect(fields.externalId).toEqual({
      join: [{ from: 'Artist', default: '' }, 'Song'],
      separator: ' / ',
    });
    expect(summary).toMatchObject({ created: 40, rejected: 0 });
  });

  it.each([
    ['numbers with many gaps', numbers.map((n) => n * 3 - 2)],
    ['numbers from 100 on', numbers.map((n) => n + 99)],
  ])('may be %s', async (_, values) => {
    const rows = values.map((value, i) => `${value},Song ${i}`);
    const { fields } = await suggest('a.csv', table('No,Song', ...rows));
    expect(fields.externalId).toBe('No');
  });

  it('stays the same track when the next file has another order', async () => {
    const week = (...songs: string[]) =>
      table('Rank,Song,Artist', ...songs.map((song, i) => `${i + 1},${song},Ann`));
    const { mapping } = await suggest('one.csv', week('Rain', 'Sun', 'Snow'));
    const mapFile = await bench.write('map.json', JSON.stringify(mapping));
    const next = await bench.write('two.csv', week('Snow', 'Rain', 'Sun'));
    const { summary } = await bench.run([next], { mapFile, source: mapping.name });
    expect(summary).toMatchObject({ created: 0, updated: 0, unchanged: 3 });
  });

  it('names the column that it refuses, and how to take it nevertheless', async () => {
    const { remarks } = await suggest('a.csv', table('id,Song', '1,Rain', '2,Sun'));
    expect(remarks).toMatch(/"id" numbers the records .* write "externalId": "id"/);
  });

  it('is a number that counts nothing', async () => {
    const { fields } = await suggest('a.csv', table('id,Song', '17,Rain', '4,Sun', '90,Snow'));
    expect(fields.externalId).toBe('id');
  });

  it('is no count, date or measure that happens to differ', async () => {
    const { fields } = await suggest(
      'a.csv',
      table('Song,Plays,Added', 'Rain,1200,34393', 'Sun,94,34434', 'Snow,310022,34475'),
    );
    expect(fields.externalId).toEqual({ join: ['Song'], separator: ' / ' });
  });

  it('gets more members until it is unique', async () => {
    const { fields, summary } = await suggest(
      'a.csv',
      table('Album,Track No,Song', 'A,1,Intro', 'A,9,Intro', 'B,1,Intro', 'B,2,Rain'),
    );
    expect(fields.externalId).toEqual({
      join: [{ from: 'Album', default: '' }, { from: 'Track No', default: '' }, 'Song'],
      separator: ' / ',
    });
    expect(summary).toMatchObject({ created: 4, rejected: 0 });
  });

  it('groups several rows of a track by a code that no name explains', async () => {
    const { mapping, tracks } = await suggest(
      'rows.csv',
      table('Registration,Title,Writer', 'R-17,Rain,Ann', 'R-4,Sun,Bob', 'R-17,Rain,Cy'),
    );
    expect(mapping).toMatchObject({
      fields: { externalId: 'Registration' },
      group: { rows: 'all' },
    });
    expect(tracks).toHaveLength(2);
    expect(JSON.stringify(tracks)).toMatch(/Ann.*Cy/);
  });
});

describe('the suggested credits', () => {
  it.each([
    ['singer_list', 'Ann|Bob'],
    ['PerformerArtistName', 'Ann|Bob'],
    ['Artist Names', 'Ann; Bob'],
  ])('come from %s', async (column, people) => {
    const { tracks } = await suggest('a.csv', table(`code,title,${column}`, `R-17,Rain,${people}`));
    expect(tracks[0]!.artists).toMatchObject([
      { name: 'Ann', role: 'MAIN_ARTIST', isPrimary: true },
      { name: 'Bob', role: 'MAIN_ARTIST' },
    ]);
  });

  it.each([
    ['texts', ['Ann', 'Bob']],
    ['objects', [{ name: 'Ann' }, { name: 'Bob' }]],
  ])('come from a list of %s beside the list of tracks', async (_, performers) => {
    const concert = (n: number) => ({
      Performers: performers,
      tracks: [1, 2].map((t) => ({ code: `${n}-${t}`, title: `Part ${n} ${t}` })),
    });
    const { tracks } = await suggest('a.json', JSON.stringify([concert(1), concert(2)]));
    expect(tracks).toHaveLength(4);
    expect(JSON.stringify(tracks[3]!.artists)).toMatch(/Ann.*Bob/);
  });
});

describe('the suggested name', () => {
  it('has the movement of a work whose name several tracks share', async () => {
    const { names, summary } = await suggest(
      'works.csv',
      table('code,title,movement', 'a-9,Sonata,I. Allegro', 'a-4,Sonata,II. Largo', 'a-7,Song,'),
    );
    expect(summary).toMatchObject({ created: 3, rejected: 0 });
    expect(names).toEqual(['Sonata: I. Allegro', 'Sonata: II. Largo', 'Song']);
  });

  it('is the description of a sound rather than the number of its file', async () => {
    const { names, tracks, remarks } = await suggest(
      'sounds.csv',
      table(
        'location,description,secs,category,CDName',
        '07042001.wav,"Rain on a roof, distant",194,Weather,Water',
        '07042008.wav,Two-stroke engine,9,Transport,Water',
      ),
    );
    expect(names).toEqual(['Rain on a roof, distant', 'Two-stroke engine']);
    expect(tracks.map(({ type }) => type)).toEqual(['sfx', 'sfx']);
    expect(remarks).toContain('fields.type is "sfx" for all (--type music suggests "music")');
  });

  it('is the file if that says more than a number, and music if it has artists', async () => {
    const { names, tracks } = await suggest(
      'files.csv',
      table(
        'file,category,artist,description',
        'Night Rain.wav,A,Ann,Long words',
        'Sun 2.wav,B,Bob,x',
      ),
    );
    expect(names).toEqual(['Night Rain', 'Sun 2']);
    expect(tracks[0]).toMatchObject({ type: 'music' });
  });

  it.each([
    ["b'Caf\\xc3\\xa9'", 'b"Don\'t"', ['Café', "Don't"], 'bytes of Python are decoded'],
    ['"""Rain"""', '"""Sun"""', ['Rain', 'Sun'], 'quotes around each are removed'],
    ['Rock &amp; Roll', 'Tom &amp;amp; I', ['Rock & Roll', 'Tom &amp; I'], 'decoded once'],
    ['MÃºsica', 'Plain', ['Música', 'Plain'], 'encoded twice is decoded'],
    ['"The ""Heroes"""', '"""Sun"""', ['"Sun"', 'The "Heroes"'], 'by its name'],
  ])('is free of what a program has left in it: %s', async (one, other, expected, remark) => {
    const { names, remarks } = await suggest(
      'a.csv',
      table('code,title,year', `R-17,${one},2001`, `R-4,${other},2002`),
    );
    expect(names.toSorted()).toEqual(expected.toSorted());
    expect(remarks).toContain(remark);
  });
});

describe('ids that a spreadsheet has rounded', () => {
  it('are named in a note', async () => {
    const path = await bench.write(
      'a.csv',
      table(
        'externalId,name,type',
        '8.05E+11,Rain,music',
        '1E10,Sun,music',
        '"a / 1,2E+5",Sky,music',
      ),
    );
    const { notes } = await bench.run([path]);
    expect(notes).toEqual([
      `${path}: 2 ids are numbers that a spreadsheet has rounded, so that different tracks can have one id: "8.05E+11" in record 2, "a / 1,2E+5" in record 4 (ask for the column as text)`,
    ]);
  });

  it.skipIf(!HAS_SHARED_DATA)('never make one track of two without a word', async () => {
    const path = join(SHARED_DATA, 'failing', 'sci.csv');
    const { rejections, notes } = await bench.run([path]);
    expect(rejections).toMatchObject([{ line: 3, field: 'externalId' }]);
    expect(notes.join('\n')).toMatch(
      /3 ids are numbers .*"2\.19E\+26" in record 2.*"8\.05E\+11" in record 6/,
    );
  });
});
