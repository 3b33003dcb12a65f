import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { counts, type ImportBench, openImportBench } from '../../../test/harness/import-bench.ts';
import { type TestCell, xlsx } from './decode/xlsx.test-support.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const HEADING = ['externalId', 'name', 'type', 'durationSeconds', 'tags', 'filters', 'releaseDate'];
const ROW: TestCell[] = [
  '1',
  'Night Rain',
  'music',
  [184 / 1440, 3],
  'rain|piano',
  'genre:Ambient',
  [45_231, 1],
];

describe('an Excel workbook', () => {
  it('is imported in Stave’s own form, and again without a change', async () => {
    const path = await bench.write('a.xlsx', await xlsx([{ name: 'T', rows: [HEADING, ROW] }]));
    const { summary, notes } = await bench.run([path]);
    expect(summary).toEqual(counts(1));
    expect(notes).toEqual([]);
    expect(await bench.tracks()).toMatchObject([
      {
        name: 'Night Rain',
        durationSeconds: 184,
        tags: ['rain', 'piano'],
        releaseDate: '2023-11-01T00:00:00.000Z',
      },
    ]);
    expect((await bench.run([path])).summary).toMatchObject({ unchanged: 1, rejected: 0 });
  });

  it('gives the rejections the numbers of its rows, and names unknown columns', async () => {
    const rows = [
      ['Title'],
      [],
      [...HEADING, 'titel'],
      ROW,
      ['2', '', 'music', -1, '', '', '', 'x'],
    ];
    const path = await bench.write('a.xlsx', await xlsx([{ name: 'T', rows }]));
    const { summary, rejections, notes } = await bench.run([path]);
    expect(summary).toEqual(counts(1, 1));
    expect(rejections).toMatchObject([{ line: 5, field: 'name' }]);
    expect(notes).toEqual([expect.stringContaining('the column "titel" is passed over')]);
  });

  it('has its heading where the mapping says, and columns of one name', async () => {
    const rows = [
      ['Code', 'Work', 'Tag', 'Tag', 'more'],
      ['', 'Track', 'Tag', 'Tag'],
      ['(text)', '(text)', '(a word)', '(a word)'],
      ['1', 'Night Rain', 'rain', 'piano'],
      [],
      ['2', 'Sun', '', 'calm'],
    ];
    const path = await bench.write('a.xlsx', await xlsx([{ name: 'T', rows }]));
    const fields = { externalId: 'Code', name: 'Track', type: { constant: 'music' } };
    const lines = { headingLine: 2, firstRecordLine: 4 };
    const mapping = { name: 'x', ...lines, fields, tags: ['Tag', 'Tag[2]'] };
    const run = async (more: object) =>
      bench.run([path], {
        mapFile: await bench.write('m.json', JSON.stringify({ ...mapping, ...more })),
      });
    const named = { fields: { ...fields, externalId: 'Track' } };
    expect((await run(named)).summary).toEqual(counts(2));
    expect((await bench.tracks()).map(({ tags }) => tags)).toEqual([['rain', 'piano'], ['calm']]);
    const { rejections } = await run({ ...named, headingLine: 5, firstRecordLine: 6 });
    expect(rejections).toMatchObject([{ reason: expect.stringContaining('an empty row') }]);
  });

  it('is read from the first visible sheet with tracks, or the sheet of the mapping', async () => {
    const content = await xlsx([
      {
        name: 'Read me',
        rows: [
          ['Label', 'Acme'],
          ['Contact', 'a@example.com'],
        ],
      },
      { name: 'Tracks', rows: [HEADING, ROW] },
      {
        name: 'More',
        rows: [
          ['No', 'Title'],
          [7, 'Lamp'],
        ],
      },
    ]);
    const path = await bench.write('a.xlsx', content);
    const { summary, notes } = await bench.run([path]);
    expect(summary).toEqual(counts(1));
    expect(notes).toEqual([
      `${path}: read the sheet "Tracks" and passed over "Read me", "More" (a mapping can name another sheet with \`sheet\`)`,
    ]);
    const map = (sheet: string) => ({
      name: 'm',
      sheet,
      fields: { externalId: 'No', name: 'Title' },
    });
    const mapFile = await bench.write('m.json', JSON.stringify(map('More')));
    const mapped = await bench.run([path], { mapFile, type: 'music' });
    expect(mapped).toMatchObject({ summary: counts(1), notes: [] });
    const absent = await bench.write('n.json', JSON.stringify(map('Mora')));
    const refused = await bench.run([path], { mapFile: absent, type: 'music' });
    expect(refused.rejections).toMatchObject([
      {
        line: null,
        reason: expect.stringContaining('has no sheet "Mora"; its sheets are "Read me"'),
      },
    ]);
  });

  it('without track records is refused with what the first sheet with records has', async () => {
    const rows = [
      ['Territory', 'Price'],
      ['DE', 3],
      ['AT', 4],
    ];
    const content = await xlsx([
      { name: 'Empty', rows: [] },
      { name: 'Prices', rows },
    ]);
    const path = await bench.write('a.xlsx', content);
    expect((await bench.run([path])).rejections).toMatchObject([
      { line: null, reason: expect.stringContaining('its columns are Territory, Price') },
    ]);
  });

  it('is read through a pipe', async () => {
    const file = await bench.write('a.xlsx', await xlsx([{ name: 'T', rows: [HEADING, ROW] }]));
    const fifo = join(bench.folder, 'pipe');
    await promisify(execFile)('mkfifo', [fifo]);
    const writing = promisify(execFile)('sh', ['-c', 'cat "$0" > "$1"', file, fifo]);
    expect((await bench.run([fifo])).summary).toEqual(counts(1));
    await writing;
  });

  it('in another form is refused by name', async () => {
    const ole = Buffer.from('d0cf11e0a1b11ae1', 'hex');
    const refused = async (name: string, content: Uint8Array) =>
      (await bench.run([await bench.write(name, content)])).rejections[0]?.reason;
    expect(await refused('a.xls', Buffer.concat([ole, Buffer.alloc(1000)]))).toContain(
      'old Office',
    );
    const encrypted = Buffer.concat([ole, Buffer.from('EncryptedPackage', 'utf16le')]);
    expect(await refused('a.bin', encrypted)).toContain('is an encrypted workbook');
    expect(await refused('a.xlsx', Buffer.concat([ole, Buffer.alloc(9)]))).toContain('encrypted');
    const content = await xlsx([{ name: 'T', rows: [HEADING, ROW] }]);
    expect(await refused('a.xlsx.gz', gzipSync(content))).toContain('compressed with gzip');
    expect(await refused('a.xlsx', Buffer.from('PK\x03\x04'))).toContain('is damaged');
  });
});
