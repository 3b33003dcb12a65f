import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  HAS_SHARED_DATA,
  type ImportBench,
  ndjson,
  openImportBench,
  SHARED_DATA,
} from '../../../test/harness/import-bench.ts';
import { trimmed } from './canonical/text.ts';
import { xlsx } from './decode/xlsx.test-support.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const table = (...rows: string[]) => `${rows.join('\n')}\n`;
const SIGNS = ['\u200b', '\u2060', '\ufeff', '\u00ad', '\u200e', '\u00a0\u200b '];

describe.each(SIGNS)('the invisible character %j', (sign) => {
  const at = (text: string) => `${sign}${text}${sign}`;

  const heading = 'externalId name type isrc durationSeconds bpm tags releaseDate slug'.split(' ');
  const cells = `Z-1 Rain music USUAN_1100001 3:04 92 a_|b 2011-08-02 wet`.split(' ');
  const rows = [heading, cells].map((row) => row.map((cell) => at(cell.replace('_', sign))));
  const record = Object.fromEntries(heading.map((name, i) => [name, rows[1]![i]]));
  const json = {
    ...record,
    type: 'music',
    durationSeconds: at('184'),
    tags: [at('a'), 'a', at('b')],
  };

  it.each([
    ['CSV', 'a.csv', () => table(...rows.map((row) => row.join()))],
    ['a workbook', 'a.xlsx', () => xlsx([{ name: 'Tracks', rows }])],
    ['JSON', 'a.ndjson', () => ndjson(json)],
  ])('is stripped at the ends of values and in ISRCs, in %s', async (_, name, content) => {
    const { summary, rejections } = await bench.run([await bench.write(name, await content())]);
    expect({ summary, rejections }).toEqual({ summary: counts(1), rejections: [] });
    const [track] = await bench.tracks();
    expect(track).toMatchObject({
      name: 'Rain',
      slug: 'wet',
      durationSeconds: 184,
      bpm: '92',
      tags: ['a', 'b'],
      releaseDate: '2011-08-02T00:00:00.000Z',
    });
    const record = await bench.store.catalog.trackRecord(String(track!.id));
    expect(record).toMatchObject({ externalId: 'Z-1' });
    expect(JSON.stringify(record)).toContain('"isrc":"USUAN1100001"');
  });

  it('is stripped from keys and words of a mapping', async () => {
    await bench.write('people.csv', table('key,who', `${at('7')},Ann`));
    const mapFile = await bench.write(
      'map.json',
      JSON.stringify({
        name: 'acme',
        fields: {
          externalId: 'No',
          name: 'Song',
          type: { from: 'Kind', values: { Song: 'music' } },
        },
        artists: [
          { name: { from: 'By', lookup: { file: 'people.csv', key: 'key', take: 'who' } } },
        ],
      }),
    );
    const records = { No: at('1'), Song: 'Rain', Kind: at('Song'), By: at('7') };
    const { summary, notes } = await bench.run([await bench.write('a.ndjson', ndjson(records))], {
      mapFile,
    });
    expect({ summary, notes }).toEqual({ summary: counts(1), notes: [] });
    expect(JSON.stringify(await bench.tracks())).toContain('Ann');
  });

  it('alone is no name', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson({ externalId: '1', name: at(''), type: 'music' }),
    );
    expect((await bench.run([path])).rejections).toMatchObject([
      { field: 'name', reason: 'must not be empty' },
    ]);
  });
});

it('keeps invisible characters within names, and the marks of emoji', async () => {
  const names = ['Night\u00adfall', 'می\u200cخواهم', '👩\u200d🎤 ❤\ufe0f'];
  const records = names.map((name, i) => ({ externalId: `${i}`, name, type: 'music' }));
  await bench.run([await bench.write('a.ndjson', ndjson(...records))]);
  expect((await bench.tracks()).map(({ name }) => name).sort()).toEqual(names.toSorted());
});

it('shows invisible characters and unusual spaces in reasons', async () => {
  const path = await bench.write(
    'a.csv',
    table('externalId,name,type,slug,isrc', '1,Rain,music,a\u200bb,US\u00a0X'),
  );
  const { rejections } = await bench.run([path]);
  expect(rejections[0]!.reason).toContain('it is "a<U+200B>b"');
  expect(rejections[0]!.reason).toContain('it is "US<U+00A0>X"');
});

it('trims in linear time', () => {
  const blanks = '\u200b '.repeat(500_000);
  const startedAt = performance.now();
  expect(trimmed(`x${blanks}x`)).toHaveLength(blanks.length + 2);
  expect(trimmed(blanks)).toBe('');
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

it.each([
  'US\u2011UAN\u201111\u201100005',
  'US–UAN–11–00005',
  'ＵＳＵＡＮ１１００００５',
  'ISRC: US UAN 11 00005',
])('reads the ISRC %s', async (isrc) => {
  const path = await bench.write(
    'a.ndjson',
    ndjson({ externalId: '1', name: 'A', type: 'music', isrc }),
  );
  expect((await bench.run([path])).summary).toEqual(counts(1));
});

it.skipIf(!HAS_SHARED_DATA)('strips them in the cells of a real sheet', async () => {
  const { rejections } = await bench.run([join(SHARED_DATA, 'failing', 'invisible.csv')]);
  expect(rejections.map(({ line, field }) => `${line} ${field}`)).toEqual([
    // Names of nothing else; ids that differed by such characters alone.
    '35 name',
    '36 name',
    '3 externalId',
    '5 externalId',
    '7 externalId',
    '9 externalId',
  ]);
});
