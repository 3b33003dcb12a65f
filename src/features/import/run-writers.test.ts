import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';
import { TABLES } from '../../engines/sql/copied-tables.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

/** The rows of a table by column. */
async function rowsOf(name: string): Promise<Record<string, unknown>[]> {
  const table = TABLES.find((one) => one.name === name)!;
  const rows = await bench.store.tables.rowsAfter(table, null, 100);
  return rows.map((row) => Object.fromEntries(table.columns.map((column, i) => [column, row[i]])));
}

const ARTISTS = [
  { name: 'Ann', role: 'COMPOSER', ipi: '141073380', society: 'GEMA', sharePercent: 50 },
  { name: 'Cy', role: 'LYRICIST' },
  { name: 'Bob', role: 'PUBLISHER', sharePercent: '100.00' },
];

const STORED = [
  { position: 0, name: 'Ann', role: 'COMPOSER', ipi: '00141073380', society: 'GEMA', share: 5_000 },
  { position: 1, name: 'Bob', role: 'PUBLISHER', ipi: null, society: null, share: 10_000 },
];

describe('an import of writers', () => {
  it('reads them from records, and does not show them in a track', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(record('1', { iswc: 'T0345246801', artists: ARTISTS })),
    );
    expect((await bench.run([path])).summary).toMatchObject({ created: 1, rejected: 0 });
    expect(await rowsOf('track_writers')).toMatchObject(STORED);
    expect(await rowsOf('tracks')).toMatchObject([{ iswc: 'T-034.524.680-1' }]);
    expect(JSON.stringify(await bench.tracks())).not.toMatch(/iswc|ipi|society|share|00141073380/);
    expect((await bench.run([path])).summary).toMatchObject({ unchanged: 1 });
  });

  it('reads them from CSV, whose list is JSON, and from a mapping', async () => {
    const cell = JSON.stringify(ARTISTS).replaceAll('"', '""');
    const csv = `externalId,name,type,iswc,artists\n1,N,music,T0345246801,"${cell}"\n2,M,music,,\n`;
    const path = await bench.write('a.csv', csv);
    expect((await bench.run([path])).summary).toMatchObject({ created: 2, rejected: 0 });
    expect(await rowsOf('track_writers')).toMatchObject(STORED);
    const mapFile = await bench.write(
      'm.json',
      JSON.stringify({
        name: 'acme',
        fields: { externalId: 'No', name: 'Title', type: { constant: 'music' }, iswc: 'Work' },
        artists: [
          {
            name: 'By',
            role: { constant: 'COMPOSER' },
            ipi: 'Cae',
            society: 'Pro',
            sharePercent: 'Split',
          },
        ],
      }),
    );
    const mapped = 'No,Title,Work,By,Cae,Pro,Split\n1,N,T-034.524.680-1,Ann,141073380,PRS,12.5\n';
    await bench.run([await bench.write('b.csv', mapped)], { mapFile });
    expect((await rowsOf('track_writers'))[2]).toMatchObject({
      ipi: '00141073380',
      society: 'PRS',
      share: 1_250,
    });
  });

  it('accepts shares of more than 100 % with a note', async () => {
    const excess = { artists: [{ name: 'Ann', role: 'COMPOSER', sharePercent: 100 }, ...ARTISTS] };
    const one = await bench.write('a.ndjson', ndjson(record('1'), record('2', excess)));
    const first = await bench.run([one]);
    expect(first.summary).toMatchObject({ created: 2, rejected: 0 });
    expect(first.notes).toEqual([
      `${one}: the shares of a side add up to more than 100 % in record 2`,
    ]);
    const two = await bench.write('b.ndjson', ndjson(record('3', excess), record('4', excess)));
    expect((await bench.run([two])).notes).toEqual([
      `${two}: the shares of a side add up to more than 100 % in record 1 and 1 more`,
    ]);
  });

  it('rejects only the records with invalid values, and names them', async () => {
    const path = await bench.write(
      'a.ndjson',
      ndjson(
        record('1', { iswc: 'T0345246800' }),
        record('2', { artists: [{ name: 'Ann' }, { name: 'Bob', ipi: '1', sharePercent: 101 }] }),
        record('3'),
      ),
    );
    const { summary, rejections } = await bench.run([path]);
    expect(summary).toMatchObject({ created: 1, rejected: 2 });
    expect(rejections.map(({ line, field }) => `${line} ${field}`)).toEqual([
      '1 iswc',
      '2 artists[1].ipi',
    ]);
  });
});
