import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { counts, type ImportBench, openImportBench } from '../../../test/harness/import-bench.ts';
import { type TestCell, xlsx } from './decode/xlsx.test-support.ts';
import type { Reading } from './options.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

/** One made-up row of a sheet: its cells by column, and what becomes of them. */
interface Sample {
  mapping: string;
  cells: Record<string, TestCell>;
  track: object;
  filters: string[];
}

const SAMPLES: Sample[] = [
  {
    mapping: 'sourceaudio',
    cells: {
      'SourceAudio ID': 8_812_345,
      Filename: 'NR_Night_Rain.wav',
      Title: 'Night Rain',
      Description: 'Slow and calm',
      Genre: 'Ambient, Drone',
      Mood: 'Calm; Dark, but warm',
      Keywords: 'rain, piano',
      'Music For': 'Documentary',
      BPM: 92,
      Key: 'A minor',
      Artist: 'Earth, Wind & Rain',
      Album: 'Weather',
      'Composer(s)': 'Bob Low, Cy Tree',
      'Publisher(s)': 'Low Songs',
      'Writer 1 First Name': 'Bob',
      ISRC: 'US-UAN-11-00001',
      ISWC: 'T-034.524.680-1',
      Duration: '3:04',
      'Release Date': '08/02/2011',
      Instrumental: 'Yes',
    },
    track: {
      tags: ['rain', 'piano'],
      artists: [
        { name: 'Earth, Wind & Rain', role: 'MAIN_ARTIST' },
        { name: 'Bob Low', role: 'COMPOSER' },
        { name: 'Cy Tree', role: 'COMPOSER' },
        { name: 'Low Songs', role: 'PUBLISHER' },
      ],
      bpm: '92',
      songKey: ['A minor'],
    },
    filters: ['Ambient', 'Drone', 'Calm', 'Dark, but warm', 'Documentary'],
  },
  ...[
    'AlbumCode TrackTitle TrackNumber TrackID',
    'Album Code,Track Title,Track Number,Track ID',
  ].map((columns): Sample => {
    const [code, title, number, id] = columns.split(/[ ,](?=Track)/) as [
      string,
      string,
      string,
      string,
    ];
    return {
      mapping: 'harvest',
      cells: {
        [code]: 'NR001',
        [number]: 3,
        [id]: 'NR001-03',
        [title]: 'Night Rain',
        Duration: '3:04',
        Composers: 'Bob Low / Cy Tree',
        Genre: 'Ambient',
        Mood: 'Calm',
        Tempo: 'Slow',
        BPM: 'Free',
        Instrumentation: 'Piano, Strings',
        'Release Date': '02/08/2011',
      },
      track: {
        tags: ['Piano', 'Strings', 'Slow'],
        artists: [
          { name: 'Bob Low', role: 'COMPOSER' },
          { name: 'Cy Tree', role: 'COMPOSER' },
        ],
        bpm: '',
      },
      filters: ['Ambient', 'Calm'],
    };
  }),
  ...[
    ['isrc-track-title', 'Track Title', 'Track Primary Artists', 'Composers', 'Primary Genre'],
    ['isrc-track-name', 'Track Name', 'Track Artist(s)', 'Songwriter(s)', 'Genre'],
    ['isrc-song-title', 'Song Title', 'Artist Name', 'Songwriter', 'Genre'],
    ['isrc-title', 'Title', 'Artist', 'Writers', 'Genre'],
  ].map(
    ([mapping, title, artist, writer, genre]): Sample => ({
      mapping: mapping!,
      cells: {
        UPC: 4_006_381_333_931,
        'Release Title': 'Weather',
        ISRC: 'USUAN1100001',
        [title!]: 'Night Rain',
        [artist!]: 'Ann Weir; Bob Low',
        [writer!]: 'Bob Low; Cy Tree',
        [genre!]: 'Ambient',
        'Release Date': '2011-08-02',
        Duration: '0:03:04',
        Explicit: 'No',
      },
      track: {
        artists: [
          { name: 'Ann Weir', role: 'MAIN_ARTIST' },
          { name: 'Bob Low', role: 'MAIN_ARTIST' },
          { name: 'Bob Low', role: 'COMPOSER' },
          { name: 'Cy Tree', role: 'COMPOSER' },
        ],
      },
      filters: ['Ambient'],
    }),
  ),
];

function csv(cells: Record<string, TestCell>): string {
  const line = (values: readonly TestCell[]) => `${values.map((one) => `"${one}"`).join(',')}\n`;
  return line(Object.keys(cells)) + line(Object.values(cells));
}

describe.each(SAMPLES)('the mapping $mapping', ({ mapping, cells, track, filters }) => {
  it.each(['csv', 'xlsx'])('recognizes and reads its sheet as %s', async (format) => {
    const rows = [Object.keys(cells), Object.values(cells)];
    const content = format === 'csv' ? csv(cells) : await xlsx([{ name: 'T', rows }]);
    const path = await bench.write(`delivery.${format}`, content);
    const readings: Reading[] = [];
    const onReading = (reading: Reading) => readings.push(reading);
    const { summary, rejections, notes } = await bench.run([path], { onReading });
    expect([rejections, notes, summary]).toEqual([[], [], counts(1)]);
    expect(readings).toMatchObject([{ mapping, source: mapping }]);
    const [found] = await bench.tracks();
    expect(found).toMatchObject({
      name: 'Night Rain',
      type: 'music',
      durationSeconds: 184,
      releaseDate: '2011-08-02T00:00:00.000Z',
      ...track,
    });
    const names = (found!.filters as { name: string }[]).map(({ name }) => name);
    expect(names.toSorted()).toEqual(filters.toSorted());
  });
});

describe('a sheet with a column of territories', () => {
  const importRow = async (columns: string, cells: string) => {
    const path = await bench.write('a.csv', `ISRC;Title;${columns}\nUSUAN1100001;Rain;${cells}\n`);
    return bench.run([path]);
  };
  /** What an import of the same track with this availability does. */
  const compare = async (availability: object[]) => {
    const isrc = 'USUAN1100001';
    const record = { externalId: isrc, isrc, name: 'Rain', type: 'music', availability };
    const path = await bench.write('same.ndjson', JSON.stringify(record));
    return (await bench.run([path], { source: 'isrc-title' })).summary;
  };
  const SAME = { read: 1, created: 0, updated: 0, unchanged: 1, rejected: 0 };

  it.each([
    ['Territories', 'DE, AT', [{ territories: ['AT', 'DE'] }]],
    ['Sales Territories', 'de|us', [{ territories: ['DE', 'US'] }]],
    ['Territories', 'Worldwide', [{}]],
    ['Countries;Excluded Territories', 'WW;US', [{ excludedTerritories: ['US'] }]],
    ['Territories', 'World excl. US, CA', [{ excludedTerritories: ['CA', 'US'] }]],
    ['Territories', 'United Kingdom / Ireland', [{ territories: ['GB', 'IE'] }]],
    ['Territories', '', []],
  ])('reads %s: %s', async (columns, cells, expected) => {
    const { summary, notes } = await importRow(columns, cells);
    expect([summary, notes]).toEqual([counts(1), []]);
    expect(await compare(expected)).toEqual(SAME);
  });

  it.each(['World, US only', 'RoW', 'DE, Atlantis', '-'])(
    'rejects a track for %s',
    async (cell) => {
      const { summary, rejections } = await importRow('Territories', cell);
      expect(summary).toMatchObject({ created: 0, rejected: 1 });
      expect(rejections).toMatchObject([{ field: 'Territories' }]);
    },
  );

  it('removes the limits of an earlier delivery if it says so', async () => {
    await importRow('Territories', 'DE');
    await importRow('Territories', '');
    expect(await compare([{ territories: ['DE'] }])).toEqual(SAME);
    await importRow('Territories', 'WW');
    expect(await compare([{}])).toEqual(SAME);
  });
});

describe('a sheet with a column of territories that no rule reads', () => {
  it('is imported with a note', async () => {
    const path = await bench.write(
      'a.csv',
      'AlbumCode,TrackTitle,TrackID,Territories\nA,Rain,1,DE\n',
    );
    const { summary, notes } = await bench.run([path]);
    expect(summary).toEqual(counts(1));
    expect(notes).toEqual([
      `${path}: the mapping harvest does not read the column "Territories": the tracks are available everywhere`,
    ]);
  });
});

describe('columns about the shares of publishers and writers', () => {
  it.each(['Publisher 1 Collection Share Territory', 'Writer Territory', 'Controlled Territories'])(
    'are not taken for territories of the track: %s',
    async (column) => {
      const path = await bench.write(
        'a.csv',
        `AlbumCode,TrackTitle,TrackID,${column}\nA,Rain,1,DE\n`,
      );
      expect((await bench.run([path])).notes).toEqual([]);
    },
  );
});

describe('a sheet of harvest without an id of the track', () => {
  it('takes the code of the album and the number of the track', async () => {
    const rows = 'AlbumCode,TrackNumber,TrackTitle\nNR001,3,Rain\nNR001,4,Sun\nNR002,,Snow\n';
    const { summary, rejections } = await bench.run([await bench.write('a.csv', rows)]);
    expect(summary).toEqual(counts(2, 1));
    expect(rejections).toMatchObject([{ line: 4, field: expect.stringMatching(/externalId|id/) }]);
  });
});

describe('a sheet of another form', () => {
  it.each(['ISRC,Work', 'Title,Artist', 'externalId,name,type,ISRC,Title'])(
    'is not read by these mappings: %s',
    async (heading) => {
      const row = heading
        .split(',')
        .map(() => 'x')
        .join(',');
      const path = await bench.write('a.csv', `${heading}\n${row}\n`);
      const readings: Reading[] = [];
      await bench.run([path], { onReading: (reading) => readings.push(reading) });
      expect(readings.map(({ mapping }) => mapping).filter((one) => one !== null)).toEqual([]);
    },
  );
});
